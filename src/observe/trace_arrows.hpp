/// Where versions come from: which slice of which rank made or sent each, so that a viewer can draw arrows from there
/// to what uses it. Filled from every rank's timeline, then asked. A value; pure. It needs 48 bytes for each version
/// made or sent.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/ids.hpp"
#include "observe/trace_timeline.hpp"

namespace penstock::observe {

/// A slice as a viewer finds it.
struct SliceEnd {
  int rank = 0;
  std::uint32_t row = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

/// The ends of an arrow lie inside their slices, and it does not go back in time.
struct Arrow {
  SliceEnd from;
  SliceEnd to;
  std::int64_t from_ns = 0;
  std::int64_t to_ns = 0;
};

/// Nothing where it would have to go back in time, or where a slice has no inside.
[[nodiscard]] std::optional<Arrow> arrow_between(const SliceEnd& from, const SliceEnd& to);

class VersionIndex {
 public:
  void add(const RankTimeline& timeline);
  /// After the last add(), before the first question.
  void sort();

  /// The task that made the version, on whichever rank.
  [[nodiscard]] const SliceEnd* maker(core::DataId data, core::Version version) const;
  /// The sending, by another rank, of the version to this rank.
  [[nodiscard]] const SliceEnd* sending(core::DataId data, core::Version version, int to) const;
  /// What made the version be on the rank: the task that made it there, or its receipt, or a task elsewhere whose
  /// transfer is not in the trace.
  [[nodiscard]] const SliceEnd* source_on(int rank, core::DataId data, core::Version version) const;

 private:
  struct Entry {
    std::uint64_t version = 0;
    std::uint32_t data = 0;
    int rank = 0;  // where it now is
    SliceEnd end;
  };
  using Entries = std::vector<Entry>;
  [[nodiscard]] static const SliceEnd* find(const Entries& entries, core::DataId data, core::Version version, int rank);

  Entries made_;
  Entries sent_;
  Entries received_;
};

}  // namespace penstock::observe
