#include "cluster/rank_machine.hpp"

#include "coherence/free_places.hpp"

namespace penstock::cluster {

using coherence::no_replica;
using coherence::no_slot;
using coherence::Replica;
using coherence::ReplicaIndex;
using coherence::SlotIndex;

bool RankMachine::admit(const TaskCommand& command, Admission& admission) {
  admission.places.clear();
  admission.predecessors.clear();
  admission.fetches.clear();
  admission.drains = 0;
  admission.cause = {};
  admission.slot = allocate();
  for (const Operand& operand : command.operands) {
    if (!admit_operand(operand, admission)) return false;
  }
  return true;
}

SlotIndex RankMachine::allocate() { return coherence::take_place(slots_, free_slots_); }

ReplicaIndex RankMachine::input(const Operand& operand, Admission& admission) {
  ReplicaIndex index = replicas_.find(operand.data, operand.reads);
  if (index == no_replica && operand.source != core::no_rank) {
    const SlotIndex fetch = allocate();
    index = replicas_.add(operand.data, operand.reads);
    replicas_[index].producer = fetch;
    replicas_.use(index);
    slots_[fetch.value()].uses.push_back({.in = no_replica, .out = index});
    admission.fetches.push_back({.slot = fetch,
                                 .from = operand.source,
                                 .data = operand.data,
                                 .version = operand.reads,
                                 .storage = replicas_[index].storage,
                                 .bytes = static_cast<std::size_t>(operand.type.bytes())});
  }
  if (index == no_replica) return no_replica;
  const Replica& replica = replicas_[index];
  if (replica.cause != core::TaskId()) admission.cause = replica.cause;
  if (replica.producer != no_slot) admission.predecessors.push_back({replica.producer, true});
  replicas_.use(index);
  return index;
}

bool RankMachine::admit_operand(const Operand& operand, Admission& admission) {
  Use use;
  OperandPlace place;
  if (operand.kind != OperandKind::write) {
    use.in = input(operand, admission);
    if (use.in == no_replica) return false;
    place.in = replicas_[use.in].storage;
    use.reads_only = operand.kind != OperandKind::consume;
    if (use.reads_only) ++replicas_[use.in].readers;
  }
  if (operand.kind == OperandKind::consume) {
    if (replicas_[use.in].readers > 0) {
      replicas_[use.in].consumer = admission.slot;
      ++admission.drains;
    }
    use.out = replicas_.succeed(use.in, operand.writes);
  } else if (operand.kind != OperandKind::read) {
    use.out = replicas_.add(operand.data, operand.writes);
  }
  if (use.out != no_replica) {
    replicas_[use.out].producer = admission.slot;
    replicas_.use(use.out);
    place.out = replicas_[use.out].storage;
  }
  slots_[admission.slot.value()].uses.push_back(use);
  admission.places.push_back(place);
  return true;
}

void RankMachine::settle(SlotIndex slot, core::TaskId cause, Settled& settled) {
  std::vector<Use>& uses = slots_[slot.value()].uses;
  for (const Use& use : uses) {
    if (use.in != no_replica) {
      if (use.reads_only) end_read(use.in, settled);
      replicas_.unuse(use.in, settled.freed);
    }
    if (use.out != no_replica) {
      replicas_[use.out].producer = no_slot;
      replicas_[use.out].cause = cause;
      replicas_.unuse(use.out, settled.freed);
    }
  }
  uses.clear();
  free_slots_.push_back(slot);
}

void RankMachine::drop(core::DataId data, core::Version version, Settled& settled) {
  replicas_.drop(data, version, settled.freed);
}

ReplicaIndex RankMachine::find(core::DataId data, core::Version version) const { return replicas_.find(data, version); }

coherence::StorageIndex RankMachine::storage_of(ReplicaIndex replica) const { return replicas_[replica].storage; }

coherence::StorageIndex RankMachine::begin_use(ReplicaIndex replica) {
  replicas_.use(replica);
  ++replicas_[replica].readers;
  return replicas_[replica].storage;
}

void RankMachine::end_use(ReplicaIndex replica, Settled& settled) {
  end_read(replica, settled);
  replicas_.unuse(replica, settled.freed);
}

void RankMachine::end_read(ReplicaIndex index, Settled& settled) {
  Replica& replica = replicas_[index];
  if (--replica.readers > 0 || replica.consumer == no_slot) return;
  settled.drained.push_back(replica.consumer);
  replica.consumer = no_slot;
}

}  // namespace penstock::cluster
