#include "jobs/condition.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "jobs/integers.hpp"
#include "jobs/scope.hpp"

namespace penstock::jobs {

namespace {

using Kind = Operation::Kind;

bool is_truth(Kind kind) { return kind >= Kind::equal; }
bool joins(Kind kind) { return kind == Kind::both || kind == Kind::either || kind == Kind::opposite; }

std::int64_t ceil_quotient(std::int64_t value, std::int64_t by) { return -floor_quotient(-value, by); }

/// Within range, as the compiler has seen to it.
std::int64_t applied(Kind kind, std::int64_t left, std::int64_t right) {
  switch (kind) {
    case Kind::add:
      return left + right;
    case Kind::subtract:
      return left - right;
    case Kind::multiply:
      return left * right;
    case Kind::divide:
    case Kind::divide_down:
      return floor_quotient(left, right);
    case Kind::divide_up:
      return ceil_quotient(left, right);
    case Kind::modulo:
      return floor_remainder(left, right);
    case Kind::equal:
      return left == right ? 1 : 0;
    case Kind::not_equal:
      return left != right ? 1 : 0;
    case Kind::less:
      return left < right ? 1 : 0;
    case Kind::less_equal:
      return left <= right ? 1 : 0;
    case Kind::greater:
      return left > right ? 1 : 0;
    case Kind::greater_equal:
      return left >= right ? 1 : 0;
    case Kind::both:
      return left & right;
    default:
      return left | right;
  }
}

}  // namespace

/// Works the operations through with what each operand may be: the least and greatest number, or a truth.
class ConditionCompiler {
 public:
  ConditionCompiler(std::string_view text, const Scope& scope) : text_(text), scope_(scope) {}

  Condition run() {
    for (const Operation& each : parse_condition(text_)) apply(each);
    if (!stack_.back().is_truth) throw Mistake(whole() + " is a number, a comparison such as i != j is needed");
    return std::move(condition_);
  }

 private:
  struct Operand {
    bool is_truth = false;
    Extremes range;
  };

  void apply(const Operation& operation) {
    if (operation.kind == Kind::number) {
      push(operation.number);
    } else if (operation.kind == Kind::name) {
      const Expression value = scope_.integer(operation.name);
      if (value.is_constant()) return push(value.constant());
      const std::uint32_t variable = value.terms().front().variable;
      emit(Kind::name, variable);
      stack_.push_back({.is_truth = false, .range = scope_.extremes(value)});
    } else if (operation.kind == Kind::negate || operation.kind == Kind::opposite) {
      apply_to_one(operation.kind);
    } else {
      const Operand right = stack_.back();
      stack_.pop_back();
      const Operand left = stack_.back();
      check_kinds(operation.kind, left, right);
      stack_.back() = {is_truth(operation.kind), range_of(operation.kind, left.range, right.range)};
      emit(operation.kind, 0);
    }
    if (stack_.size() > Condition::max_stack) throw Mistake(whole() + " is nested too deeply");
  }

  void apply_to_one(Kind kind) {
    Operand& operand = stack_.back();
    check_kinds(kind, operand, operand);
    emit(kind, 0);
    if (kind == Kind::opposite) return;
    operand.range = {checked_difference(0, operand.range.greatest), checked_difference(0, operand.range.least)};
  }

  void push(std::int64_t number) {
    emit(Kind::number, number);
    stack_.push_back({.is_truth = false, .range = {number, number}});
  }

  void check_kinds(Kind kind, const Operand& left, const Operand& right) const {
    if (left.is_truth == joins(kind) && right.is_truth == joins(kind)) return;
    throw Mistake(whole() + (joins(kind) ? " joins numbers by and, or, not, which join comparisons"
                                         : " computes with a comparison, which only and, or, not can do"));
  }

  [[nodiscard]] Extremes range_of(Kind kind, Extremes left, Extremes right) const {
    switch (kind) {
      case Kind::add:
        return {checked_sum(left.least, right.least), checked_sum(left.greatest, right.greatest)};
      case Kind::subtract:
        return {checked_difference(left.least, right.greatest), checked_difference(left.greatest, right.least)};
      case Kind::multiply:
        return product_of(left, right);
      case Kind::divide:
      case Kind::divide_down:
      case Kind::divide_up:
        check_divisor(right);
        if (left.least == INT64_MIN) too_large();
        return quotient_of(left, right);
      case Kind::modulo:
        check_divisor(right);
        return {0, right.greatest - 1};
      default:
        return {0, 1};
    }
  }

  static Extremes product_of(Extremes left, Extremes right) {
    const std::array corners{checked_product(left.least, right.least), checked_product(left.least, right.greatest),
                             checked_product(left.greatest, right.least),
                             checked_product(left.greatest, right.greatest)};
    return {*std::ranges::min_element(corners), *std::ranges::max_element(corners)};
  }

  /// However it is rounded. Which end of the divisor makes a bound depends on the sign of what is divided.
  static Extremes quotient_of(Extremes left, Extremes right) {
    return {std::min(floor_quotient(left.least, right.least), floor_quotient(left.least, right.greatest)),
            std::max(ceil_quotient(left.greatest, right.least), ceil_quotient(left.greatest, right.greatest))};
  }

  void check_divisor(Extremes divisor) const {
    if (divisor.least > 0) return;
    throw Mistake(whole() + " divides by what is no positive number, 2 would be one");
  }

  void emit(Kind kind, std::int64_t number) { condition_.code_.push_back({kind, number}); }
  [[nodiscard]] std::string whole() const { return "the condition " + in_quotes(text_); }

  std::string_view text_;
  const Scope& scope_;
  std::vector<Operand> stack_;
  Condition condition_;
};

Condition Condition::parse(std::string_view text, const Scope& scope) { return ConditionCompiler(text, scope).run(); }

bool Condition::run(std::span<const std::int64_t> values) const {
  std::array<std::int64_t, max_stack + 1> stack;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  std::size_t size = 0;
  for (const Code& code : code_) {
    if (code.kind == Kind::number) {
      stack[size++] = code.number;
    } else if (code.kind == Kind::name) {
      stack[size++] = values[static_cast<std::size_t>(code.number)];
    } else if (code.kind == Kind::negate) {
      stack[size - 1] = -stack[size - 1];
    } else if (code.kind == Kind::opposite) {
      stack[size - 1] ^= 1;
    } else {
      --size;
      stack[size - 1] = applied(code.kind, stack[size - 1], stack[size]);
    }
  }
  return stack[0] != 0;
}

}  // namespace penstock::jobs
