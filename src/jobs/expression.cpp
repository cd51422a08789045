#include "jobs/expression.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "jobs/source.hpp"

namespace penstock::jobs {

namespace {

[[noreturn]] void too_large() { throw Mistake("the number does not fit into 64 bits, smaller ones are needed"); }

std::int64_t checked_sum(std::int64_t left, std::int64_t right) {
  if (__builtin_add_overflow(left, right, &left)) too_large();
  return left;
}

std::int64_t checked_product(std::int64_t left, std::int64_t right) {
  if (__builtin_mul_overflow(left, right, &left)) too_large();
  return left;
}

std::uint64_t magnitude(std::int64_t value) {
  return value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

/// Recursive descent; parentheses nest at most max_depth deep, so that no text can exhaust the stack.
class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, std::span<const Variable> variables) : text_(text), variables_(variables) {}

  Expression parse() {
    Expression result = sum();
    if (at_ != text_.size()) unexpected();
    return result;
  }

 private:
  static constexpr int max_depth = 32;

  Expression sum() {
    Expression left = product();
    while (true) {
      if (accept('+'))
        left = combine(std::move(left), product(), 1);
      else if (accept('-'))
        left = combine(std::move(left), product(), -1);
      else
        return left;
    }
  }

  Expression product() {
    Expression left = factor();
    while (accept('*')) {
      Expression right = factor();
      if (left.is_constant()) std::swap(left, right);
      if (!right.is_constant()) throw Mistake(whole() + " multiplies variables, one side must be a number");
      left = scale(std::move(left), right.constant_);
    }
    return left;
  }

  Expression factor() {
    std::int64_t sign = 1;
    while (accept('-')) sign = -sign;
    if (accept('(')) {
      if (++depth_ > max_depth) throw Mistake(whole() + " has more than 32 parentheses inside each other");
      Expression inner = sum();
      --depth_;
      if (!accept(')')) unexpected();
      return scale(std::move(inner), sign);
    }
    skip_spaces();
    if (at_ == text_.size()) unexpected();
    if (is_digit(text_[at_])) return scale(number(), sign);
    if (is_letter(text_[at_])) return scale(variable(), sign);
    unexpected();
  }

  Expression number() {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc{}) too_large();
    at_ = static_cast<std::size_t>(end - text_.data());
    if (at_ < text_.size() && is_letter(text_[at_])) unexpected();
    return Expression(value);
  }

  Expression variable() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    const auto found = std::ranges::find(variables_, name, &Variable::name);
    if (found == variables_.end()) {
      std::string known;
      for (const Variable& each : variables_) known += (known.empty() ? "" : ", ") + each.name;
      throw Mistake("unknown index " + in_quotes(name) +
                    (known.empty() ? ", there is no `for` here" : ", the indices here are " + known));
    }
    Expression result;
    result.coefficients_.resize(variables_.size());
    result.coefficients_[static_cast<std::size_t>(found - variables_.begin())] = 1;
    return result;
  }

  static Expression scale(Expression expression, std::int64_t by) {
    expression.constant_ = checked_product(expression.constant_, by);
    for (std::int64_t& coefficient : expression.coefficients_) coefficient = checked_product(coefficient, by);
    return expression;
  }

  static Expression combine(Expression left, Expression right, std::int64_t sign) {
    right = scale(std::move(right), sign);
    left.constant_ = checked_sum(left.constant_, right.constant_);
    left.coefficients_.resize(std::max(left.coefficients_.size(), right.coefficients_.size()));
    for (std::size_t k = 0; k < right.coefficients_.size(); ++k) {
      left.coefficients_[k] = checked_sum(left.coefficients_[k], right.coefficients_[k]);
    }
    return left;
  }

  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  bool accept(char wanted) {
    skip_spaces();
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    skip_spaces();
    return true;
  }

  [[nodiscard]] std::string whole() const { return "the expression " + in_quotes(text_); }

  [[noreturn]] void unexpected() const {
    const std::string found = at_ < text_.size() ? in_quotes(text_.substr(at_, 1)) : "its end";
    throw Mistake(whole() + " has " + found + " where integers, indices, + - * and parentheses are allowed");
  }

  std::string_view text_;
  std::span<const Variable> variables_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

Expression Expression::parse(std::string_view text, std::span<const Variable> variables) {
  return ExpressionParser(text, variables).parse();
}

bool Expression::is_constant() const {
  return std::ranges::all_of(coefficients_, [](std::int64_t each) { return each == 0; });
}

Extremes Expression::extremes(std::span<const Variable> variables) const {
  Extremes result{constant_, constant_};
  for (std::size_t k = 0; k < coefficients_.size(); ++k) {
    const std::int64_t first = checked_product(coefficients_[k], variables[k].begin);
    const std::int64_t last = checked_product(coefficients_[k], variables[k].end - 1);
    result.least = checked_sum(result.least, std::min(first, last));
    result.greatest = checked_sum(result.greatest, std::max(first, last));
  }
  return result;
}

bool Expression::is_injective(std::span<const Variable> variables) const {
  struct Step {
    std::uint64_t size;
    std::uint64_t count;
  };
  std::vector<Step> steps;
  for (std::size_t k = 0; k < variables.size(); ++k) {
    if (variables[k].count() == 1) continue;
    const std::int64_t coefficient = k < coefficients_.size() ? coefficients_[k] : 0;
    steps.push_back({magnitude(coefficient), static_cast<std::uint64_t>(variables[k].count())});
  }
  // As in a number system: a step must be longer than all that the smaller steps can add up to.
  std::ranges::sort(steps, {}, &Step::size);
  std::uint64_t reach = 0;
  for (const Step& step : steps) {
    std::uint64_t more = 0;
    if (step.size <= reach || __builtin_mul_overflow(step.size, step.count - 1, &more)) return false;
    if (__builtin_add_overflow(reach, more, &reach)) return false;
  }
  return true;
}

void Expression::add_scaled(const Expression& other, std::int64_t stride) {
  const auto add = [stride](std::int64_t& to, std::int64_t value) {
    to = static_cast<std::int64_t>(static_cast<std::uint64_t>(to) +
                                   static_cast<std::uint64_t>(value) * static_cast<std::uint64_t>(stride));
  };
  add(constant_, other.constant_);
  coefficients_.resize(std::max(coefficients_.size(), other.coefficients_.size()));
  for (std::size_t k = 0; k < other.coefficients_.size(); ++k) add(coefficients_[k], other.coefficients_[k]);
}

}  // namespace penstock::jobs
