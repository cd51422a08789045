/// From the steady clock of one rank to that of rank 0, so that what happened on several machines stands in one order.
/// A value; pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/event.hpp"

namespace penstock::observe {

class ClockMap {
 public:
  /// The same clock.
  ClockMap() = default;
  /// A clock that shows `offset_ns` less.
  explicit ClockMap(std::int64_t offset_ns) : points_{{.at_ns = 0, .offset_ns = offset_ns, .round_trip_ns = 0}} {}

  /// From comparisons in any order: the one with the shortest round trip of each window of samples counts, between them
  /// the offset changes at a constant rate, as clocks drift; before the first and after the last at the mean rate. Few
  /// samples are one window, and the offset constant. Nothing where no sample makes sense. (F. Cristian,
  /// "Probabilistic clock synchronization", 1989; the windows follow D. Mills' clock filter, RFC 5905.)
  [[nodiscard]] static std::optional<ClockMap> fitted(std::span<const core::ClockEvent> samples);

  /// Time on rank 0's clock. A later time never becomes an earlier one.
  [[nodiscard]] std::int64_t operator()(std::int64_t at_ns) const;

 private:
  std::vector<core::ClockEvent> points_;  // by time
};

/// Samples in a window, at least, where there are several.
inline constexpr std::size_t clock_window = 16;
/// Times and offsets of more than this, about 36 years, are damage.
inline constexpr std::int64_t time_most_ns = std::int64_t{1} << 60;

}  // namespace penstock::observe
