/// Stamps accesses in program order: which version an access reads, which one it makes, and which task it therefore
/// follows. Pure: it knows the order of submissions and nothing of what has run. One domain has one total order, so its
/// owner calls it under one mutex.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <penstock/kernel.hpp>

#include "core/ids.hpp"

namespace penstock::graph {

/// One access of a task as the program wrote it.
struct Access {
  core::DataId data;
  AccessMode mode = AccessMode::read;
};

/// The same access with its versions. Everything later hangs on these stamps; ranks never infer dependencies again.
struct StampedAccess {
  core::DataId data;
  AccessMode mode = AccessMode::read;
  core::Version reads;    ///< 0 for a pure write
  core::Version writes;   ///< 0 for a pure read
  core::TaskId producer;  ///< the task that makes `reads`: the only predecessor, since writes never wait for readers
};

class Domain {
 public:
  /// A new datum without content. Ids of forgotten data are used again, their versions counting on.
  [[nodiscard]] core::DataId add();
  /// The datum has no more submissions and no replicas; its id may be used again.
  void forget(core::DataId data);

  /// What is wrong with the accesses, as an index into them and a reason: a read of version 0, two writes of one datum,
  /// or one that commutes beside another access of the datum.
  enum class Mistake : std::uint8_t { none, never_written, written_twice, commutes_and_reads };
  struct Check {
    Mistake mistake = Mistake::none;
    std::size_t access = 0;
  };
  [[nodiscard]] Check check(std::span<const Access> accesses) const;

  /// Stamps the accesses of `task`, which comes after all tasks stamped so far. All its reads come before its writes.
  /// `stamped` is overwritten. The accesses must have passed check().
  void stamp(core::TaskId task, std::span<const Access> accesses, std::vector<StampedAccess>& stamped);

  /// The version of a datum as of now; 0 when nothing has written it.
  [[nodiscard]] core::Version current(core::DataId data) const;
  /// The version that the first write of a datum makes or made; earlier ones were of other data with this id.
  [[nodiscard]] core::Version first(core::DataId data) const {
    return core::Version(data_[data.value()].first.value() + 1);
  }

 private:
  struct Datum {
    core::Version current;  // the latest version stamped
    core::Version first;    // versions up to here belong to earlier data of this id
    core::TaskId producer;  // of `current`
  };
  std::vector<Datum> data_;
  std::vector<core::DataId> free_;
};

}  // namespace penstock::graph
