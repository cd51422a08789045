/// What is remembered of tasks that did not end well: the first ones in full, the rest counted. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cluster/front_machine.hpp"

namespace penstock::frontend {

/// How many tasks ended how.
struct Counts {
  std::uint64_t submitted = 0;
  std::uint64_t done = 0;
  std::uint64_t failed = 0;
  std::uint64_t skipped = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t lost = 0;

  [[nodiscard]] std::uint64_t not_done() const { return failed + skipped + cancelled + lost; }
  [[nodiscard]] std::uint64_t ended() const { return done + not_done(); }
};

/// A task that failed by itself.
struct Failure {
  core::TaskId task;
  std::string line;  ///< kernel, submit place, rank, device, attempt, cause
};

class FailureLog {
 public:
  /// Adds a task that ended otherwise than done. `kernel` is its name.
  void add(const cluster::EndedTask& task, std::string_view kernel);

  /// Why the versions that `cause` should have made do not exist: one line.
  [[nodiscard]] std::string why(core::TaskId cause) const;
  /// What the first one added since the last call says, of a skipped one its cause; empty: none was added.
  [[nodiscard]] std::string take_fresh() { return std::exchange(fresh_, {}); }
  /// The first failures, in the order in which they became known, skipped ones not among them.
  [[nodiscard]] const std::vector<Failure>& first() const { return first_; }

 private:
  std::vector<Failure> first_;
  std::string fresh_;
  std::unordered_map<std::uint64_t, std::string> lines_;  // by task; looked up only
};

}  // namespace penstock::frontend
