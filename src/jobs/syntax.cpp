#include "jobs/syntax.hpp"

#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "jobs/source.hpp"

namespace penstock::jobs {

namespace {

using Kind = Operation::Kind;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Recursive descent; parentheses nest at most max_depth deep, so that no text can exhaust the stack.
class Parser {
 public:
  Parser(std::string_view text, bool is_condition) : text_(text), is_condition_(is_condition) { skip_spaces(); }

  std::vector<Operation> parse() {
    whole();
    if (at_ != text_.size()) unexpected(after_operand());
    return std::move(operations_);
  }

 private:
  static constexpr int max_depth = 32;
  static constexpr std::string_view operands = "integers, names, - and parentheses";

  void whole() { is_condition_ ? condition() : sum(); }

  void condition() {
    both();
    while (accept_word("or")) {
      both();
      emit(Kind::either);
    }
  }

  void both() {
    negation();
    while (accept_word("and")) {
      negation();
      emit(Kind::both);
    }
  }

  void negation() {
    bool is_opposite = false;
    while (accept_word("not")) is_opposite = !is_opposite;
    comparison();
    if (is_opposite) emit(Kind::opposite);
  }

  void comparison() {
    static constexpr std::array<std::pair<std::string_view, Kind>, 6> signs{{{"==", Kind::equal},
                                                                             {"!=", Kind::not_equal},
                                                                             {"<=", Kind::less_equal},
                                                                             {">=", Kind::greater_equal},
                                                                             {"<", Kind::less},
                                                                             {">", Kind::greater}}};
    sum();
    for (const auto& [sign, kind] : signs) {
      if (!accept(sign)) continue;
      sum();
      emit(kind);
      return check_no_chain();
    }
  }

  void check_no_chain() const {
    if (at_ == text_.size() || std::string_view("=!<>").find(text_[at_]) == std::string_view::npos) return;
    throw Mistake(quoted() + " has " + in_quotes(text_.substr(at_, 1)) +
                  " behind a comparison, a < b and b < c would be right");
  }

  void sum() {
    product();
    while (true) {
      if (accept("+")) {
        product();
        emit(Kind::add);
      } else if (accept("-")) {
        product();
        emit(Kind::subtract);
      } else {
        return;
      }
    }
  }

  void product() {
    factor();
    while (true) {
      const Kind kind = accept("*")   ? Kind::multiply
                        : accept("/") ? Kind::divide
                        : accept("%") ? Kind::modulo
                                      : Kind::number;
      if (kind == Kind::number) return;
      factor();
      emit(kind);
    }
  }

  void factor() {
    bool is_negative = false;
    while (accept("-")) is_negative = !is_negative;
    if (accept("(")) {
      inside([&] { whole(); });
    } else if (accept_word("ceil")) {
      rounded(Kind::divide_up, "ceil");
    } else if (accept_word("floor")) {
      rounded(Kind::divide_down, "floor");
    } else {
      operand();
    }
    if (is_negative) emit(Kind::negate);
  }

  template <class Inner>
  void inside(Inner&& inner) {
    if (++depth_ > max_depth) throw Mistake(quoted() + " has more than 32 parentheses inside each other");
    inner();
    --depth_;
    if (!accept(")")) unexpected(after_operand("')'"));
  }

  void rounded(Kind kind, const std::string& word) {
    if (!accept("(")) unexpected("'('");
    inside([&] { sum(); });
    if (operations_.back().kind != Kind::divide) {
      throw Mistake(quoted() + " takes the " + word + " of what is no quotient, " + word + "(n / tile) would be");
    }
    operations_.back().kind = kind;
  }

  void operand() {
    if (at_ == text_.size()) unexpected(operands);
    if (is_digit(text_[at_])) {
      number();
    } else if (is_letter(text_[at_])) {
      const std::size_t begin = at_;
      while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
      operations_.push_back({.kind = Kind::name, .number = 0, .name = text_.substr(begin, at_ - begin)});
    } else {
      unexpected(operands);
    }
    skip_spaces();
  }

  void number() {
    Operation operation;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), operation.number);
    if (error != std::errc{}) throw Mistake("the number does not fit into 64 bits, smaller ones are needed");
    at_ = static_cast<std::size_t>(end - text_.data());
    if (at_ < text_.size() && is_letter(text_[at_])) unexpected(after_operand());
    operations_.push_back(operation);
  }

  void emit(Kind kind) { operations_.push_back({.kind = kind, .number = 0, .name = {}}); }

  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  bool accept(std::string_view wanted) {
    if (!text_.substr(at_).starts_with(wanted)) return false;
    at_ += wanted.size();
    skip_spaces();
    return true;
  }

  bool accept_word(std::string_view word) {
    const std::string_view rest = text_.substr(at_);
    if (!rest.starts_with(word)) return false;
    if (rest.size() > word.size() && (is_letter(rest[word.size()]) || is_digit(rest[word.size()]))) return false;
    return accept(word);
  }

  [[nodiscard]] std::string quoted() const {
    return (is_condition_ ? "the condition " : "the expression ") + in_quotes(text_);
  }

  [[nodiscard]] std::string after_operand(const std::string& end = "its end") const {
    return std::string("+ - * / ") + (is_condition_ ? "% == != < <= > >= and or " : "") + "or " + end;
  }

  [[noreturn]] void unexpected(std::string_view allowed) const {
    const std::string found = at_ < text_.size() ? in_quotes(text_.substr(at_, 1)) : "its end";
    throw Mistake(quoted() + " has " + found + " where " + std::string(allowed) + " are allowed");
  }

  std::string_view text_;
  bool is_condition_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::vector<Operation> operations_;
};

}  // namespace

std::vector<Operation> parse_sum(std::string_view text) { return Parser(text, false).parse(); }
std::vector<Operation> parse_condition(std::string_view text) { return Parser(text, true).parse(); }

}  // namespace penstock::jobs
