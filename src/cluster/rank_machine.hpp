/// The rank's machine: takes the front-end's commands and says what each means here: which local tasks a task follows,
/// what must be fetched, in which storage its operands are, what may be freed. Pure; its owner calls it under one
/// mutex, keeps the bytes and runs the edges (executor).
#pragma once

#include <cstdint>
#include <vector>

#include "cluster/messages.hpp"
#include "coherence/replica_table.hpp"
#include "core/ids.hpp"

namespace penstock::cluster {

/// Where one operand of an admitted task is. A read has only `in`, a write only `out`; a consumed operand has one
/// storage for both; a copied one has two.
struct OperandPlace {
  coherence::StorageIndex in;
  coherence::StorageIndex out;
};

/// What admission of one task means. Reused from call to call.
struct Admission {
  struct Predecessor {
    coherence::SlotIndex slot;
    bool carries_failure = false;
  };
  struct Fetch {
    coherence::SlotIndex slot;  ///< of the fetch, which is followed like a task
    core::RankId from;
    core::DataId data;
    core::Version version;
    coherence::StorageIndex storage;
    std::size_t bytes = 0;
  };

  coherence::SlotIndex slot;
  std::vector<OperandPlace> places;       ///< one an operand
  std::vector<Predecessor> predecessors;  ///< local tasks and fetches, perhaps finished but not settled
  std::vector<Fetch> fetches;             ///< to be begun now
  std::uint32_t drains = 0;               ///< how often the slot will come in Settled::drained before it may start
  core::TaskId cause;                     ///< an input has failed already, because of this task
};

/// What the end of a task, a fetch or a transfer sets free. Appended to; the caller empties it.
struct Settled {
  std::vector<coherence::SlotIndex> drained;
  std::vector<coherence::StorageIndex> freed;
};

class RankMachine {
 public:
  /// False when the command names a version that is neither here nor to be fetched: a broken front-end.
  [[nodiscard]] bool admit(const TaskCommand& command, Admission& admission);
  /// The task or fetch in `slot` has ended, after all its edges were released; `cause` as in executor::Node::finish().
  void settle(coherence::SlotIndex slot, core::TaskId cause, Settled& settled);
  void drop(core::DataId data, core::Version version, Settled& settled);

  /// The settled replica of a version, or no_replica; begin_use() keeps it, unchanged, until end_use().
  [[nodiscard]] coherence::ReplicaIndex find(core::DataId data, core::Version version) const;
  [[nodiscard]] coherence::StorageIndex storage_of(coherence::ReplicaIndex replica) const;
  coherence::StorageIndex begin_use(coherence::ReplicaIndex replica);
  void end_use(coherence::ReplicaIndex replica, Settled& settled);

  /// Tasks and fetches admitted and not settled.
  [[nodiscard]] std::size_t unsettled() const { return slots_.size() - free_slots_.size(); }
  [[nodiscard]] std::size_t replicas() const { return replicas_.size(); }

 private:
  struct Use {
    coherence::ReplicaIndex in = coherence::no_replica;
    coherence::ReplicaIndex out = coherence::no_replica;
    bool reads_only = false;  // of `in`
  };
  struct Slot {
    std::vector<Use> uses;
  };

  coherence::SlotIndex allocate();
  [[nodiscard]] coherence::ReplicaIndex input(const Operand& operand, Admission& admission);
  void end_read(coherence::ReplicaIndex replica, Settled& settled);
  bool admit_operand(const Operand& operand, Admission& admission);

  coherence::ReplicaTable replicas_;
  std::vector<Slot> slots_;
  std::vector<coherence::SlotIndex> free_slots_;
};

}  // namespace penstock::cluster
