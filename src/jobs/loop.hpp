/// The ranges and the condition of one entry or group, walked through step by step. What a range is, once its text is
/// read; how it is read: scope.hpp. Pure; any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "jobs/condition.hpp"
#include "jobs/expression.hpp"
#include "jobs/values.hpp"

namespace penstock::jobs {

/// The index variables of a step, by their places.
struct Indices {
  std::vector<std::int64_t> values;  ///< of a list that is not of integers: the place in the list
  std::vector<std::int64_t> limits;  ///< the end of the variable's range; of a list: the place in it
};

/// begin, begin + step, ... below end, or the items of a list.
struct Range {
  std::uint32_t variable = 0;
  Expression begin;  ///< of variables further out, as `end`
  Expression end;
  std::int64_t step = 1;
  const List* list = nullptr;

  /// To the first value; false when there is none.
  bool start(Indices& indices) const {
    if (list != nullptr) return set_item(indices, 0);
    const std::int64_t first = begin.evaluate(indices.values);
    indices.values[variable] = first;
    indices.limits[variable] = end.evaluate(indices.values);
    return first < indices.limits[variable];
  }
  /// To the next value; false after the last one.
  bool advance(Indices& indices) const {
    if (list != nullptr) return set_item(indices, indices.limits[variable] + 1);
    std::int64_t& value = indices.values[variable];
    if (indices.limits[variable] - value <= step) return false;
    value += step;
    return true;
  }

 private:
  bool set_item(Indices& indices, std::int64_t place) const {
    if (place == static_cast<std::int64_t>(list->items.size())) return false;
    indices.limits[variable] = place;
    const bool is_integer = list->type == ParameterType::integer;
    indices.values[variable] = is_integer ? list->integer(static_cast<std::size_t>(place)) : place;
    return true;
  }
};

/// Ranges, the last one fastest, and a condition on all of them. Without ranges: one step.
struct Loop {
  std::vector<Range> ranges;
  Condition condition;

  static constexpr std::size_t max_ranges = 8;

  /// To the first step; false when there is none.
  bool first(Indices& indices) const { return seek(0, false, indices).has_value(); }
  /// To the next step: the place, among the ranges, of the outermost one that moved. Nothing after the last step.
  std::optional<std::size_t> advance(Indices& indices) const { return seek(ranges.size(), true, indices); }

 private:
  /// The first `next` ranges stand. Moves the innermost of them that can, if asked to, and starts those inside it; goes
  /// on like that where one is empty or the condition is false.
  std::optional<std::size_t> seek(std::size_t next, bool must_move, Indices& indices) const {
    std::size_t outermost = ranges.size();
    while (true) {
      if (must_move) {
        while (next > 0 && !ranges[next - 1].advance(indices)) --next;
        if (next == 0) return std::nullopt;
        outermost = std::min(outermost, next - 1);
      }
      while (next < ranges.size() && ranges[next].start(indices)) ++next;
      must_move = next < ranges.size() || !condition.holds(indices.values);
      if (!must_move) return outermost;
    }
  }
};

}  // namespace penstock::jobs
