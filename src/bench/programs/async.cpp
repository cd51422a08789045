// The benchmark `async` on penstock: penstock-bench-async N COUNT WORKERS makes COUNT matrices of N rows and columns of
// normal numbers and the square of each. Prints when the program was free again, and when all was done.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <penstock/penstock.hpp>

#include "bench/programs/traced.hpp"
#include "bench/timing.hpp"

namespace penstock::bench {

namespace {

struct Times {
  double free = 0.0;
  double done = 0.0;
};

Times make_squares(Runtime& runtime, std::int64_t n, int count) {
  std::vector<Array<float>> squares;
  Times times;
  const auto begin = Clock::now();
  for (int i = 0; i < count; ++i) {
    const auto a = runtime.array<float>({n, n}, normal(i));
    squares.push_back(runtime.array<float>({n, n}));
    runtime.submit(gemm, read(a), read(a), write(squares.back()));
  }
  times.free = seconds_since(begin);
  runtime.wait_all();
  times.done = seconds_since(begin);
  return times;
}

void run_twice(Runtime& runtime, std::int64_t n, int count) {
  make_squares(runtime, n, count);
  const Times times = make_squares(runtime, n, count);
  std::printf("{\"free\": %.9f, \"done\": %.9f}\n", times.free, times.done);
}

}  // namespace

}  // namespace penstock::bench

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::int64_t n = std::atol(argv[1]);
  const int count = std::atoi(argv[2]);
  return penstock::run(
      argc, argv, [&](penstock::Runtime& runtime) { penstock::bench::run_twice(runtime, n, count); },
      penstock::bench::traced({.workers = std::atoi(argv[3]), .use_cuda = false}));
}
