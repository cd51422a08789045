/// When a wait for some time ends.
#pragma once

#include <chrono>

namespace penstock::detail {

/// So much later than now; the end of time where the clock cannot say when that is.
template <class Rep, class Period>
std::chrono::steady_clock::time_point deadline_after(std::chrono::duration<Rep, Period> time) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point now = Clock::now();
  const std::chrono::duration<double> left = Clock::time_point::max() - now;
  if (std::chrono::duration<double>(time) >= left) return Clock::time_point::max();
  return now + std::chrono::duration_cast<Clock::duration>(time);
}

}  // namespace penstock::detail
