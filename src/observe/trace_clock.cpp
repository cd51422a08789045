#include "observe/trace_clock.hpp"

#include <algorithm>
#include <cmath>

namespace penstock::observe {

namespace {

using core::ClockEvent;

constexpr std::size_t windows_most = 256;
/// Of two points: a steeper one is the jitter of a bad sample, not the drift of a clock.
constexpr std::int64_t steepest_divisor = 4;

bool is_sound(const ClockEvent& sample) {
  return sample.at_ns >= 0 && sample.at_ns < time_most_ns && sample.offset_ns > -time_most_ns &&
         sample.offset_ns < time_most_ns && sample.round_trip_ns >= 0;
}

bool is_too_steep(const ClockEvent& from, const ClockEvent& to) {
  return std::abs(to.offset_ns - from.offset_ns) > (to.at_ns - from.at_ns) / steepest_divisor;
}

/// Adds the point; of two that contradict each other the one with the shorter round trip stays.
void add_point(const ClockEvent& point, std::vector<ClockEvent>& points) {
  while (!points.empty() && is_too_steep(points.back(), point)) {
    if (points.back().round_trip_ns <= point.round_trip_ns) return;
    points.pop_back();
  }
  points.push_back(point);
}

/// By how much the offset has risen since `from` on the way to `to`, or beyond.
std::int64_t rise_between(const ClockEvent& from, const ClockEvent& to, std::int64_t at_ns) {
  if (to.at_ns == from.at_ns) return 0;
  const double rise = static_cast<double>(to.offset_ns - from.offset_ns) / static_cast<double>(to.at_ns - from.at_ns);
  return std::llround(rise * static_cast<double>(at_ns - from.at_ns));
}

}  // namespace

std::optional<ClockMap> ClockMap::fitted(std::span<const ClockEvent> samples) {
  std::vector<ClockEvent> sorted;
  std::ranges::copy_if(samples, std::back_inserter(sorted), is_sound);
  if (sorted.empty()) return std::nullopt;
  std::ranges::stable_sort(sorted, {}, &ClockEvent::at_ns);

  ClockMap map;
  const std::size_t windows = std::clamp<std::size_t>(sorted.size() / clock_window, 1, windows_most);
  for (std::size_t i = 0; i < windows; ++i) {
    const auto begin = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() * i / windows);
    const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() * (i + 1) / windows);
    add_point(*std::ranges::min_element(begin, end, {}, &ClockEvent::round_trip_ns), map.points_);
  }
  return map;
}

std::int64_t ClockMap::operator()(std::int64_t at_ns) const {
  if (points_.empty()) return at_ns;
  const ClockEvent& first = points_.front();
  const ClockEvent& last = points_.back();
  if (at_ns < first.at_ns || at_ns >= last.at_ns) {
    const ClockEvent& near = at_ns < first.at_ns ? first : last;
    return at_ns + near.offset_ns + rise_between(first, last, at_ns) - rise_between(first, last, near.at_ns);
  }
  const auto next = std::ranges::upper_bound(points_, at_ns, {}, &ClockEvent::at_ns);
  const ClockEvent& before = *(next - 1);
  return at_ns + before.offset_ns + rise_between(before, *next, at_ns);
}

}  // namespace penstock::observe
