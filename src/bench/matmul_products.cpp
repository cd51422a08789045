// The products of the benchmark `matmul` by themselves, as a program that uses the library: penstock-bench-products N
// COUNT, started by mpirun. The matrices are made first; the time runs from the first product's submission to the last
// one's end.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <penstock/penstock.hpp>

#include "bench/programs/traced.hpp"

namespace penstock::bench {

namespace {

using Clock = std::chrono::steady_clock;

void multiply(Runtime& runtime, std::int64_t n, int count) {
  const auto matrix = [&](int seed) { return runtime.array<float>({n, n}, uniform(seed, -1.0)); };
  const Array<float> b = matrix(1);
  std::vector<Array<float>> a;
  std::vector<Array<float>> c;
  for (int i = 0; i < count; ++i) {
    a.push_back(matrix(1000 + i));
    c.push_back(runtime.array<float>({n, n}));
  }
  runtime.wait_all();

  const auto begin = Clock::now();
  for (std::size_t i = 0; i < a.size(); ++i) runtime.submit(gemm, read(a[i]), read(b), write(c[i]));
  runtime.wait_all();
  std::printf("{\"seconds\": %.9f}\n", std::chrono::duration<double>(Clock::now() - begin).count());
}

}  // namespace

}  // namespace penstock::bench

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::int64_t n = std::atol(argv[1]);
  const int count = std::atoi(argv[2]);
  return penstock::run(
      argc, argv, [&](penstock::Runtime& runtime) { penstock::bench::multiply(runtime, n, count); },
      penstock::bench::traced({.workers = 1, .use_cuda = false}));
}
