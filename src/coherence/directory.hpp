/// What the front-end knows of versions: who makes them, which ranks hold replicas, who still reads them, and so when
/// their replicas are to be dropped and when a task may write into the buffer of the version it reads. Pure.
///
/// A version lives from expect() until it is dead: made (or failed), succeeded by a later version or its datum
/// released, and without readers and pins. Its holders are then told to drop it.
#pragma once

#include <cstdint>
#include <vector>

#include <penstock/types.hpp>

#include "coherence/rank_set.hpp"
#include "coherence/version_list.hpp"
#include "core/ids.hpp"

namespace penstock::coherence {

enum class VersionState : std::uint8_t { pending, made, failed };

/// An order for a rank: this replica is not needed any more.
struct Drop {
  core::RankId rank;
  core::DataId data;
  core::Version version;
};

/// What became dead during a call; the caller empties it.
struct Dead {
  std::vector<Drop> drops;
  std::vector<core::DataId> data;  ///< released data without any version left: the id is free
};

class Directory {
 public:
  void add(core::DataId data, const ArrayType& type);
  /// The program dropped its last handle: no later submission names the datum.
  void release(core::DataId data, Dead& dead);
  [[nodiscard]] const ArrayType& type(core::DataId data) const { return data_[data.value()].type; }

  /// `version` will be made by a task, whose number with the caller is `producer`; it succeeds all earlier versions.
  void expect(core::DataId data, core::Version version, std::uint32_t producer, Dead& dead);
  /// The number of the task that makes a pending version.
  [[nodiscard]] std::uint32_t producer(core::DataId data, core::Version version) const;
  void made(core::DataId data, core::Version version, core::RankId rank, Dead& dead);
  void failed(core::DataId data, core::Version version, core::TaskId cause, Dead& dead);
  [[nodiscard]] VersionState state(core::DataId data, core::Version version) const;
  /// The task whose failure made the version fail.
  [[nodiscard]] core::TaskId cause(core::DataId data, core::Version version) const;

  /// A submitted task will read the version; then it was bound to a rank; then it ended (bound or not).
  void add_reader(core::DataId data, core::Version version);
  void bind_reader(core::DataId data, core::Version version, core::RankId rank);
  void end_reader(core::DataId data, core::Version version, bool was_bound, Dead& dead);
  /// How many submitted tasks that have not ended read it.
  [[nodiscard]] std::uint32_t readers(core::DataId data, core::Version version) const;
  /// Whether a reader about to be bound to `rank`, which reads the version once and writes its successor, may have its
  /// buffer: nobody else will read it except tasks bound to that rank before.
  [[nodiscard]] bool may_consume(core::DataId data, core::Version version, core::RankId rank) const;

  /// Keeps the version as if it had one more reader, anywhere.
  void pin(core::DataId data, core::Version version);
  void unpin(core::DataId data, core::Version version, Dead& dead);

  [[nodiscard]] bool holds(core::DataId data, core::Version version, core::RankId rank) const;
  void add_holder(core::DataId data, core::Version version, core::RankId rank);
  void remove_holder(core::DataId data, core::Version version, core::RankId rank);
  /// The rank to fetch a made version from.
  [[nodiscard]] core::RankId source(core::DataId data, core::Version version) const;

 private:
  struct Entry {
    core::Version version;
    VersionState state = VersionState::pending;
    bool succeeded = false;  // a later version was stamped
    bool mixed = false;      // bound readers are on several ranks
    std::uint32_t producer = 0;
    std::uint32_t readers = 0;  // submitted and not ended
    std::uint32_t bound = 0;    // of these, bound to a rank
    std::uint32_t pins = 0;
    core::RankId bound_rank = core::no_rank;
    core::RankId maker = core::no_rank;
    core::TaskId cause;
    RankSet holders;
  };
  struct Datum {
    ArrayType type;
    VersionList<Entry> versions;
    bool released = true;
  };

  Entry* find(core::DataId data, core::Version version);
  const Entry* find(core::DataId data, core::Version version) const;
  void reap(core::DataId data, core::Version version, Dead& dead);

  std::vector<Datum> data_;
};

}  // namespace penstock::coherence
