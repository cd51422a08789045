/// How the cores of this machine are related just now: a probe of about 30 ms on two pinned threads. To be called
/// between the runs, while nothing of ours runs.
#pragma once

#include "bench/statistics.hpp"

namespace penstock::bench {

struct Probe {
  double round_trip_ns = 0.0;  ///< of a cache line between two cores
  double speed_up = 1.0;       ///< of two busy threads over one
};

/// On the first two cores this process may use; with a single one the speed-up is 1.
[[nodiscard]] Probe probe_cores();

[[nodiscard]] Regime probe_regime();

}  // namespace penstock::bench
