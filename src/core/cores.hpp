/// Which cores a rank computes on: pure arithmetic over sets of core numbers. Reading them from the machine is done in
/// device/cpu.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace penstock::core {

/// Core numbers as the operating system counts them, ascending, without repetition.
using CoreSet = std::vector<int>;

/// "0-3,8"
[[nodiscard]] std::string to_text(const CoreSet& cores);

/// What one rank may use: its affinity mask and how many cores' worth of time its cgroups allow (0: no limit).
struct AllowedCores {
  std::string host;
  CoreSet mask;
  double quota = 0.0;
};

/// The cores each rank computes on. Ranks of one host whose masks overlap share the cores of the overlap out evenly, in
/// rank order, and a quota that ranks of one host each see as theirs is shared likewise. Every rank gets at least one.
[[nodiscard]] std::vector<CoreSet> share_cores(std::span<const AllowedCores> ranks);

}  // namespace penstock::core
