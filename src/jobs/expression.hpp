/// Whole numbers computed from index variables: subscripts, seeds and the braces of paths. Affine: a sum of variables
/// times numbers, so that extremes and injectivity are decided without trying every index. Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace penstock::jobs {

/// An index variable: begin, begin + 1, ..., end - 1.
struct Variable {
  std::string name;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  [[nodiscard]] std::int64_t count() const { return end - begin; }
};

struct Extremes {
  std::int64_t least = 0;
  std::int64_t greatest = 0;
};

class Expression {
 public:
  Expression() = default;
  explicit Expression(std::int64_t constant) : constant_(constant) {}

  /// `text` is made of integers, variables, + - * and parentheses. Throws Mistake: syntax, an unknown variable, a
  /// product of two variables, a number beyond 64 bits.
  static Expression parse(std::string_view text, std::span<const Variable> variables);

  /// The value where variable k has values[k]. Right wherever extremes() did not throw.
  [[nodiscard]] std::int64_t evaluate(std::span<const std::int64_t> values) const {
    auto sum = static_cast<std::uint64_t>(constant_);
    for (std::size_t k = 0; k < coefficients_.size(); ++k) {
      sum += static_cast<std::uint64_t>(coefficients_[k]) * static_cast<std::uint64_t>(values[k]);
    }
    return static_cast<std::int64_t>(sum);
  }

  /// Least and greatest value over all indices. Throws Mistake when one is beyond 64 bits.
  [[nodiscard]] Extremes extremes(std::span<const Variable> variables) const;

  /// Whether different indices surely give different values. May be false where they do.
  [[nodiscard]] bool is_injective(std::span<const Variable> variables) const;

  /// Adds `stride * other`, modulo 2^64: for expressions whose sum is known to be in range.
  void add_scaled(const Expression& other, std::int64_t stride);

  [[nodiscard]] std::int64_t constant() const { return constant_; }
  [[nodiscard]] bool is_constant() const;
  friend bool operator==(const Expression&, const Expression&) = default;

 private:
  friend class ExpressionParser;
  std::int64_t constant_ = 0;
  std::vector<std::int64_t> coefficients_;  ///< of variable k; empty: all are 0
};

}  // namespace penstock::jobs
