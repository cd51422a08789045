/// The ranges and the condition of one entry or group, walked through step by step. What a range is, once its text is
/// read; how it is read: scope.hpp. Pure; any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
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

  /// The way from one step to the next, or to the first one.
  struct Search {
    std::size_t standing = 0;          ///< so many ranges, from the outside in, have a value
    bool must_move = false;            ///< the innermost of these goes on first
    std::size_t outermost = SIZE_MAX;  ///< the outermost range that has gone on
  };
  enum class Found : std::uint8_t { step, end, not_yet };

  [[nodiscard]] Search to_first() const { return {}; }
  [[nodiscard]] Search to_next() const { return {.standing = ranges.size(), .must_move = true}; }

  /// Goes on as long as ranges are empty or the condition is false. Each such turn takes one from `turns`; with none
  /// left it has not found a step yet, and the search can be gone on with.
  Found seek(Search& search, Indices& indices, std::int64_t& turns) const {
    std::size_t& next = search.standing;
    while (true) {
      if (search.must_move) {
        while (next > 0 && !ranges[next - 1].advance(indices)) --next;
        if (next == 0) return Found::end;
        search.outermost = std::min(search.outermost, next - 1);
      }
      while (next < ranges.size() && ranges[next].start(indices)) ++next;
      search.must_move = next < ranges.size() || !condition.holds(indices.values);
      if (!search.must_move) return Found::step;
      if (--turns <= 0) return Found::not_yet;
    }
  }
};

}  // namespace penstock::jobs
