#include "jobs/scope.hpp"

#include <algorithm>

#include "jobs/integers.hpp"
#include "jobs/names.hpp"
#include "jobs/syntax.hpp"

namespace penstock::jobs {

namespace {

[[noreturn]] void bad_range(std::string_view text) {
  throw Mistake("the range " + in_quotes(text) +
                " is not of the form \"i in 0..64\", \"i in 0..64 step 2\" or \"s in a_list\"");
}

/// Cuts " step 2" off the end of `text`, and returns "2".
std::string_view cut_step(std::string_view& text) {
  constexpr std::string_view word = "step";
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::string_view after = text.substr(at + word.size());
    if (at == 0 || is_name(text.substr(at - 1, 1)) || (!after.empty() && is_name(after.substr(0, 1)))) continue;
    text = text.substr(0, at);
    return after;
  }
  return {};
}

/// Whatever the variables further out are.
bool is_empty(const Range& range) {
  const Expression length = range.end.plus(range.begin, -1);
  return range.list == nullptr && length.is_constant() && length.constant() <= 0;
}

/// The last value, or a bound of it where it depends on variables; of an empty range any number is right.
Expression last_of(const Range& range) {
  if (is_empty(range)) return range.begin;
  const Expression length = range.end.plus(range.begin, -1);
  if (!length.is_constant()) return range.end.plus(Expression(1), -1);
  return range.begin.plus(Expression((length.constant() - 1) / range.step * range.step));
}

std::string kind_of_items(const List& list) {
  constexpr std::string_view names[] = {"booleans", "integers", "real numbers", "texts"};
  return std::string(names[static_cast<std::size_t>(list.type)]);
}

}  // namespace

std::string kind_of(const Value& value) {
  constexpr std::string_view names[] = {"a boolean", "an integer", "a real number", "a text"};
  if (const List* const list = std::get_if<List>(&value)) return "a list of " + kind_of_items(*list);
  return std::string(names[value.index()]);
}

Range Scope::parse(std::string_view text, std::string_view& name) const {
  const std::string_view trimmed = trim(text);
  const std::size_t name_end = trimmed.find_first_of(" \t");
  if (name_end == std::string_view::npos) bad_range(text);
  name = trimmed.substr(0, name_end);
  std::string_view rest = trim(trimmed.substr(name_end));
  if (!is_name(name) || !rest.starts_with("in") || rest.size() < 3 || is_name(rest.substr(2, 1))) bad_range(text);
  if (is_reserved(name)) throw Mistake(in_quotes(name) + " is a word of the language, an index needs another name");
  rest = trim(rest.substr(2));
  Range range;
  range.variable = static_cast<std::uint32_t>(variables_.size());
  const std::size_t dots = rest.find("..");
  if (dots == std::string_view::npos) {
    if (!is_name(rest)) bad_range(text);
    const Value* const found = value(rest);
    if (found == nullptr) fail_unknown(rest);
    range.list = std::get_if<List>(found);
    if (range.list == nullptr) throw Mistake(in_quotes(rest) + " is " + kind_of(*found) + ", a list is needed");
    return range;
  }
  std::string_view end = rest.substr(dots + 2);
  if (end.find("..") != std::string_view::npos) bad_range(text);
  const std::string_view step = cut_step(end);
  if (step.data() != nullptr) {
    const Expression value = Expression::parse(step, *this);
    if (!value.is_constant() || value.constant() < 1) {
      throw Mistake("the step of the range " + in_quotes(text) + " is no positive constant, 2 would be one");
    }
    range.step = value.constant();
  }
  const std::string_view begin = rest.substr(0, dots);
  range.begin = Expression::parse(begin, *this);
  range.end = Expression::parse(end, *this);
  if (is_empty(range) && !names_value(begin) && !names_value(end)) {
    throw Mistake("the range " + in_quotes(text) +
                  " is empty, its end (which is not part of it) must be above its begin");
  }
  return range;
}

bool Scope::names_value(std::string_view text) const {
  return std::ranges::any_of(parse_sum(text), [this](const Operation& each) {
    return each.kind == Operation::Kind::name && value(each.name) != nullptr;
  });
}

Range Scope::add(std::string_view text) {
  std::string_view name;
  Range range = parse(text, name);
  if (find(name) != nullptr) {
    throw Mistake("the index " + in_quotes(name) + " is used by two ranges, each needs a name of its own");
  }
  if (value(name) != nullptr) {
    throw Mistake("the index " + in_quotes(name) + " has the name of a value, each needs a name of its own");
  }
  append(name, range);
  return range;
}

Range Scope::add_unnamed(std::int64_t count) {
  Range range;
  range.variable = static_cast<std::uint32_t>(variables_.size());
  range.end = Expression(count);
  append({}, range);
  return range;
}

void Scope::append(std::string_view name, const Range& range) {
  Variable variable{.name = std::string(name), .range = range};
  bound(variable);
  variables_.push_back(std::move(variable));
  const Grid values = grid(range.variable);
  const std::int64_t span = checked_difference(values.greatest, values.least);
  const std::int64_t count = range.list != nullptr ? static_cast<std::int64_t>(range.list->items.size())
                             : is_empty(range)     ? 0
                                                   : span / values.spacing + 1;
  if (count == 0) is_exact_ = false;
  steps_max_ = capped_product(steps_max_, count);
  if (steps_max_ > max_steps) throw Mistake("`for` has more than 2^40 steps, at most 2^40 are allowed");
  if (variables_.back().is_fixed) return;
  // So that no bound wraps around, whatever the variables further out are.
  for (const Expression& each : {range.begin, range.end, range.end.plus(range.begin, -1)}) {
    static_cast<void>(extremes(each));
  }
  tighten(range);
}

void Scope::bound(Variable& variable) const {
  const Range& range = variable.range;
  if (range.list != nullptr) {
    if (range.list->type != ParameterType::integer) {
      variable.greatest = static_cast<std::int64_t>(range.list->items.size()) - 1;
      return;
    }
    const auto [least, greatest] = std::ranges::minmax_element(range.list->items);
    variable.least = std::get<std::int64_t>(*least);
    variable.greatest = std::get<std::int64_t>(*greatest);
    return;
  }
  variable.is_fixed = range.begin.is_constant() && range.end.is_constant();
  if (!variable.is_fixed) return;
  variable.least = range.begin.constant();
  variable.greatest = last_of(range).constant();
}

/// A range that depends on one variable further out is not empty for some values of that variable only.
void Scope::tighten(const Range& range) {
  is_exact_ = false;
  const Expression room = range.end.plus(range.begin, -1).plus(Expression(1), -1);
  if (room.terms().size() != 1) return;
  const auto [place, coefficient] = room.terms().front();
  Variable& outer = variables_[place];
  if (!outer.is_fixed || outer.range.list != nullptr || coefficient == INT64_MIN || room.constant() == INT64_MIN)
    return;
  std::int64_t least = outer.least;
  std::int64_t greatest = outer.greatest;
  if (coefficient < 0) {
    greatest = std::min(greatest, floor_quotient(room.constant(), -coefficient));
  } else {
    least = std::max(least, -floor_quotient(room.constant(), coefficient));
  }
  if (least > greatest) return;  // no step at all: any bound is right
  outer.least = least;
  outer.greatest = greatest;
}

const Scope::Variable* Scope::find(std::string_view name) const {
  const auto found = std::ranges::find(variables_, name, &Variable::name);
  return found == variables_.end() || name.empty() ? nullptr : &*found;
}

const Value* Scope::value(std::string_view name) const {
  const auto found = values_->find(name);
  return found == values_->end() ? nullptr : &found->second;
}

Expression Scope::integer(std::string_view name) const {
  if (const Variable* const variable = find(name)) {
    const List* const list = variable->range.list;
    if (list == nullptr || list->type == ParameterType::integer) return {variable->range.variable, 1};
    throw Mistake(in_quotes(name) + " runs over a list of " + kind_of_items(*list) + ", an integer is needed");
  }
  const Value* const found = value(name);
  if (found == nullptr) fail_unknown(name);
  if (const auto* const number = std::get_if<std::int64_t>(found)) return Expression(*number);
  throw Mistake("the value " + in_quotes(name) + " is " + kind_of(*found) + ", an integer is needed");
}

void Scope::fail_unknown(std::string_view name) const {
  std::vector<std::string_view> known;
  for (const Variable& each : variables_) {
    if (!each.name.empty()) known.emplace_back(each.name);
  }
  for (const auto& each : *values_) known.emplace_back(each.first);
  throw Mistake("unknown index or value " + in_quotes(name) + suggestion(name, known) +
                (known.empty() ? ", there is neither a `for` nor a value here" : "; known: " + listed(known)));
}

Extremes Scope::extremes(const Expression& expression) const {
  const std::int64_t least = bounded(expression, false);
  return {least, std::max(least, bounded(expression, true))};  // below the least where there is no step at all
}

/// Puts in the bound of each variable, innermost first; what it depends on is further out.
std::int64_t Scope::bounded(const Expression& expression, bool is_greatest) const {
  std::vector<std::int64_t> coefficients(variables_.size());
  for (const Expression::Term& term : expression.terms()) coefficients[term.variable] = term.coefficient;
  std::int64_t sum = expression.constant();
  for (std::size_t k = variables_.size(); k-- > 0;) {
    const std::int64_t coefficient = coefficients[k];
    if (coefficient == 0) continue;
    const Variable& variable = variables_[k];
    const bool takes_greatest = (coefficient > 0) == is_greatest;
    if (variable.is_fixed) {
      sum = checked_sum(sum, checked_product(coefficient, takes_greatest ? variable.greatest : variable.least));
      continue;
    }
    const Expression bound = takes_greatest ? last_of(variable.range) : variable.range.begin;
    sum = checked_sum(sum, checked_product(coefficient, bound.constant()));
    for (const Expression::Term& term : bound.terms()) {
      coefficients[term.variable] =
          checked_sum(coefficients[term.variable], checked_product(coefficient, term.coefficient));
    }
  }
  return sum;
}

Scope::Grid Scope::grid(std::uint32_t variable) const {
  const Variable& found = variables_[variable];
  const List* const list = found.range.list;
  if (!found.is_fixed) {
    const Extremes range = extremes(Expression(variable, 1));
    return {.least = range.least, .greatest = range.greatest};
  }
  Grid grid{.least = found.least, .greatest = found.greatest, .spacing = list == nullptr ? found.range.step : 1};
  if (list == nullptr || list->items.size() == 1) return grid;
  grid.is_distinct = list->type == ParameterType::integer;
  if (!grid.is_distinct) return grid;
  std::vector<Parameter> sorted = list->items;
  std::ranges::sort(sorted);
  grid.is_distinct = std::ranges::adjacent_find(sorted) == sorted.end();
  return grid;
}

}  // namespace penstock::jobs
