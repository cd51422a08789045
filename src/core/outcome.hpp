/// How attempts end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/ids.hpp"

namespace penstock::core {

/// How an attempt ended. The numbers are part of the wire format.
enum class Outcome : std::uint8_t {
  done = 0,       ///< the body returned
  failed = 1,     ///< the body threw, or its data could not be had
  timed_out = 2,  ///< it ran longer than allowed
  cancelled = 3,  ///< it was not started, because the run was cancelled
  lost = 4,       ///< its rank or its data were lost
  skipped = 5,    ///< something it reads could not be made
};

constexpr std::string_view name_of(Outcome outcome) {
  constexpr std::string_view names[] = {"done", "failed", "timed out", "cancelled", "lost", "skipped"};
  return names[static_cast<std::size_t>(outcome)];
}

/// How one task ended, with the cause when it did not end well.
struct Ending {
  TaskId task;
  Attempt attempt;
  Outcome outcome = Outcome::done;
  RankId rank = no_rank;
  DeviceId device;
  TaskId cause;         ///< skipped: the task that failed
  std::string message;  ///< failed: what the body said
};

}  // namespace penstock::core
