/// The workers of a rank: what each does, whoever its thread belongs to. They take jobs from one pool and sleep when
/// there is nothing to do.
///
/// A worker that is handed jobs while it runs one keeps the first for itself and runs it next, without touching the
/// shared queue: a chain of tasks stays on its core, its data in that core's cache. After chain_most such jobs in a row
/// the chain goes to the end of the shared queue if others wait.
///
/// A job that waits for other jobs gives its worker's lane away meanwhile: see Away. So a lane may have several
/// threads, of which one works; what is the lane's, is that one's.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "executor/guests.hpp"
#include "executor/job.hpp"
#include "executor/job_pool.hpp"
#include "executor/seat.hpp"
#include "executor/substitutes.hpp"

namespace penstock::executor {

class Workers;

/// Who may keep jobs back for a moment, to hand over several at once or to run them itself, while some worker is
/// attentive: it will ask before it sleeps.
class Supplier {
 public:
  /// Whether there are such jobs. Cheap.
  [[nodiscard]] virtual bool holds_back() const = 0;
  /// The calling worker looks around and would take them: they are pushed, if they are not being run where they are.
  virtual void offer() = 0;
  /// The calling worker is about to sleep. They are pushed, unless they have been run where they are since the last
  /// call: then true, and the worker should ask again soon. Also tells those who wait for jobs to end.
  [[nodiscard]] virtual bool idle() = 0;

 protected:
  ~Supplier() = default;
};

/// A worker as its jobs see it: one for each lane. It belongs to the thread that works on the lane.
struct Worker {
  Workers* team = nullptr;
  int lane = 0;
  std::int64_t now_ns = 0;  ///< end of the job before, when this one follows at once; 0: look at the clock
  Job* next = nullptr;      ///< to run next, released by the job before it
  int chain = 0;            ///< jobs run from `next` in a row
  int naps = 0;             ///< since the last job
  int away = 0;             ///< threads that gave the lane away and do not have it back
};

class Workers {
 public:
  static constexpr int chain_most = 64;

  struct Options {
    int lanes_most = 1;
    std::function<void(int lane)> idle;   ///< called by a worker that is about to sleep; it may push
    std::optional<std::uint64_t> seed;    ///< runs jobs in a random order, which the seed fixes for one worker
    std::size_t substitutes_most = 1000;  ///< jobs that may be away at once
    /// Called by a spare thread when it begins to work on a lane, other than its last.
    std::function<void(int lane)> on_substitute = [](int /*lane*/) {};
    std::function<void(int cores)> on_guest = [](int /*cores*/) {};  ///< see Guests
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
  /// A task that brings its own threads; returns at once. From inside a job, any thread.
  void begin(Gang& gang) { guests_.begin(gang); }
  /// From now on workers ask it. Once; it outlives them.
  void attach(Supplier& supplier) { supplier_.store(&supplier, std::memory_order_release); }
  /// Whether a worker looks around, and will take what it is offered at once. A hint.
  [[nodiscard]] bool anyone_looks() const { return pool_.anyone_looks(); }
  [[nodiscard]] bool anyone_sleeps() const { return pool_.anyone_sleeps(); }
  /// Whether a worker will call its supplier's idle() before it sleeps. To be asked after it was said that jobs are
  /// held back: who falls asleep says so before it looks for these. Both are sequentially consistent, so one sees the
  /// other.
  [[nodiscard]] bool anyone_is_attentive() const { return attentive_.load(std::memory_order_seq_cst) > 0; }
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
  /// A job that waits, for other jobs too, gives its worker's lane away as long as this lives: a spare thread, or one
  /// that wants the lane back, goes on there with what the worker was to run next. The end of its life waits until the
  /// lane is free again, between two jobs; those that want it back get it in the order of their wishes.
  ///
  /// Made on a thread that is_at_work(), one at a time. Meanwhile the thread is no current() worker: it must not touch
  /// what is the lane's, and what it pushes is shared. Throws Error (environment) when too many are away at once.
  class Away {
   public:
    explicit Away(Workers& workers);
    Away(const Away&) = delete;
    Away& operator=(const Away&) = delete;
    ~Away();

   private:
    Workers& workers_;
    Worker* const worker_;  // null: it is a guest, for whom several workers give their lanes away
    Gang* gang_ = nullptr;
  };
  /// How many lanes are worked on by spare threads. A hint.
  [[nodiscard]] std::size_t substitutes() const { return substitutes_.busy(); }
  /// What the calling thread is, if it is a worker of this team, else null.
  [[nodiscard]] Worker* current() const { return current_ != nullptr && current_->team == this ? current_ : nullptr; }
  /// Of the team of which the calling thread is a current() worker; null: there is none.
  [[nodiscard]] static Supplier* supplier_here() {
    return current_ != nullptr ? current_->team->supplier_.load(std::memory_order_acquire) : nullptr;
  }
  /// Whether the calling thread runs a job of this team, as a worker or as a guest, and so may go away.
  [[nodiscard]] bool is_at_work() const { return current() != nullptr || guests_.runs_here(); }
  /// Whether the calling thread is a worker of any team, or stands in for some: it must not wait for what workers do.
  [[nodiscard]] static bool is_worker() { return is_worker_; }
  /// Whether jobs run in a random order.
  [[nodiscard]] bool is_shuffled() const { return pool_.is_shuffled(); }
  [[nodiscard]] std::size_t waiting() const { return pool_.waiting(); }

  /// Runs jobs until close() was called, none is left and none is away. One thread for each lane.
  void work(int lane);
  void close() { pool_.close(); }

 private:
  friend class Guests;

  /// A thread's place at work.
  struct alignas(64) Place {
    Worker worker;
    Seat seat;
  };
  [[nodiscard]] Place& place(int lane) { return places_[static_cast<std::size_t>(lane)]; }
  void work_as_substitute(int lane);
  [[nodiscard]] bool run_jobs(Place& place);
  void give_away(Place& place);
  void pass(Place& place);
  void take_back(Place& place);
  void prepare_to_park(Worker& worker);
  Job* take(Worker& worker);
  bool wait_for_jobs(Worker& worker);
  [[nodiscard]] bool ask_supplier();
  [[nodiscard]] bool look_around(int lane);

  static thread_local Worker* current_;
  static thread_local bool is_worker_;

  const std::function<void(int lane)> idle_;
  std::atomic<Supplier*> supplier_{nullptr};  ///< release once it is there, acquire by workers
  std::atomic<int> attentive_{0};             ///< workers that do not sleep; see anyone_is_attentive()
  JobPool pool_;
  int lanes_ = 0;
  bool spins_ = false;
  const std::unique_ptr<Place[]> places_;
  Substitutes substitutes_;  // their threads use what is above
  Guests guests_;
};

}  // namespace penstock::executor
