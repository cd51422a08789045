/// The trace of one rank as it lies in its file, whether the rank ended, was killed, or still runs. Files are not
/// trusted: every number is checked. Any thread; blocks on the disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/event.hpp"
#include "trace/recorder.hpp"

namespace penstock::trace {

struct LaneEvents {
  LaneKind kind = LaneKind::core;
  int device = 0;
  std::string name;
  std::uint64_t dropped = 0;        ///< events that younger ones have replaced
  std::vector<core::Event> events;  ///< in the order they were written; kinds are those of core::EventKind
};

struct RankTrace {
  int rank = 0;
  int ranks = 1;
  std::int64_t start_ns = 0;
  std::int64_t start_unix_ns = 0;
  bool ended = false;       ///< false: the rank was killed, or still runs
  std::string description;  ///< JSON text; may be empty
  std::vector<LaneEvents> lanes;
};

/// Throws Error (environment), one line with the file and what is wrong with it.
[[nodiscard]] RankTrace read(const std::filesystem::path& file);

/// "rank-00012.trace"
[[nodiscard]] std::string file_name(int rank);
/// The traces in the folder, by rank. Throws Error (environment) when the folder cannot be read.
[[nodiscard]] std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder);

}  // namespace penstock::trace
