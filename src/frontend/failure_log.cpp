#include "frontend/failure_log.hpp"

#include <utility>

namespace penstock::frontend {

namespace {

constexpr std::size_t first_most = 20;
constexpr std::size_t lines_most = 10'000;  // bounds the memory of a run in which everything fails

std::string describe(const cluster::EndedTask& task, std::string_view kernel) {
  const core::Ending& ending = task.ending;
  std::string line(kernel);
  if (task.place.line > 0) line += " (" + std::string(task.place.file) + ":" + std::to_string(task.place.line) + ")";
  line += ": " + std::string(name_of(ending.outcome));
  if (ending.rank != core::no_rank && ending.outcome != core::Outcome::skipped) {  // of which there was no attempt
    line += " on rank " + std::to_string(ending.rank.value()) + ", device " + std::to_string(ending.device.value()) +
            ", attempt " + std::to_string(ending.attempt.value());
  }
  if (!ending.message.empty()) line += ": " + ending.message;
  return line;
}

}  // namespace

void Counts::add(core::Outcome outcome) {
  switch (outcome) {
    case core::Outcome::done:
      ++done;
      return;
    case core::Outcome::failed:
    case core::Outcome::timed_out:
      ++failed;
      return;
    case core::Outcome::cancelled:
      ++cancelled;
      return;
    case core::Outcome::lost:
      ++lost;
      return;
    case core::Outcome::skipped:
      ++skipped;
      return;
  }
}

void FailureLog::add(const cluster::EndedTask& task, std::string_view kernel) {
  const bool skipped = task.ending.outcome == core::Outcome::skipped;
  if (fresh_.empty()) fresh_ = skipped ? why(task.ending.cause) : describe(task, kernel);
  if (skipped && first_skipped_.size() < first_most) {
    const core::TaskId cause = task.ending.cause;
    first_skipped_.push_back({{task.ending.task, describe(task, kernel)}, {cause, why(cause)}});
  }
  if (skipped || lines_.size() >= lines_most) return;
  std::string line = describe(task, kernel);
  const bool own_failure = task.ending.outcome != core::Outcome::cancelled;
  if (own_failure && first_.size() < first_most) first_.push_back({task.ending.task, line});
  lines_.emplace(task.ending.task.value(), std::move(line));
}

std::string FailureLog::take_report(std::uint64_t not_done) {
  const std::uint64_t fresh = not_done - std::exchange(reported_, not_done);
  if (fresh == 0) return {};
  const std::string first = std::exchange(fresh_, {});
  return fresh == 1 ? first : first + " (and " + std::to_string(fresh - 1) + " more)";
}

std::string FailureLog::why(core::TaskId cause) const {
  const auto line = lines_.find(cause.value());
  return line != lines_.end() ? line->second : "task " + std::to_string(cause.value()) + " failed";
}

}  // namespace penstock::frontend
