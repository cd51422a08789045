/// One order of submissions on a rank: takes tasks, finds out from the order what they follow, and bounds how many are
/// in flight. The domain of a program that runs on one rank is one.
///
/// Threads: any thread that is no worker may call; a mutex orders their calls. Waiting for room, for a version or for
/// all tasks blocks the caller and holds no mutex.
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
#include <vector>

#include <penstock/error.hpp>
#include <penstock/types.hpp>

#include "core/outcome.hpp"
#include "engine/engine.hpp"
#include "engine/generations.hpp"
#include "graph/domain.hpp"

namespace penstock::engine {

/// A task as it is submitted; already checked against its kernel. Borrowed for the call.
struct Submission {
  core::KernelId kernel;
  std::uint16_t cores = 1;
  std::int32_t priority = 0;
  std::span<const graph::Access> accesses;  ///< 255 at most
  std::span<const std::byte> parameters;    ///< encoded
  Place place;
  std::string_view name = {};
};

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
    bool serial = false;  ///< every task runs inside submit(), in order
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
  void release_data(core::DataId data);
  /// The version that the datum's first write makes.
  [[nodiscard]] core::Version first_version(core::DataId data) const;

  /// Waits while the window is full, otherwise returns at once. Throws Error (invalid_argument) for a read of a datum
  /// that was never written and for two writes of one datum; Error (interrupted) once closed.
  core::TaskId submit(const Submission& submission);

  /// The datum's version as of now stays, with its memory, until unpin(). Throws Error (invalid_argument) when nothing
  /// has written it. A pin for a view keeps tasks that read and write the datum from taking the memory over.
  [[nodiscard]] Version& pin(core::DataId data, bool for_view);
  void unpin(Version& version, bool for_view);
  /// Until the pinned version is made; its cause then says whether it could be. False: it was not made by the deadline,
  /// or the domain was cancelled before.
  [[nodiscard]] bool wait_for(Version& version, std::optional<Deadline> deadline = std::nullopt);
  /// Until no task is in flight.
  void drain();

  /// From now on submit() throws.
  void close();
  /// Tasks that have not begun end as cancelled.
  void cancel() { cancelled_.store(true, std::memory_order_relaxed); }

  struct InFlight {
    std::uint64_t tasks = 0;
    std::int64_t bytes = 0;
  };
  /// Any thread; what ends meanwhile may still be counted.
  [[nodiscard]] InFlight in_flight() const;
  [[nodiscard]] std::uint64_t submitted() const { return submitted_.load(std::memory_order_relaxed); }

  // For the engine.

  [[nodiscard]] Engine& engine() { return engine_; }
  [[nodiscard]] bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
  void tell(const NotDone& task) const { options_.not_done(task); }
  /// A task of this generation, all of whose results can be seen, has ended on the lane of this number.
  void count_end(std::size_t generation, std::int64_t bytes, std::size_t lane);
  /// A worker wants what is held back; unless it may wait, only if no other thread is in here.
  void hand_over(bool may_wait);
  /// A worker has run out of tasks.
  void notify_waits();

 private:
  using Lock = std::unique_lock<std::mutex>;
  /// Counters of one lane: written by it alone. Release at each end, so that who sees the count sees the results.
  struct alignas(64) Ended {
    std::array<std::atomic<std::uint64_t>, 2> tasks{};  ///< by generation
    std::atomic<std::int64_t> bytes{0};
  };

  static constexpr std::size_t chunk = 256;
  [[nodiscard]] Datum& datum_of(core::DataId data) { return chunks_[data.value() / chunk][data.value() % chunk]; }
  [[nodiscard]] const Datum& datum_of(core::DataId data) const {
    return chunks_[data.value() / chunk][data.value() % chunk];
  }
  void add_chunk();
  void wait_for_room(Lock& lock);
  [[nodiscard]] bool below(std::uint64_t quarters) const;
  template <class Ready>
  void wait_until(const Ready& ready);
  void check(const Submission& submission) const;
  [[nodiscard]] Task& make(const Submission& submission);
  [[nodiscard]] std::int32_t stamp(Task& task, std::span<const graph::Access> accesses);
  [[nodiscard]] core::AccessKind kind_of(const Datum& datum, std::size_t index,
                                         std::span<const graph::Access> accesses) const;
  [[nodiscard]] static bool follows_producer(Datum& datum, Access& access);
  void succeed(Datum& datum, Access& access);
  void begin(Task& task, std::int32_t predecessors);
  [[nodiscard]] bool may_hold_back();
  void start_ready();
  void turn_generation();
  [[nodiscard]] std::uint64_t ended(std::size_t generation) const;

  // What workers read at every task, apart from what submissions write.
  Engine& engine_;
  const Options options_;
  const std::unique_ptr<Ended[]> ended_;  // by lane
  std::atomic<bool> cancelled_{false};    // orders nothing: a task may start just after the cancel
  // Threads that wait for tasks to end. All changes are acquire-release, a worker's look before it sleeps is one too:
  // it sees who waits, or who comes to wait sees all that it has ended.
  std::atomic<int> waiting_{0};
  std::atomic<int> waiting_for_room_{0};  // of these; a hint for workers that are busy

  alignas(64) mutable std::mutex mutex_;          // guards what follows
  std::atomic<std::uint64_t> submitted_{0};       // read without it; orders nothing
  std::atomic<std::int64_t> submitted_bytes_{0};  // likewise
  const std::unique_ptr<Lane> lane_;
  std::vector<std::unique_ptr<Datum[]>> chunks_;  // of data, which stay in place
  std::vector<core::DataId> free_;
  Generations<Datum> generations_;
  std::uint64_t room_ = 0;       // tasks that certainly fit: those that ended are counted when it is used up
  std::int64_t room_bytes_ = 0;  // likewise
  bool closed_ = false;
  bool holds_back_ = false;  // tasks in lane_->ready

  std::recursive_mutex serial_mutex_;  // taken first, and held while a task runs, in serial mode
  std::unique_ptr<Lane> serial_lane_;  // guarded by it

  std::mutex wait_mutex_;  // guards nothing but the sleep of those that wait
  std::condition_variable ended_some_;
};

}  // namespace penstock::engine
