// The rival `bare` of the benchmark `cholesky`: LAPACK's dpotrf of the BLAS that the library uses, with all its
// threads, on the matrix that the library's tiles are parts of. Of the two triangles the one that is quicker here
// counts.
//
//     penstock-bench-cholesky-bare factorise N THREADS    the factorisation by itself
//     penstock-bench-cholesky-bare job N THREADS          make the matrix, on all threads, and factorise it
//     penstock-bench-cholesky-bare limit N THREADS        a product of N rows and columns, again and again, on each
//                                                         thread by itself
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "kernels/lapack.hpp"
#include "kernels/table.hpp"
#include "memory/host_pool.hpp"

namespace penstock::bench {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// OpenBLAS's; another BLAS is told by OMP_NUM_THREADS.
void use_threads(int threads) {
  void* const setter = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
  if (setter != nullptr) reinterpret_cast<void (*)(int)>(setter)(threads);
}

class Matrix {
 public:
  Matrix(int n, int threads)
      : n_(n), threads_(threads), bytes_(sizeof(double) * static_cast<std::size_t>(n) * static_cast<std::size_t>(n)) {
    data_ = pool_.allocate(bytes_);
  }

  void fill() {
    const kernels::KernelTable& table = kernels::KernelTable::process();
    const KernelDescription& uniform = table[table.at("uniform")];
    const ArrayView all = view();
    const std::vector<Parameter> parameters{std::int64_t{1}, 0.0, 1.0, std::int64_t{0}, std::int64_t{0}};
    std::vector<std::jthread> team;
    for (int panel = 0; panel < threads_; ++panel) {
      team.emplace_back([&, panel] {
        uniform.cpu({.arrays = {&all, 1}, .parameters = parameters, .panel = panel, .panel_count = threads_});
      });
    }
    team.clear();
    for (std::int64_t i = 0; i < n_; ++i) numbers()[i * (n_ + 1)] += n_;
  }

  [[nodiscard]] ArrayView view() const { return {.data = data_, .type = {DType::f64, {n_, n_}}}; }

  void factorise(char triangle) {
    if (const int minor = kernels::potrf(triangle, n_, numbers()); minor != 0) {
      std::fprintf(stderr, "penstock-bench-cholesky-bare: dpotrf says %d\n", minor);
      std::exit(1);
    }
  }

 private:
  [[nodiscard]] double* numbers() { return reinterpret_cast<double*>(data_); }

  memory::HostPool pool_;
  int n_;
  int threads_;
  std::size_t bytes_;
  std::byte* data_ = nullptr;  // the process's until it ends
};

double timed_factorisation(Matrix& matrix, char triangle) {
  matrix.fill();
  const auto begin = Clock::now();
  matrix.factorise(triangle);
  return seconds_since(begin);
}

constexpr int limit_products = 160;

double multiply(int n, int threads) {
  const kernels::KernelTable& table = kernels::KernelTable::process();
  const KernelDescription& gemm = table[table.at("gemm")];
  const auto work = [&](int products) {
    Matrix a(n, 1);
    Matrix b(n, 1);
    Matrix c(n, 1);
    a.fill();
    b.fill();
    const std::vector<ArrayView> arrays{a.view(), b.view(), c.view()};
    const std::vector<Parameter> parameters{false, false, 1.0, 0.0};
    gemm.cpu({.arrays = arrays, .parameters = parameters});
    const auto begin = Clock::now();
    for (int i = 0; i < products; ++i) gemm.cpu({.arrays = arrays, .parameters = parameters});
    return seconds_since(begin);
  };
  std::vector<double> seconds(static_cast<std::size_t>(threads));
  std::vector<std::jthread> team;
  for (double& own : seconds) team.emplace_back([&] { own = work(limit_products); });
  team.clear();
  return std::ranges::max(seconds);
}

double run(const std::string& mode, int n, int threads) {
  if (mode == "limit") return multiply(n, threads);
  Matrix matrix(n, threads);
  timed_factorisation(matrix, 'L');  // the threads and the memory are there from then on
  const double lower = timed_factorisation(matrix, 'L');
  const double upper = timed_factorisation(matrix, 'U');
  if (mode == "factorise") return std::min(lower, upper);
  Matrix fresh(n, threads);
  const auto begin = Clock::now();
  fresh.fill();
  fresh.factorise(lower <= upper ? 'L' : 'U');
  return seconds_since(begin);
}

}  // namespace

}  // namespace penstock::bench

int main(int argc, char** argv) {
  const std::string mode = argc == 4 ? argv[1] : "";
  if (mode != "factorise" && mode != "job" && mode != "limit") return 2;
  penstock::bench::use_threads(mode == "limit" ? 1 : std::atoi(argv[3]));
  std::printf("{\"seconds\": %.9f}\n", penstock::bench::run(mode, std::atoi(argv[2]), std::atoi(argv[3])));
  return 0;
}
