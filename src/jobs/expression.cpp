#include "jobs/expression.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "jobs/integers.hpp"
#include "jobs/scope.hpp"
#include "jobs/syntax.hpp"

namespace penstock::jobs {

namespace {

using Kind = Operation::Kind;

/// Works the operations through, with expressions as numbers.
class Affine {
 public:
  Affine(std::string_view text, const Scope& scope) : text_(text), scope_(scope) {}

  Expression run() {
    for (const Operation& each : parse_sum(text_)) apply(each);
    return std::move(stack_.back());
  }

 private:
  void apply(const Operation& operation) {
    if (operation.kind == Kind::number) return stack_.emplace_back(operation.number), void();
    if (operation.kind == Kind::name) return stack_.push_back(scope_.integer(operation.name));
    if (operation.kind == Kind::negate) {
      stack_.back() = stack_.back().times(-1);
      return;
    }
    const Expression right = std::move(stack_.back());
    stack_.pop_back();
    Expression& left = stack_.back();
    left = combined(operation.kind, left, right);
  }

  [[nodiscard]] Expression combined(Kind kind, const Expression& left, const Expression& right) const {
    switch (kind) {
      case Kind::add:
        return left.plus(right);
      case Kind::subtract:
        return left.plus(right, -1);
      case Kind::multiply:
        if (right.is_constant()) return left.times(right.constant());
        if (left.is_constant()) return right.times(left.constant());
        throw Mistake(whole() + " multiplies variables, one side must be a number");
      default:
        return Expression(quotient(kind, left, right));
    }
  }

  [[nodiscard]] std::int64_t quotient(Kind kind, const Expression& left, const Expression& right) const {
    if (!left.is_constant() || !right.is_constant()) {
      throw Mistake(whole() + " divides a variable, numbers are divided only (and variables in `if`)");
    }
    const std::int64_t value = left.constant();
    const std::int64_t by = right.constant();
    if (by <= 0) throw Mistake(whole() + " divides by " + std::to_string(by) + ", a positive number is needed");
    if (kind == Kind::modulo) return floor_remainder(value, by);
    if (kind == Kind::divide && value % by != 0) {
      throw Mistake(whole() + " divides " + std::to_string(value) + " by " + std::to_string(by) +
                    ", which leaves a rest, ceil() or floor() of the quotient does not");
    }
    return floor_quotient(value, by) + (kind == Kind::divide_up && value % by != 0 ? 1 : 0);
  }

  [[nodiscard]] std::string whole() const { return "the expression " + in_quotes(text_); }

  std::string_view text_;
  const Scope& scope_;
  std::vector<Expression> stack_;
};

std::int64_t wrapping_sum(std::int64_t to, std::int64_t value, std::int64_t stride) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(to) +
                                   static_cast<std::uint64_t>(value) * static_cast<std::uint64_t>(stride));
}

}  // namespace

Expression::Expression(std::uint32_t variable, std::int64_t coefficient) {
  if (coefficient != 0) terms_.push_back({variable, coefficient});
}

Expression Expression::parse(std::string_view text, const Scope& scope) { return Affine(text, scope).run(); }

std::int64_t Expression::coefficient(std::uint32_t variable) const {
  const auto found = std::ranges::find(terms_, variable, &Term::variable);
  return found == terms_.end() ? 0 : found->coefficient;
}

Expression Expression::times(std::int64_t factor) const { return Expression().plus(*this, factor); }

Expression Expression::plus(const Expression& other, std::int64_t factor) const {
  Expression result(checked_sum(constant_, checked_product(other.constant_, factor)));
  auto left = terms_.begin();
  auto right = other.terms_.begin();
  while (left != terms_.end() || right != other.terms_.end()) {
    Term term;
    const bool takes_left = right == other.terms_.end() || (left != terms_.end() && left->variable <= right->variable);
    const bool takes_right = left == terms_.end() || (right != other.terms_.end() && right->variable <= left->variable);
    term.variable = takes_left ? left->variable : right->variable;
    if (takes_left) term.coefficient = (left++)->coefficient;
    if (takes_right) {
      term.coefficient = checked_sum(term.coefficient, checked_product((right++)->coefficient, factor));
    }
    if (term.coefficient != 0) result.terms_.push_back(term);
  }
  return result;
}

void Expression::add_scaled(const Expression& other, std::int64_t stride) {
  constant_ = wrapping_sum(constant_, other.constant_, stride);
  for (const Term& term : other.terms_) {
    const auto at = std::ranges::lower_bound(terms_, term.variable, {}, &Term::variable);
    if (at != terms_.end() && at->variable == term.variable) {
      at->coefficient = wrapping_sum(at->coefficient, term.coefficient, stride);
    } else {
      terms_.insert(at, {term.variable, wrapping_sum(0, term.coefficient, stride)});
    }
  }
  std::erase_if(terms_, [](const Term& term) { return term.coefficient == 0; });
}

}  // namespace penstock::jobs
