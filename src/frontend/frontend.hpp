/// The front-end of a run, on rank 0: takes tasks in program order and waits where the program looks at a value. There
/// are two: one for a run of several ranks or with GPUs, and one for a run on the cores of one rank.
///
/// Threads: any thread of the program may call the upper half, whose tasks are then ordered as the calls were; no
/// worker may.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <penstock/error.hpp>
#include <penstock/types.hpp>

#include "core/ids.hpp"
#include "frontend/failure_log.hpp"
#include "graph/domain.hpp"
#include "trace/recorder.hpp"

namespace penstock::frontend {

/// Where commands go: to the rank's own back-end, or away through the mover. Called under the front-end's mutex.
class Delivery {
 public:
  virtual void deliver(core::RankId to, std::span<const std::byte> commands) = 0;
  /// A settled version in this rank's memory, which is pinned.
  virtual std::byte* bytes_of(core::DataId data, core::Version version) = 0;

 protected:
  ~Delivery() = default;
};

/// The bound on what is in flight: tasks submitted and not ended, and the bytes that these write.
struct Window {
  std::uint64_t tasks = 0;
  std::int64_t bytes = 0;
};

/// A task as the program or a job submits it; already checked against its kernel. Borrowed for the call.
struct Task {
  core::KernelId kernel;
  std::uint16_t cores = 1;
  std::span<const graph::Access> accesses;
  std::span<const std::byte> parameters;  ///< encoded
  Place place;
  std::string_view name = {};  ///< of the task, for messages; empty: it is called by its kernel
};

/// A version that stays in this rank's memory until unpin().
struct Pinned {
  core::DataId data;
  core::Version version;
  std::byte* bytes = nullptr;
};

class Frontend {
 public:
  virtual ~Frontend() = default;

  /// Called about ten times a second by a thread that waits in here, without a mutex: for progress and interrupts. It
  /// must not throw. Not while another thread is in here.
  void set_while_waiting(std::function<void()> while_waiting) { while_waiting_ = std::move(while_waiting); }

  [[nodiscard]] virtual core::DataId add_data(const ArrayType& type) = 0;
  virtual void release_data(core::DataId data) = 0;
  /// The version that the datum's first write makes.
  [[nodiscard]] virtual core::Version first_version(core::DataId data) const = 0;

  /// Waits while the window is full, otherwise returns at once. Throws Error (invalid_argument) for a read of a datum
  /// that was never written and for two writes of one datum; Error (lost) when the run is broken.
  void submit(const Task& task) { submit(std::span(&task, 1)); }
  /// The same for several, in order and for less; when it throws, those before the wrong one were submitted. Their ids
  /// follow each other unless another thread submits meanwhile; the first one's is returned.
  virtual core::TaskId submit(std::span<const Task> tasks) = 0;

  /// Waits for the datum's version as of now. Throws TaskError when it could not be made.
  virtual void wait(core::DataId data) = 0;
  /// Waits until no task is in flight, and throws TaskError when one failed since the last call.
  virtual void wait_all() = 0;
  /// Waits until no task is in flight; failures are in counts().
  virtual void drain() = 0;
  /// Waits for the datum's version as of now and brings it to this rank.
  [[nodiscard]] virtual Pinned bring(core::DataId data) = 0;
  virtual void unpin(const Pinned& pinned) = 0;

  /// From now on submit() throws Error (interrupted).
  virtual void close() = 0;
  /// Nothing more is started anywhere; tasks that run end as they do.
  virtual void cancel() = 0;
  /// Ends the back-ends. All tasks must have ended.
  virtual void finish() = 0;
  /// The run cannot go on (MPI failed, a peer is broken): every wait and submit throws Error (lost) from now on.
  virtual void break_off(const std::string& why) = 0;

  [[nodiscard]] virtual Counts counts() const = 0;
  /// What is in flight now.
  [[nodiscard]] virtual Window in_flight() const = 0;
  [[nodiscard]] virtual std::vector<Failure> first_failures() const = 0;
  [[nodiscard]] virtual std::vector<Skipped> first_skipped() const = 0;

  // The session's side.

  /// What tasks that never pass the back-end have done on this rank's cores.
  struct OwnWork {
    std::uint64_t tasks = 0;
    std::int64_t busy_ns = 0;
    std::size_t memory_bytes = 0;  ///< of data, now
    std::size_t record_bytes = 0;  ///< of records of tasks, at the peak
  };
  [[nodiscard]] virtual OwnWork own_work() const { return {}; }
  /// From now on these tasks are recorded too, worker i's in lane i. Before the first task; until the workers end.
  virtual void trace(trace::Recorder& /*recorder*/) {}
  /// From now on OwnWork::busy_ns is right. Before the first task.
  virtual void measure() {}
  /// One endings item, tag included. Throws Error (environment) when it is not well formed.
  virtual void on_endings(core::RankId from, std::span<const std::byte> item) = 0;
  /// Sends what submit() has kept back to make larger batches. To be called within a millisecond of any submit().
  virtual void tick() {}

 protected:
  std::function<void()> while_waiting_;
};

}  // namespace penstock::frontend
