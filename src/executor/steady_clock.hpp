/// The clock of begin_ns and end_ns: monotonic, of this machine, about 20 ns a reading. Any thread.
#pragma once

#include <chrono>

#include "core/ids.hpp"

namespace penstock::executor {

inline core::Instant steady_now() {
  const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(since_start).count()};
}

}  // namespace penstock::executor
