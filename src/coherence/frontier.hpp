/// Points in the queues of one device, and how far each of its queues must have come before something may begin.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/assert.hpp"

namespace penstock::coherence {

/// The work with this number on this queue has ended; queue 0: at once.
struct Point {
  std::uint32_t queue = 0;
  std::uint64_t point = 0;
  friend bool operator==(const Point&, const Point&) = default;
};

/// The latest of some points of each queue: a queue runs in order, so these stand for all.
class Frontier {
 public:
  static constexpr std::size_t queues_most = 8;

  Frontier() = default;
  Frontier(const Point& point) { add(point); }  // NOLINT(google-explicit-constructor): a point is a frontier

  void add(const Point& point) {
    PENSTOCK_ASSERT(point.queue <= queues_most);
    if (point.queue == 0) return;
    std::uint64_t& latest = points_[point.queue - 1];
    latest = std::max(latest, point.point);
  }
  void merge(const Frontier& other) {
    for (std::size_t i = 0; i < queues_most; ++i) points_[i] = std::max(points_[i], other.points_[i]);
  }
  /// The one of a queue, counted from 1; point 0: none.
  [[nodiscard]] Point of(std::uint32_t queue) const { return {queue, points_[queue - 1]}; }

 private:
  std::array<std::uint64_t, queues_most> points_{};
};

}  // namespace penstock::coherence
