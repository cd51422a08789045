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

  /// One more that ended so.
  void add(core::Outcome outcome);
  [[nodiscard]] std::uint64_t not_done() const { return failed + skipped + cancelled + lost; }
  [[nodiscard]] std::uint64_t ended() const { return done + not_done(); }
};

/// A task that failed by itself.
struct Failure {
  core::TaskId task;
  std::string line;  ///< kernel, submit place, rank, device, attempt, cause
};

/// A task that was not started, since another one failed that made what it reads, or what that was made of.
struct Skipped {
  Failure task;
  Failure cause;
};

class FailureLog {
 public:
  /// Adds a task that ended otherwise than done. `kernel` is its name.
  void add(const cluster::EndedTask& task, std::string_view kernel);

  /// Why the versions that `cause` should have made do not exist: one line.
  [[nodiscard]] std::string why(core::TaskId cause) const;
  /// What wait_all() has to say of those that were added since the last call: the first one, of a skipped one its
  /// cause, and how many more; empty: none was added. `not_done` were added in all.
  [[nodiscard]] std::string take_report(std::uint64_t not_done);
  /// The first failures, in the order in which they became known, skipped ones not among them.
  [[nodiscard]] const std::vector<Failure>& first() const { return first_; }
  /// The first skipped ones, likewise.
  [[nodiscard]] const std::vector<Skipped>& first_skipped() const { return first_skipped_; }

 private:
  std::vector<Failure> first_;
  std::vector<Skipped> first_skipped_;
  std::string fresh_;                                     // what the first since the last report says
  std::uint64_t reported_ = 0;                            // how many were added before that
  std::unordered_map<std::uint64_t, std::string> lines_;  // by task; looked up only
};

}  // namespace penstock::frontend
