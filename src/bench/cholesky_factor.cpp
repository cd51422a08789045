// The factorisation of the benchmark `cholesky` by itself, as a program that uses the library: penstock-bench-cholesky
// N TILE. The tiles are made first; the time runs from the first task's submission to the last one's end. Once to warm
// up, once to be timed, as the rival does.
#include <algorithm>
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
using Tile = Array<double>;

/// The tiles of the lower triangle of a symmetric matrix whose diagonal outweighs its rows.
class Matrix {
 public:
  Matrix(Runtime& runtime, std::int64_t n, std::int64_t tile) : tiles_((n + tile - 1) / tile) {
    const auto extent = [&](std::int64_t i) { return std::min(tile, n - i * tile); };
    for (std::int64_t i = 0; i < tiles_; ++i) {
      for (std::int64_t j = 0; j <= i; ++j) {
        lower_.push_back(runtime.array<double>({extent(i), extent(j)}, uniform(i * tiles_ + j)));
      }
      runtime.submit(add_diagonal, read_write((*this)(i, i)), with("by", static_cast<double>(n)));
    }
  }
  [[nodiscard]] std::int64_t tiles() const { return tiles_; }
  Tile& operator()(std::int64_t i, std::int64_t j) { return lower_[static_cast<std::size_t>(i * (i + 1) / 2 + j)]; }

 private:
  std::int64_t tiles_;
  std::vector<Tile> lower_;
};

/// The right-looking algorithm (SLATE, LAPACK working note 294): as written for one core; the runtime finds out what
/// may run at once, among it the next panel beside the updates that this one leaves behind.
void factorise(Runtime& runtime, Matrix& a) {
  for (std::int64_t k = 0; k < a.tiles(); ++k) {
    runtime.submit(potrf, read_write(a(k, k)));
    for (std::int64_t i = k + 1; i < a.tiles(); ++i) {
      runtime.submit(trsm, read(a(k, k)), read_write(a(i, k)), with("side", "right"), with("transpose", true));
    }
    for (std::int64_t j = k + 1; j < a.tiles(); ++j) {
      runtime.submit(syrk, read(a(j, k)), read_write(a(j, j)), with("alpha", -1.0), with("beta", 1.0));
      for (std::int64_t i = j + 1; i < a.tiles(); ++i) {
        runtime.submit(gemm, read(a(i, k)), read(a(j, k)), read_write(a(i, j)), with("transpose_b", true),
                       with("alpha", -1.0), with("beta", 1.0));
      }
    }
  }
}

double seconds_of_one(Runtime& runtime, std::int64_t n, std::int64_t tile) {
  Matrix a(runtime, n, tile);
  runtime.wait_all();
  const auto begin = Clock::now();
  factorise(runtime, a);
  runtime.wait_all();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

void run_once(Runtime& runtime, std::int64_t n, std::int64_t tile) {
  seconds_of_one(runtime, n, tile);  // the threads and the memory are there from then on
  std::printf("{\"seconds\": %.9f}\n", seconds_of_one(runtime, n, tile));
}

}  // namespace

}  // namespace penstock::bench

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::int64_t n = std::atol(argv[1]);
  const std::int64_t tile = std::atol(argv[2]);
  return penstock::run(
      argc, argv, [&](penstock::Runtime& runtime) { penstock::bench::run_once(runtime, n, tile); },
      penstock::bench::traced({.use_cuda = false}));
}
