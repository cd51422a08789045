// matmul: 64 products C_i = A_i B on 2 ranks of one core each, beside two pinned processes with a split fixed in
// advance.
#include <cstdint>
#include <utility>

#include <fmt/core.h>

#include "bench/benchmark.hpp"
#include "bench/programs.hpp"
#include "bench/scratch_folder.hpp"

namespace penstock::bench {

namespace {

constexpr int ranks = 2;
constexpr int products = 64;
constexpr int limit_products = 8;  // of each process; the machine's limit needs no more

struct Size {
  int n;
  int count = products;

  [[nodiscard]] double gflop() const {
    const double side = n;
    return 2e-9 * side * side * side * count;
  }
  [[nodiscard]] std::uint64_t result_bytes() const {
    return std::uint64_t{4} * static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(n) *
           static_cast<std::uint64_t>(count);
  }
};

std::string job_text(Size size) {
  constexpr const char* matrix = "shape = [{0}, {0}]\ndtype = \"f32\"\n";
  constexpr const char* origin = "origin = \"uniform\"\nlow = -1.0\n";
  const std::string shape = fmt::format(fmt::runtime(matrix), size.n);
  const std::string all = fmt::format("for = \"i in 0..{}\"\n", size.count);
  return "[job]\nname = \"bench-matmul\"\n\n[data.A]\n" + all + shape + origin + "seed = \"1000 + i\"\n\n[data.B]\n" +
         shape + origin + "seed = 1\n\n[data.C]\n" + all + shape + "\n[[task]]\n" + all +
         "kernel = \"gemm\"\nread = [\"A[i]\", \"B\"]\nwrite = [\"C[i]\"]\n\n[[save]]\n" + all +
         "data = \"C[i]\"\nfile = \"c_{i:02}.npy\"\n";
}

std::vector<std::string> bare(const std::string& mode, Size size) {
  return {beside("penstock-bench-matmul-bare").string(), mode, std::to_string(size.n), std::to_string(size.count)};
}

/// GFLOP/s of both processes with everything in their caches.
double hot_rate(Size size) {
  const Size each{.n = size.n, .count = limit_products * ranks};
  return each.gflop() / number_in(run_program(as_ranks(ranks, bare("limit", each))).out, "seconds");
}

/// Values of the whole job: the rate inside, and the time outside.
std::vector<double> job_values(Size size, const ScratchFolder& folder, std::vector<std::string> command,
                               const std::string& key) {
  folder.empty();
  write_file(folder.path() / "matmul.toml", job_text(size));
  const ProgramResult result = run_program(as_ranks(ranks, std::move(command)));
  folder.empty();
  return {size.gflop() / number_in(result.out, key), result.wall_s};
}

Experiment whole_job(Size size, const ScratchFolder& folder) {
  const auto run_penstock = [size, &folder] {
    return job_values(size, folder, run_command(folder.path() / "matmul.toml", folder.path() / "run", 1), "wall_s");
  };
  const auto run_bare = [size, &folder] {
    std::vector<std::string> command = bare("job", size);
    command.push_back((folder.path() / "results").string());
    return job_values(size, folder, std::move(command), "seconds");
  };
  const auto run_limit = [size] {
    const double rate = hot_rate(size);
    return std::vector<double>{rate, size.gflop() / rate};
  };
  return {.bench = "matmul",
          .workers = ranks,
          .measures = {{.name = "generate+multiply+save", .metric = "GFLOP/s", .unit = "GFLOP/s"},
                       {.name = "whole process", .metric = "time", .unit = "s"}},
          .contenders = {{Role::subject, "penstock", run_penstock},
                         {Role::rival, "bare", run_bare},
                         {Role::limit, "limit", run_limit}}};
}

Experiment products_alone(Size size) {
  const auto rate_of = [size](std::vector<std::string> command) {
    const ProgramResult result = run_program(as_ranks(ranks, std::move(command)));
    return std::vector<double>{size.gflop() / number_in(result.out, "seconds")};
  };
  const auto run_penstock = [size, rate_of] {
    return rate_of({beside("penstock-bench-products").string(), std::to_string(size.n), std::to_string(size.count)});
  };
  return {.bench = "matmul",
          .workers = ranks,
          .measures = {{.name = "products alone", .metric = "GFLOP/s", .unit = "GFLOP/s"}},
          .contenders = {{Role::subject, "penstock", run_penstock},
                         {Role::rival, "bare", [size, rate_of] { return rate_of(bare("products", size)); }},
                         {Role::limit, "limit", [size] { return std::vector<double>{hot_rate(size)}; }}}};
}

}  // namespace

std::vector<Row> run_matmul(const BenchOptions& options) {
  const int usual = options.quick ? 500 : 1000;
  const Size size{.n = options.n > 0 ? options.n : usual};
  const ScratchFolder folder(2 * size.result_bytes());
  const Effort effort = effort_of(options);
  std::vector<Row> rows = carry_out(whole_job(size, folder), effort);
  for (Row& row : carry_out(products_alone(size), effort)) rows.push_back(std::move(row));
  return rows;
}

}  // namespace penstock::bench
