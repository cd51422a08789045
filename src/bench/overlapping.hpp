/// The figures of work and transfers that may overlap: how long each takes alone, both together, and how much of the
/// shorter was hidden behind the longer. Pure; any thread.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "bench/row.hpp"

namespace penstock::bench {

/// `times`: the work, the transfers, both. 1: the shorter has cost nothing; 0: as one after the other.
[[nodiscard]] inline std::vector<double> with_efficiency(std::vector<double> times) {
  const double shorter = std::min(times[0], times[1]);
  times.push_back((times[0] + times[1] - times[2]) / shorter);
  return times;
}

/// In the order of with_efficiency(). `limit`: of the efficiency; the transfer of what is made last has no work to hide
/// behind, nor has the work on what is made first a transfer.
[[nodiscard]] inline std::vector<Measure> overlap_measures(const std::string& label, const std::string& work,
                                                           const std::string& together, double limit) {
  return {{.name = label + work, .metric = "time", .unit = "s"},
          {.name = label + "copies", .metric = "time", .unit = "s"},
          {.name = label + together, .metric = "time", .unit = "s"},
          {.name = label + "efficiency", .metric = "efficiency", .unit = "", .limit = limit}};
}

}  // namespace penstock::bench
