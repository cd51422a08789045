// The benchmark `tasks` on penstock: what an empty task costs, from the first submission to the last one's end. Called
// and answering as bench/rivals/task_patterns.hpp says.
#include <array>
#include <atomic>
#include <cstdint>

#include <penstock/penstock.hpp>

#include "bench/programs/traced.hpp"
#include "bench/rivals/task_patterns.hpp"

namespace penstock::bench {

namespace {

const auto nothing = kernel("bench.nothing", [] {});
const auto step = kernel("bench.step", [](InOut<float>) {});
const auto source = kernel("bench.source", [](Out<float>) {});
const auto follow = kernel("bench.follow", [](In<float>, Out<float>) {});
const auto join = kernel("bench.join", [](In<float>, In<float>, Out<float>) {});
const auto node = kernel("bench.node", [](In<float>, In<float>, In<float>, Out<float>) {});
const auto look = kernel("bench.look", [](In<float>) {});

std::atomic<bool> gate_is_open{false};
const auto gate = kernel("bench.gate", [](Out<float>) { gate_is_open.wait(false); });

void submit_independent(Runtime& runtime, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) runtime.submit(nothing);
}

void submit_chain(Runtime& runtime, std::int64_t count) {
  const auto x = runtime.array<float>({1}, zeros());
  for (std::int64_t i = 0; i < count; ++i) runtime.submit(step, read_write(x));
}

void submit_random(Runtime& runtime, std::int64_t count) {
  std::array<Array<float>, reach> made;  // a write makes a new version: it waits for nobody who reads the one before
  for (Array<float>& x : made) x = runtime.array<float>({1});
  const auto datum = [&](std::int64_t i) -> Array<float>& { return made[static_cast<std::size_t>(i % reach)]; };
  for (std::int64_t i = 0; i < count; ++i) {
    if (i < reach) {
      runtime.submit(source, write(datum(i)));
    } else {
      const auto [a, b, c] = inputs_of(i);
      runtime.submit(node, read(datum(a)), read(datum(b)), read(datum(c)), write(datum(i)));
    }
  }
}

/// The tree below node i, one before its children and one after; returns what it made.
Array<float> submit_tree(Runtime& runtime, const Tree& tree, std::int64_t i, const Array<float>& parent) {
  auto forked = runtime.array<float>({1});
  runtime.submit(follow, read(parent), write(forked));
  if (2 * i + 1 >= tree.static_nodes) return forked;
  const auto left = submit_tree(runtime, tree, 2 * i + 1, forked);
  const auto right = submit_tree(runtime, tree, 2 * i + 2, forked);
  auto joined = runtime.array<float>({1});
  runtime.submit(join, read(left), read(right), write(joined));
  return joined;
}

void submit_fork_join(Runtime& runtime, std::int64_t count) {
  const auto seed = runtime.array<float>({1}, zeros());
  submit_tree(runtime, Tree(count), 0, seed);
}

/// Tasks that wait for one that has not ended.
void weigh_tasks_in_flight(Runtime& runtime, const TaskRun& run) {
  const auto x = runtime.array<float>({1});
  runtime.submit(gate, write(x));
  weigh_tasks(run, [&] {
    for (std::int64_t i = 0; i < run.count; ++i) runtime.submit(look, read(x));
  });
  gate_is_open = true;
  gate_is_open.notify_all();
}

void run_pattern(Runtime& runtime, const TaskRun& run) {
  if (run.pattern == "memory") return weigh_tasks_in_flight(runtime, run);
  using Submit = void (*)(Runtime&, std::int64_t);
  const Submit submit = run.pattern == "independent" ? submit_independent
                        : run.pattern == "chain"     ? submit_chain
                        : run.pattern == "fork-join" ? submit_fork_join
                                                     : submit_random;
  const auto submit_and_wait = [&](std::int64_t count) {
    submit(runtime, count);
    runtime.wait_all();
  };
  run.pattern == "resident" ? watch_memory(run, submit_and_wait) : time_tasks(run, submit_and_wait);
}

Options options_of(const TaskRun& run) {
  Options options{.workers = run.workers, .use_cuda = false};
  if (run.pattern == "memory") options.window_tasks = static_cast<std::uint64_t>(run.count) + 16;
  return options;
}

}  // namespace

}  // namespace penstock::bench

int main(int argc, char** argv) {
  const penstock::bench::TaskRun run(argc, argv);
  return penstock::run(
      argc, argv, [&](penstock::Runtime& runtime) { penstock::bench::run_pattern(runtime, run); },
      penstock::bench::traced(penstock::bench::options_of(run)));
}
