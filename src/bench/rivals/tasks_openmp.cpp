// The rivals `openmp-...` of the benchmark `tasks`: OpenMP's tasks and dependences on the OpenMP library of the
// compiler that builds this. Called and answering as bench/rivals/task_patterns.hpp says; `memory` needs two workers,
// since a single one may run the task of the gate where it is submitted.
#include <atomic>
#include <cstdint>
#include <vector>

#include "bench/rivals/task_patterns.hpp"

namespace penstock::bench {

namespace {

/// Not left out by the compiler, as an empty block with its task is.
void do_nothing() { asm volatile(""); }

void independent(std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
#pragma omp task
    do_nothing();
  }
}

void chain(std::int64_t count) {
  [[maybe_unused]] float x = 0.0F;
  for (std::int64_t i = 0; i < count; ++i) {
#pragma omp task depend(inout : x)
    do_nothing();
  }
#pragma omp taskwait
}

void random_graph(std::int64_t count) {
  std::vector<float> data(static_cast<std::size_t>(count));
  [[maybe_unused]] float* const x = data.data();
  for (std::int64_t i = 0; i < count; ++i) {
    if (i < reach) {
#pragma omp task depend(out : x[i])
      do_nothing();
      continue;
    }
    [[maybe_unused]] const Inputs from = inputs_of(i);
#pragma omp task depend(in : x[from[0]], x[from[1]], x[from[2]]) depend(out : x[i])
    do_nothing();
  }
#pragma omp taskwait
}

void visit(std::int64_t node, std::int64_t nodes) {
  for (const std::int64_t child : {2 * node + 1, 2 * node + 2}) {
    if (child < nodes) {
#pragma omp task firstprivate(child)
      visit(child, nodes);
    }
  }
#pragma omp taskwait
}

void fork_join(std::int64_t count) {
  const std::int64_t nodes = Tree(count).nodes;
#pragma omp task firstprivate(nodes)
  visit(0, nodes);
}

void submit(const TaskRun& run, std::int64_t count) {
  if (run.pattern == "independent") independent(count);
  if (run.pattern == "chain") chain(count);
  if (run.pattern == "random" || run.pattern == "resident") random_graph(count);
  if (run.pattern == "fork-join") fork_join(count);
}

void weigh(const TaskRun& run) {
  std::atomic<bool> gate_is_open{false};
  [[maybe_unused]] float x = 0.0F;
#pragma omp parallel num_threads(run.workers)
#pragma omp single
  {
#pragma omp task depend(out : x) shared(gate_is_open)
    gate_is_open.wait(false);
    weigh_tasks(run, [&] {
      for (std::int64_t i = 0; i < run.count; ++i) {
#pragma omp task depend(in : x)
        do_nothing();
      }
    });
    gate_is_open = true;
    gate_is_open.notify_all();
#pragma omp taskwait
  }
}

}  // namespace

}  // namespace penstock::bench

int main(int argc, char** argv) {
  using namespace penstock::bench;
  const TaskRun run(argc, argv);
  if (run.pattern == "memory") {
    weigh(run);
    return 0;
  }
  const auto submit_and_wait = [&](std::int64_t count) {
#pragma omp parallel num_threads(run.workers)
#pragma omp single
    submit(run, count);
  };
  run.pattern == "resident" ? watch_memory(run, submit_and_wait) : time_tasks(run, submit_and_wait);
  return 0;
}
