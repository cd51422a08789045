/// The work a team of workers has not begun: one shared queue, first in first out, a LocalQueue for each worker, and
/// the list of those that sleep. The CPU device's workers take from it and sleep on it; any thread pushes.
///
/// No wake-up is lost: a worker goes to sleep only after it has seen, under the mutex, that the shared queue and every
/// local queue are empty, and work enters either only under that mutex.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "device/cpu/local_queue.hpp"

namespace penstock::device {

class WorkPool {
 public:
  /// `lanes_most` workers at most; open() says how many there are, before any of them calls in.
  explicit WorkPool(int lanes_most);
  void open(int lanes);

  /// Adds a batch and wakes as many sleeping workers as it has pieces of work, one by one.
  void push(std::span<Work* const> batch);

  /// The next piece for `lane`: its own, from the shared queue, or another lane's. Null when nothing was found.
  Work* take(int lane);
  /// Whether something waits that `lane` would take. A hint: other workers take at the same time.
  [[nodiscard]] bool has_waiting(int lane) const;
  /// How many pieces wait. A hint likewise.
  [[nodiscard]] std::size_t waiting() const;

  /// Sleeps until there may be work for `lane`. False, at once: there is none, and the pool is closed.
  bool sleep(int lane);
  /// Lets workers go home when they find nothing more. What was pushed is still taken.
  void close();

 private:
  struct alignas(64) Lane {
    LocalQueue local;
    /// 0 while its worker sleeps or is about to. Release by who wakes it; the worker waits on it.
    std::atomic<int> awake{1};
    Lane* wake_next = nullptr;  ///< of those that one push() wakes; belongs to that push()
  };

  Work* refill(Lane& lane);
  Work* steal(int lane);
  [[nodiscard]] bool all_empty() const;
  Lane* take_sleepers(std::size_t most);
  static void wake(Lane* first);

  std::unique_ptr<Lane[]> lanes_;
  int lane_count_ = 0;
  std::mutex mutex_;  ///< guards shared_, sleepers_, closed_, and the filling of the local queues
  std::deque<Work*> shared_;
  std::vector<Lane*> sleepers_;  ///< the last to fall asleep is woken first: its cache is the warmest
  bool closed_ = false;
  /// Size of shared_, written under the mutex. Read without it, and then only a hint: sleep() looks again.
  alignas(64) std::atomic<std::size_t> shared_count_{0};
};

}  // namespace penstock::device
