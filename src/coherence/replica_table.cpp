#include "coherence/replica_table.hpp"

#include <algorithm>

#include "coherence/free_places.hpp"
#include "core/assert.hpp"

namespace penstock::coherence {

using core::DataId;
using core::Version;

ReplicaIndex ReplicaTable::find(DataId data, Version version) const {
  if (data.value() >= by_data_.size()) return no_replica;
  for (const ReplicaIndex index : by_data_[data.value()]) {
    if (replicas_[index.value()].version == version) return index;
  }
  return no_replica;
}

ReplicaIndex ReplicaTable::add(DataId data, Version version) {
  return allocate(data, version, take_place(storage_replicas_, free_storages_));
}

ReplicaIndex ReplicaTable::succeed(ReplicaIndex before, Version version) {
  leave_table(before);
  const DataId data = replicas_[before.value()].data;
  return allocate(data, version, replicas_[before.value()].storage);
}

void ReplicaTable::unuse(ReplicaIndex index, std::vector<StorageIndex>& freed) {
  --replicas_[index.value()].uses;
  free_if_unused(index, freed);
}

void ReplicaTable::drop(DataId data, Version version, std::vector<StorageIndex>& freed) {
  const ReplicaIndex index = find(data, version);
  if (index == no_replica) return;
  leave_table(index);
  free_if_unused(index, freed);
}

ReplicaIndex ReplicaTable::allocate(DataId data, Version version, StorageIndex storage) {
  const ReplicaIndex index = take_place(replicas_, free_replicas_);
  Replica& replica = replicas_[index.value()];
  replica = Replica();
  replica.data = data;
  replica.version = version;
  replica.storage = storage;
  ++storage_replicas_[storage.value()];
  if (data.value() >= by_data_.size()) by_data_.resize(data.value() + 1);
  by_data_[data.value()].push_back(index);
  return index;
}

void ReplicaTable::leave_table(ReplicaIndex index) {
  Replica& replica = replicas_[index.value()];
  PENSTOCK_ASSERT(replica.in_table);
  replica.in_table = false;
  auto& versions = by_data_[replica.data.value()];
  versions.erase(std::ranges::find(versions, index));
}

void ReplicaTable::free_if_unused(ReplicaIndex index, std::vector<StorageIndex>& freed) {
  const Replica& replica = replicas_[index.value()];
  if (replica.in_table || replica.uses > 0) return;
  free_replicas_.push_back(index);
  if (--storage_replicas_[replica.storage.value()] == 0) {
    freed.push_back(replica.storage);
    free_storages_.push_back(replica.storage);
  }
}

}  // namespace penstock::coherence
