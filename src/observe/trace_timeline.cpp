#include "observe/trace_timeline.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <tuple>
#include <utility>

namespace penstock::observe {

namespace {

using core::Event;
using core::EventKind;
using trace::LaneKind;

/// No run lasts longer.
constexpr std::int64_t run_most_ns = std::int64_t{366} * 24 * 3600 * 1'000'000'000;

constexpr auto direction_most = static_cast<std::uint8_t>(core::Direction::out);

bool is_time(const trace::RankTrace& trace, std::int64_t at_ns) {
  const std::int64_t start_ns = std::clamp<std::int64_t>(trace.start_ns, 0, time_most_ns);
  return at_ns >= start_ns && at_ns - start_ns < run_most_ns;
}

bool is_sound(const trace::RankTrace& trace, const Event& event) {
  return is_time(trace, event.first) && is_time(trace, event.second) && event.first <= event.second;
}

/// When the event was written, on its rank's clock.
std::optional<std::int64_t> time_of(const Event& event) {
  switch (event.kind) {
    case EventKind::task:
    case EventKind::transfer:
      return event.second;
    case EventKind::counter:
    case EventKind::clock:
      return event.first;
    default:
      return std::nullopt;
  }
}

/// Gives each slice the first row in which it overlaps with nothing, and orders them by row. Returns the number of
/// rows.
std::uint32_t place_in_rows(std::span<Slice> slices) {
  const auto by_time = [](const Slice& slice) { return std::pair(slice.begin_ns, slice.end_ns); };
  if (!std::ranges::is_sorted(slices, {}, by_time)) std::ranges::stable_sort(slices, {}, by_time);
  using Busy = std::pair<std::int64_t, std::uint32_t>;  // until when, which row
  std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy;
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> free;
  std::uint32_t rows = 0;
  for (Slice& slice : slices) {
    for (; !busy.empty() && busy.top().first <= slice.begin_ns; busy.pop()) free.push(busy.top().second);
    slice.row = free.empty() ? rows++ : free.top();
    if (!free.empty()) free.pop();
    busy.emplace(slice.end_ns, slice.row);
  }
  if (rows > 1) std::ranges::stable_sort(slices, {}, &Slice::row);
  return rows;
}

}  // namespace

RankTimeline::RankTimeline(std::shared_ptr<const trace::RankTrace> trace, const ClockMap& clock)
    : trace_(std::move(trace)) {
  std::vector<std::size_t> ends;  // of each lane's tasks
  for (std::size_t i = 0; i < trace_->lanes.size(); ++i) {
    take_lane(static_cast<std::uint32_t>(i), clock);
    ends.push_back(tasks_.size());
  }
  for (const LaneKind kind : {LaneKind::core, LaneKind::program, LaneKind::queue}) {
    for (std::size_t i = 0; i < ends.size(); ++i) {
      if (trace_->lanes[i].kind != kind) continue;
      const std::size_t begin = i == 0 ? 0 : ends[i - 1];
      add_rows(std::span(tasks_).subspan(begin, ends[i] - begin), 1,
               {.kind = kind == LaneKind::queue ? RowKind::queue : RowKind::core,
                .device = trace_->lanes[i].device,
                .name = trace_->lanes[i].name});
    }
  }
  if (!std::ranges::is_sorted(tasks_, {}, &Slice::row)) std::ranges::stable_sort(tasks_, {}, &Slice::row);
  add_transfer_rows();
}

std::span<const Event> RankTimeline::accesses(const Slice& slice) const {
  const std::span<const Event> after = std::span(trace_->lanes[slice.lane].events).subspan(slice.event + 1);
  const auto end = std::ranges::find_if(after, [](const Event& event) { return event.kind != EventKind::access; });
  return after.first(static_cast<std::size_t>(end - after.begin()));
}

void RankTimeline::take_lane(std::uint32_t index, const ClockMap& clock) {
  const trace::LaneEvents& lane = trace_->lanes[index];
  note_loss(lane, clock);
  const bool has_tasks = trace::runs_tasks(lane.kind);
  if (has_tasks) {
    const auto count = std::ranges::count(lane.events, EventKind::task, &Event::kind);
    tasks_.reserve(tasks_.size() + static_cast<std::size_t>(count));
  }
  for (std::size_t i = 0; i < lane.events.size(); ++i) {
    const Event& event = lane.events[i];
    if (event.kind == EventKind::counter) take_counter(event, clock);
    if (event.kind != EventKind::task && event.kind != EventKind::transfer) continue;
    const bool fits = (event.kind == EventKind::task) == has_tasks && (has_tasks || event.state <= direction_most);
    if (!fits || !is_sound(*trace_, event)) {
      ++senseless_;
      continue;
    }
    const std::int64_t begin_ns = clock(event.first);
    note_time(begin_ns);
    (has_tasks ? tasks_ : transfers_)
        .push_back({.begin_ns = begin_ns, .end_ns = clock(event.second), .row = 0, .lane = index, .event = i});
  }
}

void RankTimeline::take_counter(const Event& event, const ClockMap& clock) {
  const core::CounterEvent counter = core::counter_of(event);
  if (!is_time(*trace_, counter.at_ns) || counter.counter > core::CounterKind::memory) {
    ++senseless_;
    return;
  }
  const std::int64_t at_ns = clock(counter.at_ns);
  note_time(at_ns);
  counters_.push_back({.counter = counter.counter, .at_ns = at_ns, .value = counter.value});
}

void RankTimeline::note_time(std::int64_t at_ns) { begin_ns_ = std::min(begin_ns_.value_or(at_ns), at_ns); }

void RankTimeline::note_loss(const trace::LaneEvents& lane, const ClockMap& clock) {
  if (lane.dropped == 0 || lane.kind == LaneKind::front) return;
  for (const Event& event : lane.events) {
    const std::optional<std::int64_t> at_ns = time_of(event);
    if (!at_ns || !is_time(*trace_, *at_ns)) continue;
    complete_from_ns_ = std::max(complete_from_ns_.value_or(clock(*at_ns)), clock(*at_ns));
    return;
  }
}

void RankTimeline::add_rows(std::span<Slice> slices, std::uint32_t least, const Row& row) {
  const auto first = static_cast<std::uint32_t>(rows_.size());
  const std::uint32_t count = std::max(place_in_rows(slices), least);
  for (Slice& slice : slices) slice.row += first;
  for (std::uint32_t i = 0; i < count; ++i) {
    rows_.push_back(row);
    if (i > 0) rows_.back().name.append(" ").append(std::to_string(i + 1));
  }
}

/// Each accelerator's, then those of the network; those in before those out.
void RankTimeline::add_transfer_rows() {
  const auto place = [this](const Slice& slice) {
    const trace::LaneEvents& lane = trace_->lanes[slice.lane];
    const int device = is_copy(slice) ? lane.device : std::numeric_limits<int>::max();
    return std::tuple(device, slice.lane, transfer(slice).direction);
  };
  std::ranges::stable_sort(transfers_, {}, place);
  for (auto begin = transfers_.begin(); begin != transfers_.end();) {
    const auto end =
        std::find_if(begin, transfers_.end(), [&](const Slice& slice) { return place(slice) != place(*begin); });
    const bool in = transfer(*begin).direction == core::Direction::in;
    const trace::LaneEvents& lane = trace_->lanes[begin->lane];
    const std::string name = (is_copy(*begin) ? lane.name : "network") + (in ? " in" : " out");
    const RowKind kind = is_copy(*begin) ? (in ? RowKind::copies_in : RowKind::copies_out)
                                         : (in ? RowKind::network_in : RowKind::network_out);
    add_rows({begin, end}, 0, {.kind = kind, .device = lane.device, .name = name});
    begin = end;
  }
}

std::vector<core::ClockEvent> clock_samples(const trace::RankTrace& trace) {
  std::vector<core::ClockEvent> samples;
  for (const trace::LaneEvents& lane : trace.lanes) {
    if (lane.kind != LaneKind::driver) continue;
    for (const Event& event : lane.events) {
      if (event.kind == EventKind::clock) samples.push_back(core::clock_of(event));
    }
  }
  return samples;
}

}  // namespace penstock::observe
