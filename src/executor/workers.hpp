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

/// A worker as its jobs see it. Its thread's alone.
struct Worker {
  Workers* team = nullptr;
  int lane = 0;
  std::int64_t now_ns = 0;  ///< end of the job before, when this one follows at once; 0: look at the clock
  Job* next = nullptr;      ///< to run next, released by the job before it
  int chain = 0;            ///< jobs run from `next` in a row
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

  /// How many there are, before any of them works. `spins`: each has a core, and may look around before it sleeps.
  void open(int lanes, bool spins);
  [[nodiscard]] int lanes() const { return lanes_; }

  /// Takes jobs that may run; returns at once. Any thread, from inside jobs too; there is no order between jobs but
  /// their priorities.
  void push(std::span<Job* const> jobs);
  /// The same, but the calling worker keeps none for itself.
  void share(std::span<Job* const> jobs) {
    if (!jobs.empty()) pool_.push(jobs);
  }
  /// Called too, from now on, by a worker that is about to sleep. Once, by one thread.
  void also_when_idle(std::function<void()> idle);
  /// What the calling thread is, if it is a worker of this team, else null.
  [[nodiscard]] Worker* current() const { return current_ != nullptr && current_->team == this ? current_ : nullptr; }
  [[nodiscard]] std::size_t waiting() const { return pool_.waiting(); }

  /// Runs jobs until close() was called and none is left. One thread for each lane.
  void work(int lane);
  void close() { pool_.close(); }

 private:
  Job* take(Worker& worker);
  bool wait_for_jobs(Worker& worker);
  [[nodiscard]] bool spin_for_jobs(int lane) const;

  static thread_local Worker* current_;

  const std::function<void(int lane)> idle_;
  std::function<void()> also_idle_;
  std::atomic<bool> has_also_idle_{false};  ///< release once also_idle_ is there, acquire by workers
  JobPool pool_;
  int lanes_ = 0;
  bool spins_ = false;
};

}  // namespace penstock::executor
