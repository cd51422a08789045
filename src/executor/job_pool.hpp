/// The jobs that a team of workers has not begun, and the list of those that sleep. Jobs without a priority go through
/// one shared queue, first in first out, and a LocalQueue for each worker; urgent ones (priority above 0) are looked
/// for before all of these, those of the background (below 0) after. Any thread pushes.
///
/// A worker that has run dry looks around for a while, as long as it does not take a core from another worker or from
/// the program; otherwise it naps, and is not woken. Waking costs as much as many a small task.
///
/// No wake-up is lost. A worker that wants to sleep first says so, then looks once more whether all queues are empty;
/// who adds a job first adds it, then looks whether somebody sleeps; a fence in each lets one of them see the other.
/// Workers that look around count as awake: who pushes leaves jobs to them, and who stops looking wakes another if it
/// leaves a job behind.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "executor/job_ring.hpp"
#include "executor/local_queue.hpp"
#include "executor/ranked_queue.hpp"

namespace penstock::executor {

class JobPool {
 public:
  /// `lanes_most` workers at most; open() says how many there are, before any of them calls in. With a `seed` the jobs
  /// are given out in a random order that depends on the seed and the order of pushes alone.
  explicit JobPool(int lanes_most, std::optional<std::uint64_t> seed = std::nullopt);
  /// `program_has_core`: there is a core besides those of the workers.
  void open(int lanes, bool program_has_core = false);
  [[nodiscard]] bool is_shuffled() const { return shuffled_; }

  /// Adds a batch and wakes as many sleeping workers as it has jobs, but for those that look around: first those on
  /// other cores than the caller's, who goes on.
  void push(std::span<Job* const> batch);

  /// The next job for `lane`. Null when nothing was found.
  Job* take(int lane);
  /// Whether something waits that is not in another lane's queue. A hint: other workers take at the same time.
  [[nodiscard]] bool has_waiting(int lane) const;
  /// Whether some lane has taken jobs ahead. A hint likewise.
  [[nodiscard]] bool can_steal() const;
  /// Whether a worker had better come and take() than go on with what it holds, if that has priority `held`.
  [[nodiscard]] bool has_better(std::int32_t held) const { return shuffled_ || urgent_.size() > 0 || held < 0; }
  /// How many jobs wait. A hint likewise.
  [[nodiscard]] std::size_t waiting() const;

  /// A thread of the program is about to wait, and leaves its core to the workers; until it says otherwise.
  void program_rests();
  void program_works() { resting_.fetch_sub(1, std::memory_order_relaxed); }

  /// Whether the calling worker may look around before it sleeps; if so, until stop_looking().
  [[nodiscard]] bool begin_looking();
  void stop_looking();
  [[nodiscard]] bool anyone_sleeps() const { return sleeping_.load(std::memory_order_relaxed) > 0; }
  [[nodiscard]] bool anyone_looks() const { return looking_.load(std::memory_order_relaxed) > 0; }
  /// Sleeps for as long, whatever comes.
  void nap(std::chrono::nanoseconds time);
  /// Sleeps until there may be a job for `lane`, or it is called. False, at once: there is none, and the pool is
  /// closed, unless the worker `stays`.
  bool sleep(int lane, bool stays = false);
  /// Wakes the worker of `lane`, or keeps it from its next sleep. Any thread.
  void call(int lane);
  /// What `lane`, the calling worker's, has taken ahead goes back to the end of the shared queue.
  void give_back(int lane);
  /// The calling worker takes no job for now, though it may have been woken for one.
  void take_none();
  /// Lets workers go home when they find nothing more. What was pushed is still taken.
  void close();

 private:
  static constexpr std::size_t ring_capacity = 8192;  // twice the usual window

  struct alignas(64) Lane {
    LocalQueue local;
    /// 0 while its worker sleeps or is about to. Release by who wakes it; the worker waits on it.
    std::atomic<int> awake{1};
    Lane* wake_next = nullptr;  ///< of those that one thread wakes; belongs to that thread
    bool called = false;        ///< guarded by the pool's mutex
    int core = -1;              ///< on which its worker fell asleep; guarded likewise
  };

  std::size_t list(Job* job);
  Job* take_ranked(RankedQueue& queue);
  Job* refill(Lane& lane);
  Job* take_listed();
  Job* steal(int lane);
  [[nodiscard]] bool all_empty() const;
  [[nodiscard]] bool leaves_more() const;
  [[nodiscard]] bool give_up_sleep(Lane& lane);
  void wake_for(std::size_t jobs);
  std::vector<Lane*>::iterator best_sleeper();
  Lane* take_sleepers(std::size_t most);
  static void wake(Lane* first);

  const bool shuffled_;
  std::unique_ptr<Lane[]> lanes_;
  int lane_count_ = 0;
  int program_cores_ = 1;  ///< that it takes from the workers while it works
  JobRing<> ring_;
  // What workers write when they run dry, apart from what rarely changes and everybody reads.
  alignas(64) std::atomic<int> looking_{0};   ///< workers that look around
  std::atomic<int> awake_{0};                 ///< workers that neither nap nor sleep; a hint
  alignas(64) std::atomic<int> resting_{0};   ///< threads of the program that wait; a hint
  std::atomic<std::size_t> sleeping_{0};      ///< of sleepers_; see the fences
  std::atomic<std::size_t> listed_count_{0};  ///< of listed_; a hint, sleep() looks under the mutex

  alignas(64) std::mutex mutex_;  ///< guards what follows
  std::deque<Job*> listed_;       ///< what does not fit into the ring, and comes after that; all, when shuffled
  RankedQueue urgent_;
  RankedQueue background_;
  std::vector<Lane*> sleepers_;  ///< in the order in which they fell asleep
  bool closed_ = false;
  std::uint64_t random_state_;
};

}  // namespace penstock::executor
