// The benchmark `deps` on penstock: z = x * y + 2, written as it stands. Prints the seconds from the first submission
// to the value, and the value.
#include <cstdio>

#include <penstock/penstock.hpp>

#include "bench/programs/traced.hpp"
#include "bench/timing.hpp"

namespace penstock::bench {

namespace {

void evaluate(Runtime& runtime, bool print) {
  const auto begin = Clock::now();
  const auto x = runtime.array<float>({1, 2}, ones());
  const auto y = runtime.array<float>({1, 2}, ones());
  const auto z = runtime.array<float>({1, 2});
  runtime.submit(mul, read(x), read(y), write(z));
  runtime.submit(increment, read_write(z), with("by", 2.0));
  const View<float> view = runtime.read(z);  // waits for what z follows from, and nothing else
  const double seconds = seconds_since(begin);
  if (print) {
    std::printf("{\"seconds\": %.9f, \"z0\": %g, \"z1\": %g}\n", seconds, static_cast<double>(view[0]),
                static_cast<double>(view[1]));
  }
}

}  // namespace

}  // namespace penstock::bench

int main(int argc, char** argv) {
  return penstock::run(
      argc, argv,
      [](penstock::Runtime& runtime) {
        penstock::bench::evaluate(runtime, false);
        penstock::bench::evaluate(runtime, true);
      },
      penstock::bench::traced({.use_cuda = false}));
}
