/// The list of benchmarks. A new one is a function here and an entry of the list.
#pragma once

#include <string>
#include <vector>

#include "bench/experiment.hpp"

namespace penstock::bench {

struct BenchOptions {
  bool quick = false;           ///< smaller sizes and fewer runs: shows that it works, not how fast it is
  int n = 0;                    ///< rows of the matrices, where there are some; 0: the benchmark's own
  std::string devices = "cpu";  ///< "cpu", "gpu" or "cpu,gpu", where one can choose
};

struct Benchmark {
  const char* name;
  const char* summary;
  bool takes_n;
  std::vector<Row> (*run)(const BenchOptions& options);
  std::string (*text)() = nullptr;  ///< what is printed above the table
  bool takes_devices = false;
};

[[nodiscard]] std::vector<Row> run_matmul(const BenchOptions& options);
[[nodiscard]] std::vector<Row> run_increments_job(const BenchOptions& options);
[[nodiscard]] std::vector<Row> run_cholesky(const BenchOptions& options);
[[nodiscard]] std::vector<Row> run_check_job(const BenchOptions& options);
[[nodiscard]] std::vector<Row> run_trace_cost(const BenchOptions& options);
[[nodiscard]] std::vector<Row> run_async(const BenchOptions& options);
[[nodiscard]] std::vector<Row> run_deps(const BenchOptions& options);
[[nodiscard]] std::string describe_deps();
[[nodiscard]] std::vector<Row> run_increments(const BenchOptions& options);
[[nodiscard]] std::vector<Row> run_minibatch(const BenchOptions& options);
[[nodiscard]] std::vector<Row> run_tasks(const BenchOptions& options);
[[nodiscard]] std::vector<Row> run_critical_path(const BenchOptions& options);
[[nodiscard]] std::vector<Row> run_idle(const BenchOptions& options);
[[nodiscard]] std::vector<Row> run_wait(const BenchOptions& options);
[[nodiscard]] std::vector<Row> run_overlap(const BenchOptions& options);
[[nodiscard]] std::vector<Row> run_backward(const BenchOptions& options);
[[nodiscard]] std::vector<Row> run_parallel(const BenchOptions& options);

inline constexpr Benchmark benchmarks[] = {
    {"matmul", "64 products of matrices on 2 ranks: made, multiplied, saved", true, run_matmul},
    {"increments-job", "a job of 100 000 tiny tasks in 1000 chains: time and memory a task", false, run_increments_job},
    {"cholesky", "a symmetric matrix factorised by tiles on all cores", true, run_cholesky},
    {"check-job", "what `penstock check` needs for ten million tasks: time a task and memory", false, run_check_job},
    {"trace", "what the trace costs: a job with it and without, and one event", false, run_trace_cost},
    {"tasks", "what an empty task costs beside other task systems, and its memory", false, run_tasks},
    {"critical-path", "graphs whose shortest time is known, beside that time", false, run_critical_path},
    {"idle", "a core's share while there is no work, and how soon a task begins then", false, run_idle},
    {"async", "10 matrices made and squared: when the program is free again, when all is done", false, run_async},
    {"deps", "the graph of z = x * y + 2 as text and for GraphViz, and its value", false, run_deps, describe_deps},
    {"wait", "waits for one datum among other work, and waits that reading a result implies", false, run_wait},
    {"increments", "1000 increments, in a chain and independent: waits, and what predicts them", false, run_increments},
    {"minibatch", "a perceptron learns from 150 minibatches: when they are issued and done", false, run_minibatch,
     nullptr, true},
    {"overlap", "50 products on a GPU and copies of their results: how much is hidden", true, run_overlap},
    {"backward", "a backward pass on a GPU whose gradients leave it as they are made", true, run_backward},
    {"parallel", "50 products on each of two devices: one after the other, and both at once", true, run_parallel},
};

[[nodiscard]] inline Effort effort_of(const BenchOptions& options) {
  return options.quick ? Effort{.runs = 3, .tries_most = 2} : Effort{};
}

/// For the short form of what takes long.
inline constexpr Effort shortest{.runs = 1, .tries_most = 1};

}  // namespace penstock::bench
