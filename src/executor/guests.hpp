/// Tasks that bring their own threads: a gang. As many workers as the task has cores are parked, each by a job of the
/// gang's, while a guest, a thread outside the team, runs the task's body. Guests are kept between tasks, as is what
/// their bodies keep for them: OpenMP keeps a pool of threads for each.
///
/// Gangs assemble one at a time, in the order in which they were begun, by jobs that pass all others: once its turn has
/// come, a gang waits for no more than each worker's present job, and two gangs never wait for each other's workers. A
/// gang that waits for its turn holds no worker.
///
/// A body that waits for other jobs steps aside: its workers give their lanes away until it has waited, and then take
/// them back, which is a turn like that of a gang that assembles.
///
/// Any thread begins a gang; the team's workers do the rest. The owner is the team's Workers; the destructor ends and
/// joins the guests.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "executor/job.hpp"

namespace penstock::executor {

class Guests;
class Workers;

/// One task for a guest. Its owner's, from begin() to finish().
class Gang {
 public:
  Gang(const Gang&) = delete;
  Gang& operator=(const Gang&) = delete;
  virtual ~Gang() = default;

  [[nodiscard]] int cores() const { return static_cast<int>(joins_.size()); }

 protected:
  /// For so many cores, the workers of the team at most.
  explicit Gang(int cores) : joins_(static_cast<std::size_t>(cores)) {}

 private:
  friend class Guests;

  /// On one of the parked workers, once all are there. False: there is nothing to run.
  virtual bool prepare(Worker& worker) = 0;
  /// The body, on a guest. Must not throw.
  virtual void run() = 0;
  /// Instead of run(), on the worker that prepared it: the system gives no thread, and why.
  virtual void refuse(const std::string& why) = 0;
  /// On each worker that was parked, when the body has ended; `index` counts them.
  virtual void unpark(Worker& worker, int index) = 0;
  /// After the last unpark(), on that worker. Nothing of the gang is used afterwards.
  virtual void finish(Worker& worker) = 0;

  struct Join {
    Job job;  // first: it is found by it
    Gang* gang = nullptr;
  };
  enum class State : std::uint8_t { waits, assembles, runs, is_aside, ended };

  std::vector<Join> joins_;
  Guests* guests_ = nullptr;
  // Guarded by the mutex of Guests.
  State state_ = State::waits;
  int parked_ = 0;
  int aside_ = 0;              // of these, without their lanes, or without hope to give them away
  int left_ = 0;               // joins that have not returned
  int chain_ = 0;              // of the worker that began it
  std::string why_not_aside_;  // of a worker that could not give its lane away
  std::condition_variable is_complete_;
  std::condition_variable changed_;     // for those that are parked: state_
  std::condition_variable has_parted_;  // for the guest: aside_
};

class Guests {
 public:
  /// `enter` is called by a guest, before it runs a task on another number of cores than the one before.
  Guests(Workers& workers, std::function<void(int cores)> enter) : workers_(workers), enter_(std::move(enter)) {}
  Guests(const Guests&) = delete;
  Guests& operator=(const Guests&) = delete;
  /// All gangs must have ended.
  ~Guests();

  /// Returns at once.
  void begin(Gang& gang);
  /// A worker has gone home, and its core is free.
  void leave();

  /// Whether the calling thread is a guest of these that runs a body.
  [[nodiscard]] bool runs_here() const { return running_ != nullptr && running_->guests_ == this; }
  /// The calling guest is about to wait: its workers go away. Throws Error (environment) when they cannot.
  Gang& step_aside();
  /// It has waited: returns when its workers are parked again.
  void step_back(Gang& gang);

 private:
  using Lock = std::unique_lock<std::mutex>;
  struct Guest {
    int cores = 0;
    Gang* gang = nullptr;  ///< that it is to run; null: it is idle
    std::condition_variable called;
    std::thread thread;
  };

  void assemble_next(Lock& lock);
  static void join(Job& job, Worker& worker);
  void free_turn(Lock& lock);
  void park(Gang& gang, Worker& worker);
  void await_end(Gang& gang, Lock& lock);
  void part_with_lane(Gang& gang, Lock& lock);
  void call_back(Gang& gang, Lock& lock);
  void let_go(Gang& gang, Worker& worker, int index);
  void lead(Gang& gang, Worker& worker, Lock& lock);
  [[nodiscard]] bool is_complete(const Gang& gang) const { return gang.parked_ + gone_ >= gang.cores(); }
  [[nodiscard]] bool call_guest(Gang& gang);
  [[nodiscard]] Guest* idle_of(int cores);
  Guest& make();
  void live(Guest& guest);

  static thread_local Gang* running_;

  Workers& workers_;
  const std::function<void(int cores)> enter_;

  std::mutex mutex_;  ///< guards what follows, and what gangs and guests say
  std::deque<Gang*> waiting_;
  Gang* assembling_ = nullptr;  ///< or being called back: it has the turn
  int returning_ = 0;           ///< gangs that want the turn to be called back; they go first
  std::condition_variable turn_is_free_;
  int gone_ = 0;  ///< workers that went home
  std::vector<std::unique_ptr<Guest>> guests_;
  std::vector<Guest*> idle_;  ///< the last that came at the end
  bool ended_ = false;
};

}  // namespace penstock::executor
