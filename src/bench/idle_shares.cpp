#include "bench/idle_shares.hpp"

#include "observe/trace_numbers.hpp"

namespace penstock::bench {

IdleShares idle_shares(const observe::TraceRun& run) {
  IdleShares shares;
  const observe::TraceNumbers numbers = observe::count_numbers(run);
  if (numbers.ranks.empty() || numbers.span_s <= 0.0) return shares;
  double gpus = 0.0;
  double busy_gpus = 0.0;
  for (const observe::DeviceShare& device : numbers.ranks.front().devices) {
    if (device.kind == "cpu") shares.cores = 1.0 - device.busy_share;
    if (device.kind != "cuda") continue;
    ++gpus;
    busy_gpus += device.busy_share;
  }
  if (gpus > 0.0) shares.gpus = 1.0 - busy_gpus / gpus;
  return shares;
}

}  // namespace penstock::bench
