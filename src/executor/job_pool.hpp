/// The jobs that a team of workers has not begun, and the list of those that sleep. Jobs without a priority go through
/// one shared queue, first in first out, and a LocalQueue for each worker; urgent ones (priority above 0) are looked
/// for before all of these, those of the background (below 0) after. Any thread pushes.
///
/// No wake-up is lost: a worker goes to sleep only after it has seen, under the mutex, that all queues are empty, and
/// jobs enter them only under that mutex.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "executor/local_queue.hpp"
#include "executor/ranked_queue.hpp"

namespace penstock::executor {

class JobPool {
 public:
  /// `lanes_most` workers at most; open() says how many there are, before any of them calls in. With a `seed` the jobs
  /// are given out in a random order that depends on the seed and the order of pushes alone.
  explicit JobPool(int lanes_most, std::optional<std::uint64_t> seed = std::nullopt);
  void open(int lanes);

  /// Adds a batch and wakes as many sleeping workers as it has jobs, one by one.
  void push(std::span<Job* const> batch);

  /// The next job for `lane`. Null when nothing was found.
  Job* take(int lane);
  /// Whether something waits that `lane` would take. A hint: other workers take at the same time.
  [[nodiscard]] bool has_waiting(int lane) const;
  /// Whether a worker had better come and take() than go on with what it holds, if that has priority `held`.
  [[nodiscard]] bool has_better(std::int32_t held) const { return shuffled_ || urgent_.size() > 0 || held < 0; }
  /// How many jobs wait. A hint likewise.
  [[nodiscard]] std::size_t waiting() const;

  /// Sleeps until there may be a job for `lane`. False, at once: there is none, and the pool is closed.
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

  void enqueue(Job* job);
  Job* take_ranked(RankedQueue& queue);
  Job* refill(Lane& lane);
  Job* take_any();
  Job* steal(int lane);
  [[nodiscard]] bool all_empty() const;
  Lane* take_sleepers(std::size_t most);
  static void wake(Lane* first);

  const bool shuffled_;
  std::unique_ptr<Lane[]> lanes_;
  int lane_count_ = 0;
  std::mutex mutex_;  ///< guards what follows, and the filling of the local queues
  std::deque<Job*> shared_;
  RankedQueue urgent_;
  RankedQueue background_;
  std::vector<Lane*> sleepers_;  ///< the last to fall asleep is woken first: its cache is the warmest
  bool closed_ = false;
  std::uint64_t random_state_;
  /// Size of shared_, written under the mutex. Read without it, and then only a hint: sleep() looks again.
  alignas(64) std::atomic<std::size_t> shared_count_{0};
};

}  // namespace penstock::executor
