#include "jobs/loop.hpp"

#include <algorithm>
#include <limits>

#include "jobs/names.hpp"
#include "jobs/source.hpp"

namespace penstock::jobs {

namespace {

[[noreturn]] void bad_range(std::string_view text) {
  throw Mistake("the range " + in_quotes(text) + " is not of the form \"i in 0..64\"");
}

/// "i" and "0..64" of "i in 0..64".
Variable parse_range(std::string_view text) {
  const std::string_view trimmed = trim(text);
  const std::size_t name_end = trimmed.find_first_of(" \t");
  if (name_end == std::string_view::npos) bad_range(text);
  const std::string_view name = trimmed.substr(0, name_end);
  std::string_view rest = trim(trimmed.substr(name_end));
  const std::size_t dots = rest.find("..");
  if (!is_name(name) || !rest.starts_with("in") || rest.size() < 3 || is_name(rest.substr(2, 1)) ||
      dots == std::string_view::npos) {
    bad_range(text);
  }
  const Expression begin = Expression::parse(rest.substr(2, dots - 2), {});
  const Expression end = Expression::parse(rest.substr(dots + 2), {});
  return {std::string(name), begin.constant(), end.constant()};
}

}  // namespace

void Loop::add(std::string_view text) {
  Variable variable = parse_range(text);
  if (variables_.size() == max_variables) throw Mistake("`for` has more than 8 ranges, at most 8 are allowed");
  if (std::ranges::find(variables_, variable.name, &Variable::name) != variables_.end()) {
    throw Mistake("the index " + in_quotes(variable.name) + " is used by two ranges, each needs a name of its own");
  }
  if (variable.begin >= variable.end) {
    throw Mistake("the range " + in_quotes(text) +
                  " is empty, its end (which is not part of it) must be above its begin");
  }
  std::int64_t count = 0;
  if (__builtin_sub_overflow(variable.end, variable.begin, &count) || count > max_steps ||
      __builtin_mul_overflow(steps_, count, &steps_) || steps_ > max_steps) {
    throw Mistake("`for` has more than 2^40 steps, at most 2^40 are allowed");
  }
  variables_.push_back(std::move(variable));
}

void Loop::first(std::vector<std::int64_t>& values) const {
  values.clear();
  for (const Variable& variable : variables_) values.push_back(variable.begin);
}

void Loop::at(std::int64_t number, std::vector<std::int64_t>& values) const {
  values.resize(variables_.size());
  for (std::size_t k = variables_.size(); k-- > 0;) {
    values[k] = variables_[k].begin + number % variables_[k].count();
    number /= variables_[k].count();
  }
}

}  // namespace penstock::jobs
