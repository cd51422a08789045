// The benchmark `parallel` on penstock: penstock-bench-parallel N COUNT cpu|gpu|cpu,gpu WORKERS makes COUNT products of
// a matrix of N rows and columns on whatever devices there are of these. Prints how long that takes.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <penstock/penstock.hpp>

#include "bench/programs/traced.hpp"
#include "bench/timing.hpp"

namespace penstock::bench {

namespace {

double multiply(Runtime& runtime, const Array<float>& a, int count) {
  const auto begin = Clock::now();
  for (int i = 0; i < count; ++i) {
    runtime.submit(gemm, read(a), read(a), write(runtime.array<float>(a.shape())));
  }
  runtime.wait_all();
  return seconds_since(begin);
}

void run_twice(Runtime& runtime, std::int64_t n, int count) {
  const auto a = runtime.array<float>({n, n}, uniform(1));
  multiply(runtime, a, (count + 4) / 5);  // to warm up
  std::printf("{\"seconds\": %.9f}\n", multiply(runtime, a, count));
}

}  // namespace

}  // namespace penstock::bench

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const std::int64_t n = std::atol(argv[1]);
  const int count = std::atoi(argv[2]);
  const std::string devices = argv[3];
  return penstock::run(
      argc, argv, [&](penstock::Runtime& runtime) { penstock::bench::run_twice(runtime, n, count); },
      penstock::bench::traced(
          {.workers = std::atoi(argv[4]), .use_cpu = devices != "gpu", .use_cuda = devices != "cpu"}));
}
