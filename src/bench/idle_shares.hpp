/// For how much of its time a traced run left its devices without work. Pure; one thread.
#pragma once

#include "observe/trace_run.hpp"

namespace penstock::bench {

/// 0 to 1, of rank 0 and of what its trace has kept; 1 also for what is not there.
struct IdleShares {
  double cores = 1.0;  ///< of the time of all of them together
  double gpus = 1.0;   ///< of each on the average; a GPU works while any of its queues does
};

[[nodiscard]] IdleShares idle_shares(const observe::TraceRun& run);

}  // namespace penstock::bench
