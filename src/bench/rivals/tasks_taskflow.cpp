// The rival `taskflow` of the benchmark `tasks`: Taskflow's async where tasks are independent or nested, its dependent
// async where they follow each other. Called and answering as bench/rivals/task_patterns.hpp says.
#include <array>
#include <atomic>
#include <cstdint>

#include <taskflow/taskflow.hpp>

#include "bench/rivals/task_patterns.hpp"

namespace penstock::bench {

namespace {

constexpr auto nothing = [] {};

void independent(tf::Executor& executor, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) executor.silent_async(nothing);
}

void chain(tf::Executor& executor, std::int64_t count) {
  tf::AsyncTask last = executor.silent_dependent_async(nothing);
  for (std::int64_t i = 1; i < count; ++i) last = executor.silent_dependent_async(nothing, last);
}

void random_graph(tf::Executor& executor, std::int64_t count) {
  std::array<tf::AsyncTask, reach> made;
  const auto task = [&](std::int64_t i) -> tf::AsyncTask& { return made[static_cast<std::size_t>(i % reach)]; };
  for (std::int64_t i = 0; i < count; ++i) {
    if (i < reach) {
      task(i) = executor.silent_dependent_async(nothing);
      continue;
    }
    const auto [a, b, c] = inputs_of(i);
    task(i) = executor.silent_dependent_async(nothing, task(a), task(b), task(c));
  }
}

/// A task that submits tasks ends after them.
void visit(tf::Runtime& runtime, std::int64_t node, std::int64_t nodes) {
  for (const std::int64_t child : {2 * node + 1, 2 * node + 2}) {
    if (child >= nodes) continue;
    runtime.silent_async([child, nodes](tf::Runtime& own) { visit(own, child, nodes); });
  }
}

void fork_join(tf::Executor& executor, std::int64_t count) {
  const std::int64_t nodes = Tree(count).nodes;
  executor.silent_async([nodes](tf::Runtime& own) { visit(own, 0, nodes); });
}

/// Tasks that wait for one that has not ended.
void weigh(tf::Executor& executor, const TaskRun& run) {
  std::atomic<bool> gate_is_open{false};
  tf::AsyncTask gate = executor.silent_dependent_async([&] { gate_is_open.wait(false); });
  weigh_tasks(run, [&] {
    for (std::int64_t i = 0; i < run.count; ++i) executor.silent_dependent_async(nothing, gate);
  });
  gate_is_open = true;
  gate_is_open.notify_all();
  executor.wait_for_all();
}

void submit(tf::Executor& executor, const TaskRun& run, std::int64_t count) {
  if (run.pattern == "independent") independent(executor, count);
  if (run.pattern == "chain") chain(executor, count);
  if (run.pattern == "random") random_graph(executor, count);
  if (run.pattern == "fork-join") fork_join(executor, count);
  executor.wait_for_all();
}

}  // namespace

}  // namespace penstock::bench

int main(int argc, char** argv) {
  using namespace penstock::bench;
  const TaskRun run(argc, argv);
  tf::Executor executor(static_cast<std::size_t>(run.workers));
  if (run.pattern == "memory")
    weigh(executor, run);
  else
    time_tasks(run, [&](std::int64_t count) { submit(executor, run, count); });
  return 0;
}
