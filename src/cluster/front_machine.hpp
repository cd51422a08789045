/// The front-end's machine: decides which rank gets which task and when, and accounts for every attempt. Pure: events
/// in, messages out through FrontOutput; no clock, thread or MPI. Its owner calls it under one mutex.
///
/// A task is bound to a rank when each of its predecessors has ended or is bound to that same rank, whose executor then
/// orders them without asking anybody. Tasks without unfinished predecessors bind late, to a rank that has credit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/container/small_vector.hpp>

#include <penstock/error.hpp>

#include "cluster/messages.hpp"
#include "cluster/task_queue.hpp"
#include "coherence/directory.hpp"
#include "core/ids.hpp"
#include "core/outcome.hpp"
#include "graph/domain.hpp"
#include "schedule/placement.hpp"

namespace penstock::cluster {

/// The states of a task at the front-end; set_state() is the only place where one changes.
///
///     waiting ───────────> ready ──> bound ──> (ended, the record is free)
///        └────> local ──────┴──────────┘        skipped and cancelled tasks end from any state before bound
enum class TaskState : std::uint8_t {
  free,     ///< no task in this record
  waiting,  ///< a predecessor is neither ended nor bound, or they are bound to several ranks
  local,    ///< all unfinished predecessors are bound to one rank: waits for credit of that rank
  ready,    ///< all predecessors have ended: waits for credit of the rank with its data, or of any
  bound,    ///< given to a rank
};

/// A rank as the front-end sees it from the start.
struct RankSize {
  int cores = 1;
  std::int64_t gpu_bytes = 0;  ///< memory of its largest GPU, as far as is known; 0: it has no GPU
};

/// What a task needs of something limited while it is bound.
struct Need {
  std::uint32_t resource = 0;
  std::int64_t amount = 1;
};

/// A task as it comes from the front-end's driver. The spans are borrowed for the call.
struct Submission {
  core::TaskId task;
  core::KernelId kernel;
  std::uint16_t cores = 1;
  core::RankId only_on = core::no_rank;  ///< bound to this rank whatever its credit; no_rank: any
  std::int64_t gpu_bytes = 0;            ///< only on a rank with a GPU of so much memory; 0: on any
  Place place;                           ///< where the program submitted it
  std::string_view name = {};            ///< that the program gave it
  std::span<const graph::StampedAccess> accesses;
  std::span<const std::byte> parameters;
  std::span<const Need> needs = {};
};

/// A task that has ended, with what its owner wants to know of it then. Borrowed for the call.
struct EndedTask {
  const core::Ending& ending;
  core::KernelId kernel;
  Place place;
  std::string_view name = {};  ///< as submitted
  std::int64_t bytes = 0;      ///< of the versions it writes: what the window counts
};

/// What the window counts for a version. Beyond a petabyte only the allocation, which fails, is interested.
inline std::int64_t counted_bytes(const ArrayType& type) { return std::min(type.bytes(), std::int64_t{1} << 50); }

/// What the machine tells its owner, from inside its functions.
class FrontOutput {
 public:
  /// Commands for a rank; in order, valid for the call.
  virtual void send(core::RankId to, std::span<const std::byte> commands) = 0;
  virtual void ended(const EndedTask& task) = 0;
  /// All versions of a released datum are gone; its id may be used again.
  virtual void forgotten(core::DataId data) = 0;

 protected:
  ~FrontOutput() = default;
};

class FrontMachine {
 public:
  FrontMachine(std::span<const RankSize> ranks, FrontOutput& output);

  void add_data(core::DataId data, const ArrayType& type) { directory_.add(data, type); }
  void release_data(core::DataId data);
  /// Something of which all ranks together use so much at once; returns its number.
  std::uint32_t add_resource(std::int64_t amount) {
    resources_.push_back({.free = amount, .waiting = {}});
    return static_cast<std::uint32_t>(resources_.size() - 1);
  }

  /// Takes a stamped task, which some rank must be able to run. What can be sent is sent by the next flush().
  void submit(const Submission& submission);
  /// Endings from a rank. False when one does not belong to a task bound to it: a broken peer.
  [[nodiscard]] bool on_endings(core::RankId rank, core::ByteReader& reader);
  /// Binds what can be bound and sends all commands collected. To be called after every batch of events.
  void flush();
  /// Ends all tasks that are not bound, tells the ranks to start nothing more.
  void cancel();
  /// Ends the task, if it is not bound.
  void cancel(core::TaskId task);
  /// Tells all ranks to report and end.
  void finish();

  /// Keeps a version's replicas; unpin() lets them go.
  void pin(core::DataId data, core::Version version) { directory_.pin(data, version); }
  void unpin(core::DataId data, core::Version version);
  [[nodiscard]] const coherence::Directory& directory() const { return directory_; }

  [[nodiscard]] std::uint64_t unended() const { return unended_; }
  [[nodiscard]] std::uint64_t bound() const { return bound_; }

 private:
  struct Rank {
    int cores = 1;
    std::int64_t gpu_bytes = 0;
    int in_hand = 0;          // tasks bound and not ended, each counted once a core
    double in_hand_ns = 0.0;  // their predicted times, of all cores together
    std::vector<std::byte> commands;
    TaskQueue local;             // tasks in state local that wait for this rank; stale ones are skipped
    std::set<QueuedTask> ready;  // tasks in state ready whose data are here; exact, since other ranks take from it
    std::vector<std::byte> sending;
  };
  struct Record {
    TaskState state = TaskState::free;
    core::TaskId task;
    std::uint32_t ticket = 0;
    bool writes = false;  // some version
    bool cancelled = false;
    bool holds_needs = false;
    std::vector<Need> needs;
    core::Attempt attempt;
    core::KernelId kernel;
    std::uint16_t cores = 1;
    core::RankId only_on;
    std::int64_t gpu_bytes = 0;
    Place place;
    std::string name;
    core::RankId rank = core::no_rank;  // in whose queue it is, or to which it is bound
    double predicted_ns = 0.0;          // when bound: what in_hand_ns counts for it
    std::uint32_t unbound = 0;          // predecessors neither bound nor ended
    std::int64_t bytes = 0;
    // Within the record for most tasks: thousands of records are in flight, and what costs is the memory they touch.
    boost::container::small_vector<std::uint32_t, 2> predecessors;  // tickets of those not ended
    boost::container::small_vector<std::pair<std::uint32_t, core::TaskId>, 1> dependents;
    boost::container::small_vector<graph::StampedAccess, 2> accesses;
    boost::container::small_vector<std::byte, 24> parameters;
  };

  struct Resource {
    std::int64_t free = 0;
    std::vector<std::pair<std::uint32_t, core::TaskId>> waiting;  // tasks that lack some of it
  };

  std::uint32_t allocate(core::TaskId task);
  [[nodiscard]] bool take_needs(Record& record);
  void give_back_needs(Record& record);
  void set_state(Record& record, TaskState state);
  [[nodiscard]] static QueuedTask queued_task(const Record& record);
  void find_predecessors(std::uint32_t ticket);
  void settle_waiting();
  void evaluate(std::uint32_t ticket);
  [[nodiscard]] core::TaskId failed_input(const Record& record) const;
  void make_ready(std::uint32_t ticket);
  [[nodiscard]] bool can_run(core::RankId rank, const Record& record) const;
  [[nodiscard]] core::RankId queue_for(const Record& record);
  [[nodiscard]] std::optional<core::RankId> rank_with_data(const Record& record);
  [[nodiscard]] core::RankId least_loaded(const Record& record) const;
  [[nodiscard]] bool bind_all();
  [[nodiscard]] bool bind_one(core::RankId rank);
  [[nodiscard]] std::optional<QueuedTask> first_of(TaskQueue& queue, TaskState state);
  [[nodiscard]] std::optional<QueuedTask> first_for(core::RankId rank);
  [[nodiscard]] std::optional<QueuedTask> stealable(core::RankId thief) const;
  void bind(std::uint32_t ticket, core::RankId rank);
  [[nodiscard]] OperandKind kind_for(const graph::StampedAccess& access, core::RankId rank) const;
  void take_operand(const graph::StampedAccess& access, Operand& operand, core::RankId rank);
  void release_dependents(std::uint32_t ticket, bool was_bound);
  void end(std::uint32_t ticket, const core::Ending& ending);
  void settle_dead();
  void send(core::RankId rank);
  [[nodiscard]] double predict(core::KernelId kernel) const;
  void see(std::size_t index);

  FrontOutput& output_;
  std::vector<Rank> ranks_;
  coherence::Directory directory_;
  coherence::Dead dead_;
  std::deque<Record> records_;  // by ticket; a deque, so that records stay in place
  std::vector<std::uint32_t> free_;
  std::vector<Resource> resources_;
  std::vector<double> mean_ns_;  // of the tasks of each kernel
  TaskQueue anywhere_;           // ready tasks without inputs
  std::vector<std::pair<std::uint32_t, core::TaskId>> to_evaluate_;
  std::vector<schedule::RankView> views_;
  std::vector<schedule::HolderView> holders_;
  TaskCommand command_;
  EndingReport report_;
  std::uint64_t unended_ = 0;
  std::uint64_t bound_ = 0;
  std::uint64_t queued_ = 0;  // local or ready
  bool cancelled_ = false;
};

}  // namespace penstock::cluster
