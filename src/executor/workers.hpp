/// The workers of a rank: what each does, whoever its thread belongs to. They take jobs from one pool and sleep when
/// there is nothing to do.
///
/// A worker that is handed jobs while it runs one keeps the first for itself and runs it next, without touching the
/// shared queue: a chain of tasks stays on its core, its data in that core's cache. After chain_most such jobs in a row
/// the chain goes to the end of the shared queue if others wait.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "executor/job.hpp"
#include "executor/job_pool.hpp"

namespace penstock::executor {

class Workers;

/// Who may keep jobs back for a moment, to hand over several at once, while some worker looks around.
class Supplier {
 public:
  /// Whether there are such jobs. Cheap.
  [[nodiscard]] virtual bool holds_back() const = 0;
  /// The calling worker wants them pushed; unless it may wait, only if that can be done at once.
  virtual void hand_over(bool may_wait) = 0;
  /// The calling worker is about to sleep.
  virtual void idle() = 0;

 protected:
  ~Supplier() = default;
};

/// A worker as its jobs see it. Its thread's alone.
struct Worker {
  Workers* team = nullptr;
  int lane = 0;
  std::int64_t now_ns = 0;  ///< end of the job before, when this one follows at once; 0: look at the clock
  Job* next = nullptr;      ///< to run next, released by the job before it
  int chain = 0;            ///< jobs run from `next` in a row
  int naps = 0;             ///< since the last job
};

class Workers {
 public:
  static constexpr int chain_most = 64;

  struct Options {
    int lanes_most = 1;
    std::function<void(int lane)> idle;  ///< called by a worker that is about to sleep; it may push
    std::optional<std::uint64_t> seed;   ///< runs jobs in a random order, which the seed fixes for one worker
  };
  explicit Workers(Options options);

  /// How many there are, and on how many cores, before any of them works.
  void open(int lanes, int cores);
  [[nodiscard]] int lanes() const { return lanes_; }

  /// Takes jobs that may run; returns at once. Any thread, from inside jobs too; there is no order between jobs but
  /// their priorities.
  void push(std::span<Job* const> jobs);
  /// The same, but the calling worker keeps none for itself.
  void share(std::span<Job* const> jobs) {
    if (!jobs.empty()) pool_.push(jobs);
  }
  /// From now on workers ask it. Once; it outlives them.
  void attach(Supplier& supplier) { supplier_.store(&supplier, std::memory_order_release); }
  /// Whether a worker looks around, and will ask its supplier soon. A hint, but for who says first that it holds back.
  [[nodiscard]] bool anyone_looks() const { return pool_.anyone_looks(); }
  /// A thread of the program that waits leaves its core to the workers. It is none of them.
  class Rest {
   public:
    explicit Rest(Workers& workers) : workers_(workers) { workers_.pool_.program_rests(); }
    Rest(const Rest&) = delete;
    Rest& operator=(const Rest&) = delete;
    ~Rest() { workers_.pool_.program_works(); }

   private:
    Workers& workers_;
  };
  /// What the calling thread is, if it is a worker of this team, else null.
  [[nodiscard]] Worker* current() const { return current_ != nullptr && current_->team == this ? current_ : nullptr; }
  /// Whether the calling thread is a worker of any team: it must not wait for what workers do.
  [[nodiscard]] static bool is_worker() { return current_ != nullptr; }
  [[nodiscard]] std::size_t waiting() const { return pool_.waiting(); }

  /// Runs jobs until close() was called and none is left. One thread for each lane.
  void work(int lane);
  void close() { pool_.close(); }

 private:
  Job* take(Worker& worker);
  bool wait_for_jobs(Worker& worker);
  [[nodiscard]] bool look_around(int lane);

  static thread_local Worker* current_;

  const std::function<void(int lane)> idle_;
  std::atomic<Supplier*> supplier_{nullptr};  ///< release once it is there, acquire by workers
  JobPool pool_;
  int lanes_ = 0;
  bool spins_ = false;
};

}  // namespace penstock::executor
