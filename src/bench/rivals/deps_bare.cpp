// The rival `bare` of the benchmark `deps`: z = x * y + 2 by hand, into new arrays as the library's.
#include <cstddef>
#include <cstdio>
#include <vector>

#include "bench/timing.hpp"

namespace penstock::bench {

namespace {

[[gnu::noinline]] std::vector<float> evaluate(std::size_t elements) {
  const std::vector<float> x(elements, 1.0F);
  const std::vector<float> y(elements, 1.0F);
  std::vector<float> z(elements);
  for (std::size_t i = 0; i < elements; ++i) z[i] = x[i] * y[i];
  for (float& value : z) value += 2.0F;
  return z;
}

}  // namespace

}  // namespace penstock::bench

int main() {
  using namespace penstock::bench;
  evaluate(2);
  const auto begin = Clock::now();
  const std::vector<float> z = evaluate(2);
  const double seconds = seconds_since(begin);
  std::printf("{\"seconds\": %.9f, \"z0\": %g, \"z1\": %g}\n", seconds, static_cast<double>(z[0]),
              static_cast<double>(z[1]));
  return 0;
}
