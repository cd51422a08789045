#include "frontend/failure_log.hpp"

namespace penstock::frontend {

namespace {

constexpr std::size_t first_most = 20;
constexpr std::size_t lines_most = 10'000;  // bounds the memory of a run in which everything fails

std::string describe(const cluster::EndedTask& task, std::string_view kernel) {
  const core::Ending& ending = task.ending;
  std::string line(kernel);
  if (task.place.line > 0) line += " (" + std::string(task.place.file) + ":" + std::to_string(task.place.line) + ")";
  line += ": " + std::string(name_of(ending.outcome));
  if (ending.rank != core::no_rank) {
    line += " on rank " + std::to_string(ending.rank.value()) + ", device " + std::to_string(ending.device.value()) +
            ", attempt " + std::to_string(ending.attempt.value());
  }
  if (!ending.message.empty()) line += ": " + ending.message;
  return line;
}

}  // namespace

void FailureLog::add(const cluster::EndedTask& task, std::string_view kernel) {
  const bool skipped = task.ending.outcome == core::Outcome::skipped;
  if (fresh_.empty()) fresh_ = skipped ? why(task.ending.cause) : describe(task, kernel);
  if (skipped || lines_.size() >= lines_most) return;
  std::string line = describe(task, kernel);
  const bool own_failure = task.ending.outcome != core::Outcome::cancelled;
  if (own_failure && first_.size() < first_most) first_.push_back({task.ending.task, line});
  lines_.emplace(task.ending.task.value(), std::move(line));
}

std::string FailureLog::why(core::TaskId cause) const {
  const auto line = lines_.find(cause.value());
  return line != lines_.end() ? line->second : "task " + std::to_string(cause.value()) + " failed";
}

}  // namespace penstock::frontend
