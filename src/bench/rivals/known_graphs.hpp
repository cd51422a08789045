/// What the programs of the benchmark `critical-path` share: graphs of tasks of equal length whose shortest time on W
/// workers is known, and how a program is called and answers. Header only, without the library. Any thread.
///
///     PROGRAM chain|stencil|tree|wavefront COUNT MICROSECONDS WORKERS    {"seconds": ...}
///
///     chain      COUNT tasks in a chain, which have a priority, each submitted beside W - 1 that depend on nothing
///     stencil    COUNT steps of W points in a ring, each of which reads itself and its neighbour of the step before
///     tree       a binary tree of sums with at least COUNT tasks, the leaves first
///     wavefront  a square of at least COUNT tasks; each reads the one above it and the one left of it
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "bench/timing.hpp"

namespace penstock::bench::known_graph {

/// The leaves of the tree, a power of two: of 2 n - 1 tasks.
constexpr std::int64_t leaves_of(std::int64_t count) {
  std::int64_t leaves = 1;
  while (2 * leaves - 1 < count) leaves *= 2;
  return leaves;
}

/// The side of the square.
constexpr std::int64_t side_of(std::int64_t count) {
  std::int64_t side = 1;
  while (side * side < count) ++side;
  return side;
}

constexpr std::int64_t shared_out(std::int64_t tasks, std::int64_t workers) { return (tasks + workers - 1) / workers; }

/// The shortest time, in tasks: level by level for the tree, which is best for trees of equal tasks (Hu 1961). For the
/// square, what begins and ends it keeps fewer busy than there are workers: diagonal d has d tasks.
constexpr std::int64_t tasks_in_a_row(std::string_view shape, std::int64_t count, std::int64_t workers) {
  if (shape == "chain" || shape == "stencil") return count;
  std::int64_t steps = 0;
  if (shape == "tree") {
    for (std::int64_t level = leaves_of(count); level > 0; level /= 2) steps += shared_out(level, workers);
    return steps;
  }
  const std::int64_t side = side_of(count);
  std::int64_t inside = side * side;
  for (std::int64_t diagonal = 1; diagonal < workers && 2 * diagonal < 2 * side - 1; ++diagonal) {
    steps += 2;
    inside -= 2 * diagonal;
  }
  return steps + shared_out(inside, workers);
}

struct Run {
  std::string shape;
  std::int64_t count = 0;
  int microseconds = 0;
  int workers = 1;

  /// Ends the process with 2 when the arguments are not those named above.
  Run(int argc, char** argv) {
    if (argc != 5) std::exit(2);
    shape = argv[1];
    count = std::atol(argv[2]);
    microseconds = std::atoi(argv[3]);
    workers = std::atoi(argv[4]);
    if (count < 1 || microseconds < 1 || workers < 1) std::exit(2);
  }
};

/// A task.
inline void take(std::chrono::microseconds time) { spin_until(Clock::now() + time); }

/// Once to warm up, then with a clock: `submit_and_wait()` does what its name says.
template <class Submit>
void time_graph(Submit submit_and_wait) {
  submit_and_wait();
  const auto begin = Clock::now();
  submit_and_wait();
  std::printf("{\"seconds\": %.9f}\n", seconds_since(begin));
}

}  // namespace penstock::bench::known_graph
