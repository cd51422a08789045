#include "bench/idle_shares.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "observe/trace_numbers.hpp"

namespace penstock::bench {

namespace {

struct Interval {
  std::int64_t begin_ns;
  std::int64_t end_ns;
};

std::int64_t covered_ns(std::vector<Interval> intervals) {
  std::ranges::sort(intervals, {}, &Interval::begin_ns);
  std::int64_t sum = 0;
  std::int64_t until_ns = 0;
  for (const Interval& each : intervals) {
    const std::int64_t begin_ns = std::max(each.begin_ns, until_ns);
    sum += std::max(each.end_ns - begin_ns, std::int64_t{0});
    until_ns = std::max(each.end_ns, until_ns);
  }
  return sum;
}

/// When the rank's GPUs ran tasks, by their number among its devices.
std::map<int, std::vector<Interval>> work_of_gpus(const observe::TraceRun& run, const observe::TracedRank& rank) {
  std::map<int, std::vector<Interval>> work;
  const auto timeline = run.timeline(rank);
  for (const observe::Slice& slice : timeline->tasks()) {
    const int device = timeline->trace().lanes[slice.lane].device;
    if (device > 0) work[device].push_back({std::max(slice.begin_ns, run.complete_from_ns()), slice.end_ns});
  }
  return work;
}

}  // namespace

IdleShares idle_shares(const observe::TraceRun& run) {
  IdleShares shares;
  const observe::TraceNumbers numbers = observe::count_numbers(run);
  if (numbers.ranks.empty() || numbers.span_s <= 0.0) return shares;
  double gpus = 0.0;
  for (const observe::DeviceShare& device : numbers.ranks.front().devices) {
    if (device.kind == "cpu") shares.cores = 1.0 - device.busy_share;
    if (device.kind == "cuda") ++gpus;
  }
  for (auto& [device, work] : work_of_gpus(run, run.ranks().front())) {
    shares.gpus -= static_cast<double>(covered_ns(std::move(work))) * 1e-9 / numbers.span_s / gpus;
  }
  return shares;
}

}  // namespace penstock::bench
