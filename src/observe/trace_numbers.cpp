#include "observe/trace_numbers.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <utility>

#include "observe/trace_critical_path.hpp"
#include "observe/trace_run.hpp"

namespace penstock::observe {

namespace {

struct Interval {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

constexpr int devices_most = 256;

/// A lane of a damaged file may name any.
bool is_device(int device) { return device >= 0 && device < devices_most; }

double seconds(std::uint64_t ns) { return static_cast<double>(ns) * 1e-9; }

/// The times covered by the intervals, in order and apart.
std::vector<Interval> merged(std::vector<Interval> intervals) {
  std::ranges::sort(intervals, {}, &Interval::begin_ns);
  std::vector<Interval> merged;
  for (const Interval& each : intervals) {
    if (!merged.empty() && each.begin_ns <= merged.back().end_ns)
      merged.back().end_ns = std::max(merged.back().end_ns, each.end_ns);
    else
      merged.push_back(each);
  }
  return merged;
}

std::uint64_t length(const Interval& interval) {
  return static_cast<std::uint64_t>(interval.end_ns - interval.begin_ns);
}

std::uint64_t length(std::span<const Interval> intervals) {
  std::uint64_t sum = 0;
  for (const Interval& each : intervals) sum += length(each);
  return sum;
}

/// Of what both cover; each in order and apart.
std::uint64_t common_length(std::span<const Interval> one, std::span<const Interval> other) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0, j = 0; i < one.size() && j < other.size();) {
    const std::int64_t begin = std::max(one[i].begin_ns, other[j].begin_ns);
    const std::int64_t end = std::min(one[i].end_ns, other[j].end_ns);
    if (end > begin) sum += static_cast<std::uint64_t>(end - begin);
    if (one[i].end_ns < other[j].end_ns)
      ++i;
    else
      ++j;
  }
  return sum;
}

class Counting {
 public:
  explicit Counting(const TraceRun& run) : run_(run) {
    path_.reserve(run.task_events(), run.events() - run.task_events());
    for (const TracedRank& rank : run.ranks()) add(rank, *run.timeline(rank));
  }
  [[nodiscard]] TraceNumbers result();

 private:
  void add(const TracedRank& rank, const RankTimeline& timeline);
  /// The cores and accelerators of the rank, with nothing done.
  [[nodiscard]] static RankShare devices_of(const TracedRank& rank, const RankTimeline& timeline);
  /// When tasks ran; what each device did is added to `busy_ns`.
  [[nodiscard]] std::vector<Interval> add_tasks(const RankTimeline& timeline, std::vector<std::uint64_t>& busy_ns);
  [[nodiscard]] std::vector<Interval> add_transfers(const RankTimeline& timeline);
  /// What of the slice lies in the complete part of the trace; nothing where it ended before.
  [[nodiscard]] std::optional<Interval> complete_part(const Slice& slice);
  [[nodiscard]] CriticalPath critical_path();

  const TraceRun& run_;
  TraceNumbers numbers_;
  std::vector<std::vector<std::uint64_t>> busy_ns_;  // by place of the rank, by device
  std::optional<Interval> span_;
  std::uint64_t compute_ns_ = 0;
  std::uint64_t transfer_ns_ = 0;
  std::uint64_t transfer_bytes_ = 0;
  std::uint64_t overlap_ns_ = 0;
  CriticalPathSearch path_;
};

void Counting::add(const TracedRank& rank, const RankTimeline& timeline) {
  numbers_.ranks.push_back(devices_of(rank, timeline));
  busy_ns_.emplace_back(numbers_.ranks.back().devices.size());
  std::vector<Interval> computing = add_tasks(timeline, busy_ns_.back());
  std::vector<Interval> moving = add_transfers(timeline);
  if (moving.empty()) return;
  moving = merged(std::move(moving));
  transfer_ns_ += length(moving);
  overlap_ns_ += common_length(moving, merged(std::move(computing)));
}

RankShare Counting::devices_of(const TracedRank& rank, const RankTimeline& timeline) {
  RankShare share{.rank = rank.rank, .devices = {}};
  for (const trace::LaneEvents& lane : timeline.trace().lanes) {
    if (!trace::runs_tasks(lane.kind) || !is_device(lane.device)) continue;
    const auto device = static_cast<std::size_t>(lane.device);
    if (share.devices.size() <= device) share.devices.resize(device + 1);
    int& lanes = share.devices[device].lanes;
    if (lane.kind == trace::LaneKind::core) ++lanes;  // the program's has no core of its own
    if (lane.kind == trace::LaneKind::queue) lanes = 1;
  }
  const auto& described = rank.description.devices;
  for (std::size_t i = 0; i < std::min(described.size(), share.devices.size()); ++i) {
    share.devices[i].kind = described[i].kind;
    share.devices[i].name = described[i].name;
  }
  return share;
}

std::vector<Interval> Counting::add_tasks(const RankTimeline& timeline, std::vector<std::uint64_t>& busy_ns) {
  std::vector<Interval> computing;
  std::map<std::size_t, std::vector<Interval>> of_queues;  // which share their accelerator, by device
  for (const Slice& slice : timeline.tasks()) {
    const std::optional<Interval> part = complete_part(slice);
    if (!part) continue;
    const trace::LaneEvents& lane = timeline.trace().lanes[slice.lane];
    if (is_device(lane.device)) {
      const auto device = static_cast<std::size_t>(lane.device);
      if (lane.kind == trace::LaneKind::queue)
        of_queues[device].push_back(*part);
      else
        busy_ns[device] += length(*part);
    }
    if (lane.kind != trace::LaneKind::queue) compute_ns_ += length(*part);
    core::TaskEvent task = timeline.task(slice);
    task.begin_ns = part->begin_ns;
    task.end_ns = part->end_ns;
    path_.add(task, timeline.accesses(slice));
    if (!timeline.transfers().empty()) computing.push_back(*part);
  }
  for (auto& [device, parts] : of_queues) {
    const std::uint64_t busy = length(merged(std::move(parts)));
    busy_ns[device] += busy;
    compute_ns_ += busy;
  }
  return computing;
}

std::vector<Interval> Counting::add_transfers(const RankTimeline& timeline) {
  std::vector<Interval> moving;
  for (const Slice& slice : timeline.transfers()) {
    const std::optional<Interval> part = complete_part(slice);
    if (!part) continue;
    moving.push_back(*part);
    // Those between ranks are seen by both.
    if (!timeline.is_copy(slice) && timeline.transfer(slice).direction != core::Direction::in) continue;
    ++numbers_.transfers;
    for (const core::Event& access : timeline.accesses(slice)) {
      transfer_bytes_ += static_cast<std::uint64_t>(core::access_of(access).bytes);
    }
  }
  return moving;
}

std::optional<Interval> Counting::complete_part(const Slice& slice) {
  const Interval part{.begin_ns = std::max(slice.begin_ns, run_.complete_from_ns()), .end_ns = slice.end_ns};
  if (part.end_ns < part.begin_ns) return std::nullopt;
  if (!span_) span_ = part;
  span_->begin_ns = std::min(span_->begin_ns, part.begin_ns);
  span_->end_ns = std::max(span_->end_ns, part.end_ns);
  return part;
}

CriticalPath Counting::critical_path() {
  CriticalPath path;
  std::uint64_t path_ns = 0;
  std::map<core::KernelId, std::pair<std::uint64_t, std::uint64_t>> kernels;  // tasks, ns
  for (const CriticalPathSearch::Link& link : path_.longest()) {
    const auto ns = static_cast<std::uint64_t>(link.ns);
    path_ns += ns;
    ++path.tasks;
    ++kernels[link.kernel].first;
    kernels[link.kernel].second += ns;
  }
  path.s = seconds(path_ns);
  for (const auto& [kernel, share] : kernels) {
    path.kernels.push_back({.kernel = run_.kernel_name(kernel), .tasks = share.first, .s = seconds(share.second)});
  }
  std::ranges::stable_sort(path.kernels, std::ranges::greater(), &KernelShare::s);
  if (path.kernels.size() > critical_kernels_most) path.kernels.resize(critical_kernels_most);
  return path;
}

TraceNumbers Counting::result() {
  numbers_.span_s = span_ ? seconds(length(*span_)) : 0.0;
  numbers_.compute_s = seconds(compute_ns_);
  numbers_.transfer_s = seconds(transfer_ns_);
  numbers_.transfer_bytes = transfer_bytes_;
  if (numbers_.span_s > 0.0) numbers_.parallelism = numbers_.compute_s / numbers_.span_s;
  if (transfer_ns_ > 0) numbers_.overlap = static_cast<double>(overlap_ns_) / static_cast<double>(transfer_ns_);
  numbers_.critical_path = critical_path();
  for (std::size_t i = 0; i < busy_ns_.size(); ++i) {
    for (std::size_t device = 0; device < busy_ns_[i].size(); ++device) {
      DeviceShare& share = numbers_.ranks[i].devices[device];
      const double available_s = numbers_.span_s * share.lanes;
      if (available_s > 0.0) share.busy_share = std::min(seconds(busy_ns_[i][device]) / available_s, 1.0);
    }
  }
  numbers_.events = run_.events();
  numbers_.dropped = run_.dropped();
  return numbers_;
}

}  // namespace

TraceNumbers count_numbers(const TraceRun& run) { return Counting(run).result(); }

}  // namespace penstock::observe
