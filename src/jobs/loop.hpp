/// The ranges of a `for`: which indices an entry or a family has. Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "jobs/expression.hpp"

namespace penstock::jobs {

/// The product of ranges, the last one fastest. Without ranges: one step without indices.
class Loop {
 public:
  static constexpr std::size_t max_variables = 8;
  static constexpr std::int64_t max_steps = std::int64_t{1} << 40;

  /// Adds a range such as "i in 0..64" (half-open) as the fastest one. Throws Mistake: syntax, an empty range, a name
  /// twice, too many ranges or steps.
  void add(std::string_view text);

  [[nodiscard]] std::span<const Variable> variables() const { return variables_; }
  [[nodiscard]] std::int64_t steps() const { return steps_; }

  /// The indices of the first step.
  void first(std::vector<std::int64_t>& values) const;
  /// The indices of the next step; false after the last one, with those of the first one again.
  bool advance(std::vector<std::int64_t>& values) const {
    for (std::size_t k = values.size(); k-- > 0;) {
      if (++values[k] != variables_[k].end) return true;
      values[k] = variables_[k].begin;
    }
    return false;
  }
  /// The indices of step `number`.
  void at(std::int64_t number, std::vector<std::int64_t>& values) const;

 private:
  std::vector<Variable> variables_;
  std::int64_t steps_ = 1;
};

}  // namespace penstock::jobs
