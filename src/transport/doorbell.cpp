#include "transport/doorbell.hpp"

#include <algorithm>

namespace penstock::transport {

void Doorbell::ring() {
  if (rung_.exchange(true)) return;
  { const std::lock_guard lock(mutex_); }
  bell_.notify_one();
}

bool Doorbell::wait(std::chrono::nanoseconds limit) {
  // A limit of centuries would overflow the clock's time point.
  const auto bounded = std::min<std::chrono::nanoseconds>(limit, std::chrono::hours(1));
  if (bounded.count() > 0 && !rung_.load()) {
    std::unique_lock lock(mutex_);
    bell_.wait_for(lock, bounded, [this] { return rung_.load(); });
  }
  // An exchange, not a store: it sees what a ring that came just now announces.
  return rung_.exchange(false);
}

}  // namespace penstock::transport
