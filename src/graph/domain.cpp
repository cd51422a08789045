#include "graph/domain.hpp"

#include "core/assert.hpp"

namespace penstock::graph {

using core::DataId;
using core::TaskId;
using core::Version;

DataId Domain::add() {
  if (free_.empty()) {
    data_.emplace_back();
    return DataId(static_cast<DataId::Value>(data_.size() - 1));
  }
  const DataId data = free_.back();
  free_.pop_back();
  return data;
}

void Domain::forget(DataId data) {
  Datum& datum = data_[data.value()];
  datum.first = datum.current;
  datum.producer = TaskId();
  free_.push_back(data);
}

Domain::Check Domain::check(std::span<const Access> accesses) const {
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const Datum& datum = data_[accesses[i].data.value()];
    if (accesses[i].mode != AccessMode::write && datum.current == datum.first) return {Mistake::never_written, i};
    if (accesses[i].mode == AccessMode::read) continue;
    for (std::size_t j = 0; j < accesses.size(); ++j) {
      if (j == i || accesses[j].data != accesses[i].data) continue;
      if (j < i && accesses[j].mode != AccessMode::read) return {Mistake::written_twice, i};
      if (accesses[i].mode == AccessMode::commute) return {Mistake::commutes_and_reads, i};
    }
  }
  return {};
}

void Domain::stamp(TaskId task, std::span<const Access> accesses, std::vector<StampedAccess>& stamped) {
  stamped.clear();
  for (const Access& access : accesses) {
    const Datum& datum = data_[access.data.value()];
    const bool reads = access.mode != AccessMode::write;
    stamped.push_back({.data = access.data,
                       .mode = access.mode,
                       .reads = reads ? datum.current : Version(),
                       .writes = Version(),
                       .producer = reads ? datum.producer : TaskId()});
  }
  for (StampedAccess& access : stamped) {
    if (access.mode == AccessMode::read) continue;
    Datum& datum = data_[access.data.value()];
    datum.current = Version(datum.current.value() + 1);
    datum.producer = task;
    access.writes = datum.current;
  }
}

Version Domain::current(DataId data) const {
  const Datum& datum = data_[data.value()];
  return datum.current == datum.first ? Version() : datum.current;
}

}  // namespace penstock::graph
