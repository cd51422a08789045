/// What a rank knows of the replicas in its memory: which version is in which storage, who makes it, who still uses it.
/// Pure: storages are numbers here; the back-end keeps the bytes.
///
/// A replica lives from add() or succeed() until it is out of the table (dropped, or its storage taken over by its
/// successor) and nobody uses it. A storage lives until the last replica that names it is gone.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/ids.hpp"

namespace penstock::coherence {

/// Places in the tables of one rank, used again after the end of what they held.
using ReplicaIndex = core::Id<struct ReplicaTag, std::uint32_t>;
using StorageIndex = core::Id<struct StorageTag, std::uint32_t>;
using SlotIndex = core::Id<struct SlotTag, std::uint32_t>;

inline constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
inline constexpr ReplicaIndex no_replica{none};
inline constexpr SlotIndex no_slot{none};

struct Replica {
  core::DataId data;
  core::Version version;
  StorageIndex storage;
  SlotIndex producer = no_slot;  ///< the task or fetch that makes it, until that is settled
  SlotIndex consumer = no_slot;  ///< the task that waits for the readers to end, to take the storage over
  std::uint32_t uses = 0;        ///< operands of tasks that are admitted and not settled, transfers, and fetches
  std::uint32_t readers = 0;     ///< of these, operands that only read
  bool in_table = true;
  core::TaskId cause;  ///< the task whose failure left it without content
};

class ReplicaTable {
 public:
  [[nodiscard]] ReplicaIndex find(core::DataId data, core::Version version) const;
  [[nodiscard]] const Replica& operator[](ReplicaIndex index) const { return replicas_[index.value()]; }
  [[nodiscard]] Replica& operator[](ReplicaIndex index) { return replicas_[index.value()]; }

  /// A new replica in a new storage.
  ReplicaIndex add(core::DataId data, core::Version version);
  /// A replica of `version` in the storage of `before`, which leaves the table.
  ReplicaIndex succeed(ReplicaIndex before, core::Version version);

  void use(ReplicaIndex index) { ++replicas_[index.value()].uses; }
  /// Ends a use. Storages that ended are appended to `freed`.
  void unuse(ReplicaIndex index, std::vector<StorageIndex>& freed);
  /// The version is not needed any more. Does nothing when it is not here: it was taken over.
  void drop(core::DataId data, core::Version version, std::vector<StorageIndex>& freed);

  /// Replicas that exist, in the table or still in use.
  [[nodiscard]] std::size_t size() const { return replicas_.size() - free_replicas_.size(); }

 private:
  ReplicaIndex allocate(core::DataId data, core::Version version, StorageIndex storage);
  void leave_table(ReplicaIndex index);
  void free_if_unused(ReplicaIndex index, std::vector<StorageIndex>& freed);

  std::vector<Replica> replicas_;
  std::vector<ReplicaIndex> free_replicas_;
  std::vector<std::uint32_t> storage_replicas_;  // how many replicas name the storage
  std::vector<StorageIndex> free_storages_;
  std::vector<std::vector<ReplicaIndex>> by_data_;  // in the table; one or two a datum as a rule
};

}  // namespace penstock::coherence
