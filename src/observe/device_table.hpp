/// What `penstock devices` prints: what each rank may compute on and why no more. The runtime gathers the rows on rank
/// 0; the functions here are pure.
#pragma once

#include <span>
#include <string>

namespace penstock::observe {

/// One rank. All but the rank is text for people.
struct DeviceRow {
  int rank = 0;
  std::string host;
  std::string cores;   ///< "2 of 16: affinity mask 0-1"
  std::string gpus;    ///< in one line: which of those it sees and why, or why there is none
  std::string memory;  ///< "31.2 GiB"
  std::string mpi;     ///< "serialized", "no MPI"
};

/// A line per rank under a line of titles.
[[nodiscard]] std::string to_screen(std::span<const DeviceRow> rows);

/// {"format": 1, "ranks": [{"rank", "host", "cores", "gpus", "memory", "mpi"}, ...]}, ending in a line break.
[[nodiscard]] std::string to_json(std::span<const DeviceRow> rows);

}  // namespace penstock::observe
