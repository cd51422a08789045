// A program with a kernel of its own, as a user would write it.
#include <cstdio>

#include <penstock/penstock.hpp>
#include <penstock/version.hpp>

namespace ps = penstock;

const auto double_all = ps::kernel("consumer.double", [](ps::InOut<float> x) {
  for (float& value : x) value *= 2.0F;
});

int main() {
  ps::Runtime runtime;
  const auto array = runtime.array<float>({1000}, ps::fill(20.0));

  runtime.submit(ps::increment, ps::read_write(array));
  runtime.submit(double_all, ps::read_write(array));

  const auto view = runtime.read(array);
  std::printf("penstock %s: %g\n", ps::version(), static_cast<double>(view[999]));
}
