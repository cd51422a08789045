/// Lets any thread end the sleep of one: a driver waits, workers and peers ring. A ring is remembered until the next
/// wait takes it, so none is lost; several rings before a wait are one.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace penstock::transport {

class Doorbell {
 public:
  /// Any thread; cheap when it was rung already.
  void ring();
  /// Sleeps until rung or until `limit` is over; true when it was rung. One thread at a time.
  bool wait(std::chrono::nanoseconds limit);

 private:
  std::atomic<bool> rung_{false};
  std::mutex mutex_;  ///< held between setting rung_ and notifying, so that a wait cannot miss a ring; guards no data
  std::condition_variable bell_;
};

}  // namespace penstock::transport
