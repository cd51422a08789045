/// One order of submissions on a rank: takes tasks, finds out from the order what they follow, and bounds how many are
/// in flight. The domain of a program that runs on one rank is one; a task that submits tasks has one of its own, which
/// ends before the task does.
///
/// Threads: any thread may call, but submissions to a domain do not come from inside its tasks; a mutex orders the
/// calls. Waiting for room, for a version or for tasks blocks the caller and holds no mutex. A task that waits first
/// runs tasks of its own domain, which are predecessors of what it waits for, and then gives its lane to another
/// thread.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <penstock/error.hpp>
#include <penstock/types.hpp>

#include "core/outcome.hpp"
#include "engine/engine.hpp"
#include "engine/generations.hpp"
#include "engine/group.hpp"
#include "engine/resource.hpp"
#include "engine/submission.hpp"

namespace penstock::engine {

/// A task that ended otherwise than done. Borrowed for the call.
struct NotDone {
  const core::Ending& ending;
  core::KernelId kernel;
  Place place;
  std::string_view name;  ///< empty: it has none of its own
};

class Domain {
 public:
  using Deadline = std::chrono::steady_clock::time_point;

  struct Options {
    std::uint64_t window_tasks = 4096;
    std::int64_t window_bytes = std::int64_t{4} << 30;
    bool renames = true;  ///< a pure write makes a new buffer; false: it waits for the readers of the old one
    /// Beyond so many bytes of data on this rank pure writes wait for old readers too, rather than take new memory.
    std::size_t renaming_bytes = std::size_t{1} << 40;
    bool serial = false;         ///< every task runs inside submit(), in order
    std::uint64_t first_id = 1;  ///< of its tasks, which count on from there
    bool of_task = false;        ///< the domain of a task, which the calling thread runs and which alone submits
    /// Called from the thread that ran the task, several at once, before anybody learns of the end. Must not throw.
    std::function<void(const NotDone&)> not_done;
    /// Called about ten times a second by a thread that waits in here. Must not throw.
    std::function<void()> while_waiting;
  };
  Domain(Engine& engine, Options options);
  Domain(const Domain&) = delete;
  Domain& operator=(const Domain&) = delete;
  /// No task may be in flight and no version pinned.
  ~Domain();

  [[nodiscard]] core::DataId add_data(const ArrayType& type);
  /// Data in memory of somebody who outlives the domain, where all its versions are made, one after another: a write
  /// waits for the readers of the version before, and for views of it.
  [[nodiscard]] core::DataId add_borrowed(const ArrayType& type, std::byte* bytes, bool read_only);
  /// A group of tasks; its holder ends with let_go(), before the domain ends.
  [[nodiscard]] Group* add_group() { return new Group(this); }
  /// Something limited that tasks use; it lives as long as the domain.
  [[nodiscard]] Resource* add_resource(std::int64_t amount);
  void release_data(core::DataId data);
  /// The version that the datum's first write makes.
  [[nodiscard]] core::Version first_version(core::DataId data) const;
  [[nodiscard]] Standing standing(core::DataId data) const;

  /// Waits while the window is full, otherwise returns at once. Throws Error (invalid_argument) for a read of a datum
  /// that was never written, for two writes of one datum, for more of a resource than there is, and inside a task of
  /// this domain; Error (interrupted) once closed.
  core::TaskId submit(const Submission& submission);

  /// The datum's version as of now stays, with its memory, until unpin(). Throws Error (invalid_argument) when nothing
  /// has written it. A pin for a view keeps tasks that read and write the datum from taking the memory over.
  [[nodiscard]] Version& pin(core::DataId data, bool for_view);
  void unpin(Version& version, bool for_view);
  /// Until the pinned version is made; its cause then says whether it could be. False: it was not made by the deadline,
  /// or the domain was cancelled before. Throws Error (invalid_argument) where that would be a wait for the calling
  /// task itself, or for a view that it holds.
  [[nodiscard]] bool wait_for(Version& version, std::optional<Deadline> deadline = std::nullopt);
  /// Until no task is in flight, or none of the group's; false: some were at the deadline. Throws Error
  /// (invalid_argument) inside a task of this domain.
  bool drain(std::optional<Deadline> deadline = std::nullopt);
  bool wait_for(const Group& group, std::optional<Deadline> deadline = std::nullopt);

  /// From now on submit() throws.
  void close();
  /// Throws Error (invalid_argument) inside a task of this domain.
  void refuse_inside(const char* call) const {
    if (parent_ != Engine::current()) refuse_inside_another(call);
  }
  /// Tasks that have not begun end as cancelled.
  void cancel() {
    engine_.note_cancel();
    cancelled_.store(true, std::memory_order_relaxed);
  }
  /// Those of the group, and its later ones.
  void cancel(Group& group) {
    engine_.note_cancel();
    group.cancel();
  }
  /// The task, if it has not begun, ends as cancelled.
  void cancel(core::TaskId task);

  struct InFlight {
    std::uint64_t tasks = 0;
    std::int64_t bytes = 0;
  };
  /// Any thread; what ends meanwhile may still be counted.
  [[nodiscard]] InFlight in_flight() const;
  /// What was run on threads of the program.
  [[nodiscard]] Engine::Statistics run_here() const;
  [[nodiscard]] std::uint64_t submitted() const {
    return submitted_.load(std::memory_order_relaxed) - internal_.load(std::memory_order_relaxed);
  }

  // For the engine.

  [[nodiscard]] Engine& engine() { return engine_; }
  [[nodiscard]] bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
  /// Whether the task should not begin, or may stop.
  [[nodiscard]] bool cancelled(const Task& task) const;
  /// The task to which the domain belongs; null: the program's.
  [[nodiscard]] Task* parent() const { return parent_; }
  [[nodiscard]] bool serial() const { return options_.serial; }
  void tell(const NotDone& task) const { options_.not_done(task); }
  /// A task of this group and generation, all of whose results can be seen, has ended on the lane of this number.
  void count_end(Group& group, std::size_t generation, std::int64_t bytes, std::size_t lane);
  /// Whether a ready task is best run by the thread that submits.
  [[nodiscard]] bool runs_here(const Task& task) const;
  /// Whether a worker that has just run a short task had better give what it released back than run it.
  [[nodiscard]] bool takes_back(Lane& lane);
  void take_back(std::vector<executor::Job*>& jobs);
  /// What was taken back, and not run since, goes to the workers after all.
  void push_returned();
  /// A worker would take what is held back: it is pushed, if no other thread is in here and runs it itself.
  void offer();
  /// A worker has run out of tasks: what is held back is pushed, and who waits is told. True: tasks were run in here
  /// since the last call, and nothing was pushed.
  [[nodiscard]] bool on_idle();

 private:
  using Lock = std::unique_lock<std::mutex>;
  /// Counters of one lane: written by it alone. Release at each end, so that who sees the count sees the results.
  struct alignas(64) Ended {
    std::array<std::atomic<std::uint64_t>, 2> tasks{};  ///< by generation
    std::atomic<std::int64_t> bytes{0};
  };
  /// A lock that one thread at a time has, and nobody waits for; who takes it holds another that all takers hold.
  class TryLock {
   public:
    [[nodiscard]] bool is_taken() const { return taken_.load(std::memory_order_acquire); }  // what was done is seen
    void take() { taken_.store(true, std::memory_order_relaxed); }
    void give_back() { taken_.store(false, std::memory_order_release); }

   private:
    std::atomic<bool> taken_{false};
  };

  static constexpr std::size_t chunk = 256;
  [[nodiscard]] Datum& datum_of(core::DataId data) { return chunks_[data.value() / chunk][data.value() % chunk]; }
  [[nodiscard]] const Datum& datum_of(core::DataId data) const {
    return chunks_[data.value() / chunk][data.value() % chunk];
  }
  void add_chunk();
  void refuse_inside_another(const char* call) const;
  void take_room(Lock& lock) {
    if (room_ == 0 || room_bytes_ <= 0) wait_for_room(lock);
    --room_;
  }
  void wait_for_room(Lock& lock);
  void run_serially(Task& task);
  [[nodiscard]] bool cancels(const Task& task) const;
  [[nodiscard]] bool below(std::uint64_t quarters) const;
  bool wait_until(const std::function<bool()>& ready, std::optional<Deadline> deadline = std::nullopt);
  bool wait_for_tasks(const char* call, const std::function<bool()>& ready, std::optional<Deadline> deadline);
  [[nodiscard]] bool check(const Submission& submission) const;
  void refuse_own(const Version& version) const;
  void settle(std::span<const graph::Access> accesses, const Place& place);
  void settle(Datum& datum, const Place& place);
  void pass_on(Datum& datum, const Place& place);
  [[nodiscard]] Task& make(const Submission& submission, Lane& lane, bool internal = false);
  void submit_now(Task& task, std::span<const graph::Access> accesses);
  [[nodiscard]] std::int32_t stamp(Task& task, std::span<const graph::Access> accesses);
  [[nodiscard]] core::AccessKind kind_of(const Datum& datum, std::size_t index,
                                         std::span<const graph::Access> accesses) const;
  [[nodiscard]] static bool follows_producer(Datum& datum, Access& access);
  void succeed(Datum& datum, Access& access);
  void count_version(Datum& datum, Version& next);
  [[nodiscard]] bool can_run_at_once(const Submission& submission) const;
  [[nodiscard]] static bool is_unused(const Datum& datum);
  core::TaskId run_at_once(const Submission& submission, Lock& lock);
  void renew(Datum& datum, Access& access);
  void look_at_times();
  void begin(Task& task, std::int32_t predecessors);
  void dispatch(Lock& lock);
  void dispatch_in_task();
  [[nodiscard]] bool may_hold_back();
  void start_ready();
  void forget_held();
  void run_held(Lock& lock);
  void run_held_on(executor::Worker& worker, Lock& lock);
  void look_after_held(Lock& lock);
  void hold_returned();
  void notify_waits();
  void turn_generation();
  [[nodiscard]] std::uint64_t ended(std::size_t generation) const;

  // What workers read at every task, apart from what submissions write.
  Engine& engine_;
  const Options options_;
  const bool may_run_at_once_;  // tasks, as far as the options say
  Task* const parent_;
  Group all_;                                // the tasks that are in no other group; not counted there
  const std::unique_ptr<Ended[]> ended_;     // by lane
  std::atomic<bool> cancelled_{false};       // orders nothing: a task may start just after the cancel
  std::atomic<bool> some_cancelled_{false};  // tasks; likewise
  // Threads that wait for tasks to end. All changes are acquire-release, a worker's look before it sleeps is one too:
  // it sees who waits, or who comes to wait sees all that it has ended.
  std::atomic<int> waiting_{0};
  std::atomic<int> waiting_for_room_{0};  // of these; a hint for workers that are busy

  alignas(64) mutable std::mutex mutex_;          // guards what follows
  std::atomic<std::uint64_t> submitted_{0};       // read without it; orders nothing
  std::atomic<std::uint64_t> internal_{0};        // of these; likewise
  std::atomic<std::int64_t> submitted_bytes_{0};  // likewise
  const std::unique_ptr<Lane> lane_;
  std::vector<std::unique_ptr<Datum[]>> chunks_;  // of data, which stay in place
  std::vector<core::DataId> free_;
  Generations<Datum> generations_;
  std::vector<std::unique_ptr<Resource>> resources_;
  std::uint64_t room_ = 0;       // tasks that certainly fit: those that ended are counted when it is used up
  std::int64_t room_bytes_ = 0;  // likewise
  bool closed_ = false;
  bool holds_back_ = false;        // tasks in lane_->ready
  bool all_short_ = true;          // what lane_->ready holds is
  std::size_t judged_ = 0;         // of lane_->ready: all_short_ covers these
  std::uint64_t held_for_ = 0;     // submissions and the like
  std::uint64_t bursts_ = 0;       // of tasks that were run in here, be it one
  std::uint64_t bursts_seen_ = 0;  // by a worker that was idle

  TryLock here_;                        // taken under mutex_, and kept without it; guards what follows
  std::vector<executor::Job*> burst_;   // being run, in this order
  std::vector<executor::Job*> others_;  // that these released, and that are not to be run here
  std::unique_ptr<Lane> burst_lane_;
  std::uint64_t run_at_once_ = 0;  // tasks
  std::int64_t looked_at_ns_ = 0;  // when the last 128 of them began

  alignas(64) std::mutex returned_mutex_;  // guards what follows
  std::vector<executor::Job*> returned_;   // ready, by workers
  std::atomic<bool> has_returned_{false};  // a hint without the mutex: who gives back asks again before it sleeps

  std::recursive_mutex serial_mutex_;  // taken first, and held while a task runs, in serial mode
  std::unique_ptr<Lane> serial_lane_;  // guarded by it

  mutable std::mutex cancelled_mutex_;  // guards what follows
  std::unordered_set<std::uint64_t> cancelled_tasks_;

  std::mutex wait_mutex_;  // guards what follows, and the sleep of those that wait
  std::vector<const std::function<bool()>*> awaited_;
  std::condition_variable ended_some_;
};

}  // namespace penstock::engine
