/// What the programs of the benchmark `tasks` share: which tasks there are and what they follow, so that every system
/// is given the same graph, and how a program is called and answers. Header only, without the library. Any thread.
///
///     PROGRAM independent|chain|random|fork-join COUNT WORKERS    {"seconds": ..., "tasks": ...}
///     PROGRAM memory COUNT WORKERS                                {"bytes": ...}, of one task that waits
///     PROGRAM resident COUNT WORKERS                              {"first": ..., "last": ...}, bytes of the process
///                                                                 after a tenth of COUNT tasks of random, and after
///                                                                 all
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "bench/timing.hpp"

namespace penstock::bench {

/// A task of `random` writes a datum of its own and reads three of the last 64 that were made before.
inline constexpr std::int64_t reach = 64;
using Inputs = std::array<std::int64_t, 3>;

/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers in every program.
constexpr std::uint64_t mixed(std::uint64_t number) {
  number += 0x9E3779B97F4A7C15U;
  number = (number ^ (number >> 30U)) * 0xBF58476D1CE4E5B9U;
  number = (number ^ (number >> 27U)) * 0x94D049BB133111EBU;
  return number ^ (number >> 31U);
}

/// Three different ones. Of a task after the first 64, which read nothing.
constexpr Inputs inputs_of(std::int64_t task) {
  const std::uint64_t random = mixed(static_cast<std::uint64_t>(task));
  const auto first = static_cast<std::int64_t>(random % 64U);
  const auto second = (first + 1 + static_cast<std::int64_t>((random >> 8U) % 31U)) % reach;
  const auto third = (first + 32 + static_cast<std::int64_t>((random >> 16U) % 32U)) % reach;
  return {task - 1 - first, task - 1 - second, task - 1 - third};
}

/// A binary tree in the order of a heap: node i has the children 2 i + 1 and 2 i + 2 where those are nodes. Where a
/// task can submit tasks and wait for them, a node is a task. Elsewhere a node that has children is two tasks, one
/// before them and one after; `static_nodes` of them are as many tasks as `nodes` are with nesting.
struct Tree {
  std::int64_t nodes = 0;
  std::int64_t static_nodes = 0;

  /// With at most `count` tasks: the greatest number for which both trees can be made and every node has both children
  /// or none in the static one.
  explicit constexpr Tree(std::int64_t count) : nodes(count - (count - 1) % 3), static_nodes((nodes - 1) / 3 * 2 + 1) {}
};

struct TaskRun {
  std::string pattern;
  std::int64_t count = 0;
  int workers = 1;

  /// Ends the process with 2 when the arguments are not those named above.
  TaskRun(int argc, char** argv) {
    if (argc != 4) std::exit(2);
    pattern = argv[1];
    count = std::atol(argv[2]);
    workers = std::atoi(argv[3]);
    if (count < 1 || workers < 1) std::exit(2);
  }
  [[nodiscard]] std::int64_t tasks() const { return pattern == "fork-join" ? Tree(count).nodes : count; }
};

/// A tenth of the tasks to warm up, then all of them with a clock: `submit(count)` submits and waits.
template <class Submit>
void time_tasks(const TaskRun& run, Submit submit) {
  submit(run.count / 10 + 1);
  const auto begin = Clock::now();
  submit(run.count);
  std::printf("{\"seconds\": %.9f, \"tasks\": %lld}\n", seconds_since(begin), static_cast<long long>(run.tasks()));
}

/// A tenth of the tasks, then the others: `submit(count)` submits and waits.
template <class Submit>
void watch_memory(const TaskRun& run, Submit submit) {
  submit(run.count / 10);
  const std::int64_t first = resident_bytes();
  submit(run.count - run.count / 10);
  std::printf("{\"first\": %lld, \"last\": %lld}\n", static_cast<long long>(first),
              static_cast<long long>(resident_bytes()));
}

/// The growth of resident memory while `submit()` hands tasks over that cannot run yet.
template <class Submit>
void weigh_tasks(const TaskRun& run, Submit submit) {
  const std::int64_t before = resident_bytes();
  submit();
  const auto grown = static_cast<double>(resident_bytes() - before);
  std::printf("{\"bytes\": %.3f}\n", grown / static_cast<double>(run.count));
}

}  // namespace penstock::bench
