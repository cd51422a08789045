/// The list of benchmarks. A new one is a function here and an entry of the list.
#pragma once

#include <vector>

#include "bench/experiment.hpp"

namespace penstock::bench {

struct BenchOptions {
  bool quick = false;  ///< smaller sizes and fewer runs: shows that it works, not how fast it is
  int n = 0;           ///< rows of the matrices, where there are some; 0: the benchmark's own
};

struct Benchmark {
  const char* name;
  const char* summary;
  bool takes_n;
  std::vector<Row> (*run)(const BenchOptions& options);
};

[[nodiscard]] std::vector<Row> run_matmul(const BenchOptions& options);
[[nodiscard]] std::vector<Row> run_increments_job(const BenchOptions& options);
[[nodiscard]] std::vector<Row> run_cholesky(const BenchOptions& options);
[[nodiscard]] std::vector<Row> run_check_job(const BenchOptions& options);
[[nodiscard]] std::vector<Row> run_trace_cost(const BenchOptions& options);

inline constexpr Benchmark benchmarks[] = {
    {"matmul", "64 products of matrices on 2 ranks: made, multiplied, saved", true, run_matmul},
    {"increments-job", "a job of 100 000 tiny tasks in 1000 chains: time and memory a task", false, run_increments_job},
    {"cholesky", "a symmetric matrix factorised by tiles on all cores", true, run_cholesky},
    {"check-job", "what `penstock check` needs for ten million tasks: time a task and memory", false, run_check_job},
    {"trace", "what the trace costs: a job with it and without, and one event", false, run_trace_cost},
};

[[nodiscard]] inline Effort effort_of(const BenchOptions& options) {
  return options.quick ? Effort{.runs = 3, .tries_most = 2} : Effort{};
}

}  // namespace penstock::bench
