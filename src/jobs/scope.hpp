/// The names that may stand in the expressions of one entry or family: its index variables, those of the groups around
/// it, and the values of the job; and what is known of the variables without walking. Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/expression.hpp"
#include "jobs/loop.hpp"
#include "jobs/values.hpp"

namespace penstock::jobs {

class Scope {
 public:
  static constexpr std::int64_t max_steps = std::int64_t{1} << 40;

  struct Variable {
    std::string name;  ///< empty: it cannot be named
    Range range;
    bool is_fixed = true;       ///< the two below hold; else the bounds depend on variables further out
    std::int64_t least = 0;     ///< of its values in steps that are done
    std::int64_t greatest = 0;  ///< likewise
  };

  /// What values a variable can have: least, least + spacing, ..., greatest, or some of them.
  struct Grid {
    std::int64_t least = 0;
    std::int64_t greatest = 0;
    std::int64_t spacing = 1;
    bool is_distinct = true;  ///< never the same twice, the variables further out staying as they are
    [[nodiscard]] std::int64_t count() const { return (greatest - least) / spacing + 1; }
  };

  /// `values` must stay as long as the scope.
  explicit Scope(const Values& values) : values_(&values) {}

  /// Adds a variable, as the fastest one, by a range such as "i in 0..64" (half-open), "j in i+1..n step 2" or
  /// "s in scales". Throws Mistake: syntax, a range that is empty whatever the values of the job are, a name twice, too
  /// many steps.
  Range add(std::string_view text);
  /// Adds one without a name, from 0 to count - 1.
  Range add_unnamed(std::int64_t count);
  /// Not all of the steps are done.
  void add_condition() {
    is_exact_ = false;
    has_condition_ = true;
  }

  [[nodiscard]] std::span<const Variable> variables() const { return variables_; }
  [[nodiscard]] const Variable* find(std::string_view name) const;
  /// The value of that name; null when there is none.
  [[nodiscard]] const Value* value(std::string_view name) const;
  /// What the name stands for in an expression. Throws Mistake when it is unknown, or no integer.
  [[nodiscard]] Expression integer(std::string_view name) const;
  [[noreturn]] void fail_unknown(std::string_view name) const;

  /// Bounds of the value over all steps, any numbers where there is no step; the least and greatest value themselves
  /// when is_exact(). Throws Mistake when one is beyond 64 bits.
  [[nodiscard]] Extremes extremes(const Expression& expression) const;
  [[nodiscard]] bool is_exact() const { return is_exact_; }
  [[nodiscard]] bool has_condition() const { return has_condition_; }
  [[nodiscard]] Grid grid(std::uint32_t variable) const;
  /// At least as many steps as there are, as if the ranges were independent of each other.
  [[nodiscard]] std::int64_t steps_max() const { return steps_max_; }

 private:
  [[nodiscard]] Range parse(std::string_view text, std::string_view& name) const;
  /// Whether the expression may be another one in a run with other values.
  [[nodiscard]] bool names_value(std::string_view text) const;
  void append(std::string_view name, const Range& range);
  void bound(Variable& variable) const;
  void tighten(const Range& range);
  [[nodiscard]] std::int64_t bounded(const Expression& expression, bool is_greatest) const;

  const Values* values_;
  std::vector<Variable> variables_;
  bool is_exact_ = true;
  bool has_condition_ = false;
  std::int64_t steps_max_ = 1;
};

}  // namespace penstock::jobs
