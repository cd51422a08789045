/// The front-end of a run, on rank 0: takes tasks in program order and waits where the program looks at a value. There
/// are two: one for a run of several ranks or with GPUs, and one for a run on the cores of one rank.
///
/// Threads: any thread of the program may call the upper half, whose tasks are then ordered as the calls were; no
/// worker may.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <penstock/error.hpp>
#include <penstock/types.hpp>

#include "core/ids.hpp"
#include "engine/submission.hpp"
#include "frontend/failure_log.hpp"
#include "frontend/reductions.hpp"
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
using Task = engine::Submission;

/// A version that stays until unpin().
struct Pinned {
  core::DataId data;
  core::Version version;
  bool for_view = true;
  std::byte* bytes = nullptr;               ///< in this rank's memory, once it was fetched
  engine::Version* version_here = nullptr;  ///< of a local front-end, as pin() gave it; null: it is to be looked up
};

/// Tasks that are waited for and cancelled together.
using Group = engine::Group;
/// Something limited that tasks use.
using Resource = engine::Resource;
using Deadline = std::optional<std::chrono::steady_clock::time_point>;

class Frontend {
 public:
  virtual ~Frontend() = default;

  /// Called about ten times a second by a thread that waits in here, without a mutex: for progress and interrupts. It
  /// must not throw. Not while another thread is in here.
  void set_while_waiting(std::function<void()> while_waiting) { while_waiting_ = std::move(while_waiting); }

  [[nodiscard]] virtual core::DataId add_data(const ArrayType& type) = 0;
  /// No more calls name it. Never waits.
  void release_data(core::DataId data) { return reductions_.any() ? reductions_.release(data) : drop(data); }
  /// The version that the datum's first write makes.
  [[nodiscard]] virtual core::Version first_version(core::DataId data) const = 0;

  /// Waits while the window is full, otherwise returns at once. Throws Error (invalid_argument) for a read of a datum
  /// that was never written and for two writes of one datum; Error (lost) when the run is broken.
  void submit(const Task& task) { submit(std::span(&task, 1)); }
  /// The same for several, in order and for less; when it throws, those before the wrong one were submitted. Their ids
  /// follow each other unless another thread submits meanwhile or an array is reduced into; the first one's is
  /// returned.
  core::TaskId submit(std::span<const Task> tasks) {
    return reductions_.any() ? reductions_.submit(tasks) : take(tasks);
  }
  /// The same for a task that reduces: `reductions` has one for each access that does, in their order. Throws Error
  /// (invalid_argument) where the task accesses such an array besides.
  core::TaskId submit(const Task& task, std::span<const Reduction> reductions) {
    return reductions_.submit(task, reductions);
  }
  /// Submits what is left to combine, which is else left until somebody asks for the array: before the end of a
  /// front-end with borrowed data.
  void fold_reductions() { reductions_.fold_all(); }
  /// Tasks that were submitted to make and combine partial results, beside those given.
  [[nodiscard]] std::uint64_t inserted() const { return reductions_.inserted(); }

  /// The datum's version as of now stays, whether it is made or not, until unpin(). For a view, which may last, later
  /// writes do not wait for that.
  [[nodiscard]] Pinned pin(core::DataId data, bool for_view) {
    return reductions_.any() ? reductions_.pin(data, for_view) : hold(data, for_view);
  }
  virtual void unpin(const Pinned& pinned) = 0;
  /// Until the version is made; false: it was not by the deadline. Throws TaskError when it could not be made.
  virtual bool wait_for(const Pinned& pinned, const Deadline& deadline) = 0;
  /// Brings a version that is made to this rank.
  virtual void fetch(Pinned& pinned) = 0;
  /// Until no task is in flight; false: some were at the deadline. Throws TaskError when one failed since the last
  /// call.
  virtual bool wait_all(const Deadline& deadline) = 0;
  /// Until no task is in flight; failures are in counts().
  virtual void drain() = 0;

  void wait(core::DataId data) { wait_for({&data, 1}, std::nullopt); }
  void wait_all() { wait_all(std::nullopt); }
  /// Until all are made as of now; false: some was not by the deadline. Throws as for one.
  bool wait_for(std::span<const core::DataId> data, const Deadline& deadline);
  /// Waits for the datum's version as of now and brings it to this rank, to be unpinned.
  [[nodiscard]] Pinned bring(core::DataId data);

  /// A group of tasks, to be let go of before the front-end ends.
  [[nodiscard]] virtual Group* add_group() = 0;
  /// Until none of its tasks is in flight; false: some were at the deadline.
  virtual bool wait_for(const Group& group, const Deadline& deadline) = 0;
  /// Its tasks that have not begun end as cancelled; the same for one task.
  virtual void cancel(Group& group) = 0;
  virtual void cancel(core::TaskId task) = 0;
  [[nodiscard]] virtual Resource* add_resource(std::int64_t amount) = 0;

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

  /// What tasks have done on threads of the program.
  struct OwnWork {
    std::uint64_t tasks = 0;
    std::int64_t busy_ns = 0;
  };
  [[nodiscard]] virtual OwnWork own_work() const { return {}; }
  /// One endings item, tag included. Throws Error (environment) when it is not well formed.
  virtual void on_endings(core::RankId from, std::span<const std::byte> item) = 0;
  /// Sends what submit() has kept back to make larger batches. To be called within a millisecond of any submit().
  virtual void tick() {}

 protected:
  std::function<void()> while_waiting_;

 private:
  friend class Reductions;

  // submit(), pin() and release_data() where nothing reduces.
  virtual core::TaskId take(std::span<const Task> tasks) = 0;
  [[nodiscard]] virtual Pinned hold(core::DataId data, bool for_view) = 0;
  virtual void drop(core::DataId data) = 0;

  [[nodiscard]] virtual engine::Standing standing(core::DataId data) const = 0;
  /// Throws Error (invalid_argument) inside a task that the front-end runs.
  virtual void refuse_inside(const char* /*call*/) const {}

  Reductions reductions_{*this};
};

}  // namespace penstock::frontend
