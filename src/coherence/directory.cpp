#include "coherence/directory.hpp"

#include "core/assert.hpp"

namespace penstock::coherence {

using core::DataId;
using core::RankId;
using core::Version;

void Directory::add(DataId data, const ArrayType& type) {
  if (data.value() >= data_.size()) data_.resize(data.value() + 1);
  Datum& datum = data_[data.value()];
  PENSTOCK_ASSERT(datum.released && datum.versions.empty());
  datum.type = type;
  datum.released = false;
}

void Directory::release(DataId data, Dead& dead) {
  Datum& datum = data_[data.value()];
  datum.released = true;
  if (datum.versions.empty()) {
    dead.data.push_back(data);
  } else {
    reap(data, datum.versions.back().version, dead);
  }
}

void Directory::expect(DataId data, Version version, std::uint32_t producer, Dead& dead) {
  Datum& datum = data_[data.value()];
  Version before;
  if (!datum.versions.empty()) {
    before = datum.versions.back().version;
    datum.versions.back().succeeded = true;
  }
  Entry& entry = datum.versions.add(version);
  entry.producer = producer;
  if (before != Version()) reap(data, before, dead);
}

std::uint32_t Directory::producer(DataId data, Version version) const { return find(data, version)->producer; }

void Directory::made(DataId data, Version version, RankId rank, Dead& dead) {
  Entry* entry = find(data, version);
  entry->state = VersionState::made;
  entry->maker = rank;
  reap(data, version, dead);
}

void Directory::failed(DataId data, Version version, core::TaskId cause, Dead& dead) {
  Entry* entry = find(data, version);
  entry->state = VersionState::failed;
  entry->cause = cause;
  reap(data, version, dead);
}

VersionState Directory::state(DataId data, Version version) const {
  const Entry* entry = find(data, version);
  return entry != nullptr ? entry->state : VersionState::made;
}

core::TaskId Directory::cause(DataId data, Version version) const { return find(data, version)->cause; }

void Directory::add_reader(DataId data, Version version) { ++find(data, version)->readers; }

void Directory::bind_reader(DataId data, Version version, RankId rank) {
  Entry* entry = find(data, version);
  if (entry->bound++ == 0) {
    entry->bound_rank = rank;
    entry->mixed = false;
  } else {
    entry->mixed = entry->mixed || entry->bound_rank != rank;
  }
}

void Directory::end_reader(DataId data, Version version, bool was_bound, Dead& dead) {
  Entry* entry = find(data, version);
  --entry->readers;
  if (was_bound) --entry->bound;
  reap(data, version, dead);
}

std::uint32_t Directory::readers(DataId data, Version version) const { return find(data, version)->readers; }

bool Directory::may_consume(DataId data, Version version, RankId rank) const {
  const Entry* entry = find(data, version);
  const bool others_unbound = entry->readers - entry->bound > 1;
  const bool others_elsewhere = entry->bound > 0 && (entry->mixed || entry->bound_rank != rank);
  return entry->pins == 0 && !others_unbound && !others_elsewhere;
}

void Directory::pin(DataId data, Version version) { ++find(data, version)->pins; }

void Directory::unpin(DataId data, Version version, Dead& dead) {
  --find(data, version)->pins;
  reap(data, version, dead);
}

bool Directory::holds(DataId data, Version version, RankId rank) const {
  return find(data, version)->holders.contains(rank);
}

void Directory::add_holder(DataId data, Version version, RankId rank) { find(data, version)->holders.insert(rank); }

void Directory::remove_holder(DataId data, Version version, RankId rank) { find(data, version)->holders.erase(rank); }

RankId Directory::source(DataId data, Version version) const { return find(data, version)->maker; }

const Directory::Entry* Directory::find(DataId data, Version version) const {
  return data_[data.value()].versions.find(version);
}

Directory::Entry* Directory::find(DataId data, Version version) { return data_[data.value()].versions.find(version); }

void Directory::reap(DataId data, Version version, Dead& dead) {
  Datum& datum = data_[data.value()];
  Entry* const entry = datum.versions.find(version);
  if (entry->state == VersionState::pending || entry->readers > 0 || entry->pins > 0) return;
  if (!entry->succeeded && !datum.released) return;
  entry->holders.for_each([&](RankId rank) { dead.drops.push_back({rank, data, version}); });
  datum.versions.erase(entry);
  if (datum.released && datum.versions.empty()) dead.data.push_back(data);
}

}  // namespace penstock::coherence
