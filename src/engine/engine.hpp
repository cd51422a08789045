/// The engine of a rank: runs the tasks of its domains on the rank's workers. What a task needs is found in its record;
/// there is no lock on the way from a task that ends to those that it releases.
///
/// Threads: run() and what it calls are on workers, each with a Lane of its own; domains call the rest under their
/// mutex, with a lane of theirs. The engine outlives its domains.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include <penstock/kernel.hpp>

#include "core/outcome.hpp"
#include "engine/kernel_times.hpp"
#include "engine/record.hpp"
#include "executor/record_pool.hpp"
#include "executor/workers.hpp"
#include "memory/buffer_cache.hpp"
#include "memory/host_pool.hpp"
#include "trace/recorder.hpp"

namespace penstock::engine {

/// What a thread that ends tasks keeps to itself.
struct alignas(64) Lane {
  Lane(executor::RecordPool<Task>& task_pool, executor::RecordPool<Version>& version_pool,
       memory::HostPool& buffer_pool)
      : tasks(task_pool), versions(version_pool), buffers(buffer_pool) {}

  executor::RecordPool<Task>::Cache tasks;
  executor::RecordPool<Version>::Cache versions;
  memory::BufferCache buffers;
  std::vector<executor::Job*> ready;     ///< released, not yet handed to the workers
  std::vector<Parameter> parameters;     ///< decoded; used again by every task
  std::uint64_t short_in_a_row = 0;      ///< tasks; see Domain::takes_back()
  std::uint64_t submitted_seen = 0;      ///< likewise
  bool gives_back = false;               ///< likewise
  bool observes_all = false;             ///< tasks, else some
  std::atomic<std::uint64_t> ran{0};     ///< tasks; a statistic, orders nothing
  std::atomic<std::int64_t> busy_ns{0};  ///< likewise
};

class Engine final : public executor::Supplier {
 public:
  /// `workers` are open, and end before the engine does; the others outlive it.
  Engine(std::span<const KernelDescription* const> kernels, executor::Workers& workers, memory::HostPool& buffers,
         std::int64_t short_ns = KernelTimes::short_ns);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// From now on what runs is recorded, worker i's in the recorder's lane i, and timed; what runs on a thread of the
  /// program in the lane after these, if that is for it. Before the first task; until the workers have ended.
  void trace(trace::Recorder& recorder, bool has_program) {
    recorder_ = &recorder;
    lanes_traced_ = lanes_.size() + (has_program ? 1 : 0);
  }
  /// From now on tasks are timed: statistics().busy_ns is right. Before the first task.
  void measure() { measured_ = true; }

  void add(Domain& domain);
  void remove(Domain& domain);

  struct Statistics {
    std::uint64_t tasks = 0;
    std::int64_t busy_ns = 0;
    void add(const Lane& lane) {
      tasks += lane.ran.load(std::memory_order_relaxed);
      busy_ns += lane.busy_ns.load(std::memory_order_relaxed);
    }
  };
  /// Of the workers.
  [[nodiscard]] Statistics statistics() const;
  /// Of the records of tasks and versions, at the peak. Any thread.
  [[nodiscard]] std::size_t record_bytes() const { return tasks_.bytes() + versions_.bytes(); }
  [[nodiscard]] executor::Workers& workers() { return workers_; }
  [[nodiscard]] const memory::HostPool& buffers() const { return buffers_; }
  [[nodiscard]] const KernelDescription& kernel(core::KernelId id) const { return *kernels_[id.value()]; }

  // For domains.

  [[nodiscard]] std::unique_ptr<Lane> new_lane() { return std::make_unique<Lane>(tasks_, versions_, buffers_); }
  /// Worker i's lane has number i; what runs a task elsewhere counts as the last.
  [[nodiscard]] std::size_t lane_numbers() const { return lanes_.size() + 1; }
  /// What a task's inputs say of it; done: it can run.
  struct Inputs {
    core::Outcome outcome = core::Outcome::done;
    core::TaskId cause;
  };
  /// Runs the task on the calling thread, which is no worker. What it releases is in lane.ready then. `now_ns` as in
  /// executor::Worker.
  void run_here(Task& task, Lane& lane, std::int64_t& now_ns) { run(task, lane, lanes_.size(), now_ns); }
  /// The same for one of which it is known that it can run.
  void run_ready(Task& task, Lane& lane) {
    std::int64_t now_ns = 0;
    run(task, Inputs(), lane, lanes_.size(), now_ns);
  }
  [[nodiscard]] KernelTimes& times() { return times_; }
  /// Something is being cancelled: from now on tasks look whether it is they.
  void note_cancel() { has_cancelled_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool has_cancelled() const { return has_cancelled_.load(std::memory_order_relaxed); }
  /// A domain has ready tasks that it has not handed over, or has no more. True: a worker is attentive, and will ask.
  [[nodiscard]] bool hold_back() {
    holding_.fetch_add(1, std::memory_order_seq_cst);
    return workers_.anyone_is_attentive();
  }
  void hold_no_more() { holding_.fetch_sub(1, std::memory_order_relaxed); }
  /// The task has no predecessor left: it is the lane's to start, unless it has to wait for what it needs besides.
  void make_ready(Task& task, Lane& lane) {
    if (!task.has_needs() || arbiter_.take(task)) lane.ready.push_back(&task.job);
  }
  [[nodiscard]] Arbiter& arbiter() { return arbiter_; }
  /// The task that the calling thread runs, the innermost one; null: none.
  [[nodiscard]] static Task* current() { return current_; }
  /// The engine that runs it; the calling thread runs one, or is a worker.
  [[nodiscard]] static Engine* here();
  /// Whether the calling thread had better not run another task inside this one.
  [[nodiscard]] static bool stack_is_deep();
  /// Hands the lane's ready tasks to the workers.
  void start_ready(Lane& lane);
  /// Takes `count` from the version's users, and with the last of them what is to be done then.
  static void drop(Version& version, std::int64_t count, Lane& lane);
  /// One release of the task.
  static void satisfy(Task& task, Lane& lane);
  static void run(executor::Job& job, executor::Worker& worker);

 private:
  [[nodiscard]] bool holds_back() const override { return holding_.load(std::memory_order_relaxed) > 0; }
  void offer() override;
  [[nodiscard]] bool idle() override;
  class GuestRun;
  class Current;
  struct Panels;
  struct Panel;
  struct Ending : Inputs {
    std::string message;
  };
  /// One execution of a task or a panel, on the rank's steady clock.
  struct Span {
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;
    int panel = 0;
    int panel_count = 1;
  };

  void run(Task& task, Lane& lane, std::size_t number, std::int64_t& now_ns);
  void run(Task& task, const Inputs& inputs, Lane& lane, std::size_t number, std::int64_t& now_ns);
  static void give_back(Lane& lane);
  void push_returned();
  void run_in_panels(Task& task, Lane& lane, std::size_t number, executor::Worker& worker);
  static void run_panel(executor::Job& job, executor::Worker& worker);
  void run_by_guest(Task& task, Lane& lane, std::size_t number, executor::Worker& worker);
  [[nodiscard]] static Inputs look_at_inputs(Task& task);
  static void prepare(Task& task, std::span<ArrayView> views, Lane& lane);
  void call_and_observe(Task& task, std::span<const ArrayView> views, Lane& lane);
  void call(Task& task, std::span<const ArrayView> views, Lane& lane, int panel, int panel_count) const;
  void end(Task& task, Ending& ending, Lane& lane, std::size_t number);
  static void tell_not_done(Task& task, Ending& ending);
  static void release(Version& version, Lane& lane);
  static void end(Version& version, Lane& lane);
  void tell(Task& task, core::Outcome outcome, Lane& lane, std::size_t number, Span span);
  [[nodiscard]] bool timed() const { return measured_ || recorder_ != nullptr; }

  static thread_local Task* current_;

  const std::span<const KernelDescription* const> kernels_;
  executor::Workers& workers_;
  memory::HostPool& buffers_;
  KernelTimes times_;
  Arbiter arbiter_;
  executor::RecordPool<Task> tasks_;
  executor::RecordPool<Version> versions_;
  std::deque<Lane> lanes_;
  trace::Recorder* recorder_ = nullptr;  // none: nothing is recorded
  std::size_t lanes_traced_ = 0;
  bool measured_ = false;
  // Domains that hold back. Said before it is looked whether a worker is attentive; who falls asleep says so, and then
  // looks whether somebody holds back: sequentially consistent, one sees the other.
  std::atomic<bool> has_cancelled_{false};  // orders nothing: a task may start just after a cancel
  alignas(64) std::atomic<int> holding_{0};

  alignas(64) std::mutex domains_mutex_;  // guards domains_
  std::vector<Domain*> domains_;
};

}  // namespace penstock::engine
