// The rival `bare` of the benchmark `matmul`: what one would write by hand for this job and no other. Each of the
// processes that mpirun starts stays on one core and does every second product, with the library's own kernels; nothing
// is shared, scheduled or moved.
//
//     penstock-bench-matmul-bare job N COUNT FOLDER    make, multiply and save COUNT products
//     penstock-bench-matmul-bare products N COUNT      the products by themselves; the matrices are made before
//     penstock-bench-matmul-bare limit N COUNT         COUNT times one product whose matrices are in the cache
//     penstock-bench-matmul-bare blas                  the name of the BLAS; without mpirun
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "device/cpu/affinity.hpp"
#include "kernels/blas.hpp"
#include "kernels/table.hpp"
#include "memory/host_pool.hpp"

namespace penstock::bench {

namespace {

struct Task {
  int n = 0;
  int count = 0;
  std::string folder;
};

int process() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int processes() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

void stay_on_own_core() {
  const core::CoreSet cores = device::read_affinity();
  device::set_affinity({cores[static_cast<std::size_t>(process()) % cores.size()]});
}

/// A square matrix in memory like the library's.
class Matrix {
 public:
  Matrix(memory::HostPool& pool, int n) : view_{.data = nullptr, .type = {DType::f32, {n, n}}} {
    view_.data = pool.allocate(static_cast<std::size_t>(view_.type.bytes()));
  }
  [[nodiscard]] const ArrayView& view() const { return view_; }

 private:
  ArrayView view_;  // the memory is the process's until it ends
};

void call(const char* kernel, std::vector<ArrayView> arrays, std::vector<Parameter> parameters) {
  const kernels::KernelTable& table = kernels::KernelTable::process();
  table[table.at(kernel)].cpu({.arrays = arrays, .parameters = parameters, .panel = 0, .panel_count = 1});
}

void fill(const Matrix& matrix, std::int64_t seed) {
  call("uniform", {matrix.view()}, {seed, -1.0, 1.0, std::int64_t{0}, std::int64_t{0}});
}

void multiply(const Matrix& a, const Matrix& b, const Matrix& c) {
  call("gemm", {a.view(), b.view(), c.view()}, {false, false, 1.0, 0.0});
}

/// Seconds from a common start to the end of the last process, on the first one.
template <class Body>
double timed(Body body) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  body();
  const double own = MPI_Wtime() - begin;
  double longest = 0.0;
  MPI_Reduce(&own, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  return longest;
}

/// As `penstock run` does at the end of a job.
void write_out(const std::string& folder) {
  const int file = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0 || syncfs(file) != 0) std::perror(folder.c_str());
  if (file >= 0) close(file);
}

double run_job(const Task& task) {
  memory::HostPool pool;
  if (process() == 0) std::filesystem::create_directories(task.folder);
  return timed([&] {
    const Matrix a(pool, task.n);
    const Matrix b(pool, task.n);
    const Matrix c(pool, task.n);
    fill(b, 1);
    for (int i = process(); i < task.count; i += processes()) {
      fill(a, 1000 + i);
      multiply(a, b, c);
      call("save", {c.view()}, {fmt::format("{}/c_{:02}.npy", task.folder, i)});
    }
    write_out(task.folder);
  });
}

/// Keeps all products, as the program with the library does.
double run_products(const Task& task) {
  memory::HostPool pool;
  std::vector<Matrix> a;
  std::vector<Matrix> c;
  const Matrix b(pool, task.n);
  fill(b, 1);
  for (int i = process(); i < task.count; i += processes()) {
    fill(a.emplace_back(pool, task.n), 1000 + i);
    c.emplace_back(pool, task.n);
  }
  return timed([&] {
    for (std::size_t i = 0; i < a.size(); ++i) multiply(a[i], b, c[i]);
  });
}

double run_limit(const Task& task) {
  memory::HostPool pool;
  const Matrix a(pool, task.n);
  const Matrix b(pool, task.n);
  const Matrix c(pool, task.n);
  fill(a, 1);
  fill(b, 2);
  multiply(a, b, c);
  return timed([&] {
    for (int i = process(); i < task.count; i += processes()) multiply(a, b, c);
  });
}

int run_processes(const std::string& mode, const Task& task) {
  stay_on_own_core();
  kernels::blas_use_one_thread();
  const double seconds = mode == "job" ? run_job(task) : mode == "products" ? run_products(task) : run_limit(task);
  if (process() == 0) std::printf("{\"seconds\": %.9f}\n", seconds);
  return 0;
}

void print_blas() {
  void* const openblas = dlsym(RTLD_DEFAULT, "openblas_get_config");
  std::puts(openblas != nullptr ? reinterpret_cast<const char* (*)()>(openblas)() : "unknown BLAS");
}

}  // namespace

}  // namespace penstock::bench

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "blas") {
    penstock::bench::print_blas();
    return 0;
  }
  const bool known = (mode == "job" && argc == 5) || ((mode == "products" || mode == "limit") && argc == 4);
  if (!known) return 2;
  MPI_Init(&argc, &argv);
  try {
    const penstock::bench::Task task{std::atoi(argv[2]), std::atoi(argv[3]), argc == 5 ? argv[4] : ""};
    penstock::bench::run_processes(mode, task);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "penstock-bench-matmul-bare: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
