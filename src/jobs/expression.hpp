/// Whole numbers computed from index variables: bounds, subscripts, seeds and the braces of texts. Affine: a sum of
/// variables times numbers, so that extremes and injectivity are decided without trying every index. Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace penstock::jobs {

class Scope;

struct Extremes {
  std::int64_t least = 0;
  std::int64_t greatest = 0;
};

class Expression {
 public:
  /// The variable is its place among the indices.
  struct Term {
    std::uint32_t variable = 0;
    std::int64_t coefficient = 0;
    friend bool operator==(const Term&, const Term&) = default;
  };

  Expression() = default;
  explicit Expression(std::int64_t constant) : constant_(constant) {}
  /// `coefficient` times that variable.
  Expression(std::uint32_t variable, std::int64_t coefficient);

  /// `text` is made of integers, the variables and integer values of the scope, + - * / and parentheses. A quotient is
  /// one of constants and exact, unless ceil() or floor() is taken of it. Throws Mistake: syntax, an unknown name, a
  /// product of two variables, a number beyond 64 bits.
  static Expression parse(std::string_view text, const Scope& scope);

  /// The value where variable k has values[k]. Right wherever Scope::extremes() did not throw.
  [[nodiscard]] std::int64_t evaluate(std::span<const std::int64_t> values) const {
    auto sum = static_cast<std::uint64_t>(constant_);
    for (const Term& term : terms_) {
      sum += static_cast<std::uint64_t>(term.coefficient) * static_cast<std::uint64_t>(values[term.variable]);
    }
    return static_cast<std::int64_t>(sum);
  }

  [[nodiscard]] std::int64_t constant() const { return constant_; }
  /// Of increasing variables, none with a coefficient of 0.
  [[nodiscard]] std::span<const Term> terms() const { return terms_; }
  [[nodiscard]] std::int64_t coefficient(std::uint32_t variable) const;
  [[nodiscard]] bool is_constant() const { return terms_.empty(); }

  /// Throw Mistake when a number goes beyond 64 bits.
  [[nodiscard]] Expression plus(const Expression& other, std::int64_t factor = 1) const;
  [[nodiscard]] Expression times(std::int64_t factor) const;

  /// Adds `stride * other`, modulo 2^64: for expressions whose sum is known to be in range.
  void add_scaled(const Expression& other, std::int64_t stride);

  friend bool operator==(const Expression&, const Expression&) = default;

 private:
  std::int64_t constant_ = 0;
  std::vector<Term> terms_;
};

}  // namespace penstock::jobs
