/// The key `if`: whether a step is done, decided from index variables. Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "jobs/syntax.hpp"

namespace penstock::jobs {

class Scope;

/// Comparisons of whole numbers, joined by and, or, not. Other than in an Expression, variables may be multiplied, and
/// divided by what is positive in every step: `/` rounds down, `%` is never negative.
class Condition {
 public:
  /// Is always true.
  Condition() = default;

  /// Throws Mistake: syntax, an unknown name, numbers that are no comparison or the reverse, a number that could go
  /// beyond 64 bits.
  static Condition parse(std::string_view text, const Scope& scope);

  [[nodiscard]] bool is_always() const { return code_.empty(); }
  /// Where variable k has values[k].
  [[nodiscard]] bool holds(std::span<const std::int64_t> values) const { return code_.empty() || run(values); }

 private:
  friend class ConditionCompiler;
  /// In postfix order. Kind::name pushes the variable `number`, Kind::number the number itself.
  struct Code {
    Operation::Kind kind;
    std::int64_t number;
  };
  static constexpr std::size_t max_stack = 64;

  [[nodiscard]] bool run(std::span<const std::int64_t> values) const;

  std::vector<Code> code_;
};

}  // namespace penstock::jobs
