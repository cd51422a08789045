// cholesky: the tiled factorisation of a symmetric positive definite matrix in one process on all cores, beside
// LAPACK's own on as many threads.
#include <cstdint>
#include <utility>

#include <fmt/core.h>

#include "bench/benchmark.hpp"
#include "bench/machine.hpp"
#include "bench/programs.hpp"
#include "bench/scratch_folder.hpp"

namespace penstock::bench {

namespace {

constexpr std::uint64_t folder_bytes = std::uint64_t{256} << 20;

struct Size {
  int n;
  int tile;
  int workers;

  [[nodiscard]] double gflop() const { return 1e-9 / 3.0 * n * n * n; }
};

/// As jobs/cholesky.toml, without saving.
std::string job_text(Size size) {
  return fmt::format(
      R"(job = {{ name = "bench-cholesky" }}
values = {{ n = {}, tile = {}, tiles = {} }}

[data.A]
shape = ["n", "n"]
tile = ["tile", "tile"]
dtype = "f64"
origin = "uniform"
seed = 1

[[task]]
for = "k in 0..tiles"
kernel = "add_diagonal"
read_write = ["A[k, k]"]
parameters = {{ by = "n" }}

[[group]]
for = "k in 0..tiles"

[[group.task]]
kernel = "potrf"
read_write = ["A[k, k]"]

[[group.task]]
for = "i in k+1..tiles"
kernel = "trsm"
read = ["A[k, k]"]
read_write = ["A[i, k]"]
parameters = {{ side = "right", transpose = true }}

[[group.group]]
for = "j in k+1..tiles"

[[group.group.task]]
kernel = "syrk"
read = ["A[j, k]"]
read_write = ["A[j, j]"]
parameters = {{ alpha = -1.0, beta = 1.0 }}

[[group.group.task]]
for = "i in j+1..tiles"
kernel = "gemm"
read = ["A[i, k]", "A[j, k]"]
read_write = ["A[i, j]"]
parameters = {{ transpose_b = true, alpha = -1.0, beta = 1.0 }}
)",
      size.n, size.tile, (size.n + size.tile - 1) / size.tile);
}

std::vector<double> rate(Size size, std::vector<std::string> command, const std::string& key) {
  const ProgramResult result = run_program({.command = std::move(command), .environment = {}});
  return {size.gflop() / number_in(result.out, key)};
}

std::vector<std::string> bare(const std::string& mode, Size size) {
  return {beside("penstock-bench-cholesky-bare").string(), mode, std::to_string(size.n), std::to_string(size.workers)};
}

/// The product of two tiles on each core at once: the quickest that a tile's update can be.
std::vector<double> limit(Size size) {
  const Size tile{.n = size.tile, .tile = size.tile, .workers = size.workers};
  const ProgramResult result = run_program({.command = bare("limit", tile), .environment = {}});
  constexpr int products_each = 160;
  return {6.0 * tile.gflop() * products_each * size.workers / number_in(result.out, "seconds")};
}

Experiment experiment(Size size, std::string name, std::function<std::vector<double>()> penstock,
                      const std::string& mode) {
  return {.bench = "cholesky",
          .workers = size.workers,
          .measures = {{.name = std::move(name), .metric = "GFLOP/s", .unit = "GFLOP/s"}},
          .contenders = {{Role::subject, "penstock", std::move(penstock)},
                         {Role::rival, "bare", [size, mode] { return rate(size, bare(mode, size), "seconds"); }},
                         {Role::limit, "limit", [size] { return limit(size); }}}};
}

Experiment factorisation(Size size) {
  const auto penstock = [size] {
    return rate(size, {beside("penstock-bench-cholesky").string(), std::to_string(size.n), std::to_string(size.tile)},
                "seconds");
  };
  return experiment(size, "factorise", penstock, "factorise");
}

Experiment whole_job(Size size, const ScratchFolder& folder) {
  const auto penstock = [size, &folder] {
    folder.empty();
    const auto job = folder.path() / "cholesky.toml";
    write_file(job, job_text(size));
    return rate(size, run_command(job, folder.path() / "run", size.workers), "wall_s");
  };
  return experiment(size, "make+factorise", penstock, "job");
}

}  // namespace

std::vector<Row> run_cholesky(const BenchOptions& options) {
  const int usual = options.quick ? 1000 : 4000;
  const int n = options.n > 0 ? options.n : usual;
  const Size size{.n = n, .tile = n >= 2000 ? 500 : 125, .workers = cores_here()};
  const ScratchFolder folder(folder_bytes);
  const Effort effort = effort_of(options);
  std::vector<Row> rows = carry_out(factorisation(size), effort);
  for (Row& row : carry_out(whole_job(size, folder), effort)) rows.push_back(std::move(row));
  return rows;
}

}  // namespace penstock::bench
