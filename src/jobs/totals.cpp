#include "jobs/totals.hpp"

#include <algorithm>

#include "jobs/integers.hpp"
#include "jobs/plan.hpp"

namespace penstock::jobs {

namespace {

constexpr std::int64_t max_effort = std::int64_t{1} << 22;  // loop steps that are tried one by one

std::vector<Range> ranges_of(const Entry& entry) {
  std::vector<Range> ranges;
  for (const Scope::Variable& variable : entry.scope->variables()) ranges.push_back(variable.range);
  return ranges;
}

/// How many of the ranges, from the outside in, others depend on.
std::size_t needed_of(std::span<const Range> ranges) {
  std::size_t needed = 0;
  for (const Range& range : ranges) {
    for (const Expression* const bound : {&range.begin, &range.end}) {
      for (const Expression::Term& term : bound->terms()) needed = std::max<std::size_t>(needed, term.variable + 1);
    }
  }
  return needed;
}

std::int64_t count_of(const Range& range, std::span<const std::int64_t> values) {
  if (range.list != nullptr) return static_cast<std::int64_t>(range.list->items.size());
  const std::int64_t begin = range.begin.evaluate(values);
  const std::int64_t end = range.end.evaluate(values);
  return end <= begin ? 0 : (end - begin - 1) / range.step + 1;
}

std::int64_t tiles_of(const Plan& plan, const Entry& entry) {
  const Family& family = plan.families[entry.accesses.front().family];
  std::int64_t tiles = 1;
  for (std::size_t k = family.axes.size() - family.tile_axes; k < family.axes.size(); ++k)
    tiles *= family.axes[k].count;
  return tiles;
}

void add_family(const Family& family, Totals& totals) {
  const std::int64_t elements = family.elements();
  std::int64_t arrays = elements;
  for (std::size_t k = family.axes.size() - family.tile_axes; k < family.axes.size(); ++k) {
    arrays /= family.axes[k].count;
  }
  totals.data = capped_sum(totals.data, elements);
  totals.data_bytes = capped_sum(totals.data_bytes, capped_product(arrays, family.whole.bytes()));
  if (family.origin != nullptr) totals.origin_tasks = capped_sum(totals.origin_tasks, elements);
}

}  // namespace

std::int64_t Totals::all_tasks() const { return capped_sum(capped_sum(tasks, save_tasks), origin_tasks); }

std::int64_t count_steps(const Plan& plan, std::uint32_t entry) {
  const Scope& scope = *plan.entries[entry].scope;
  const std::vector<Range> ranges = ranges_of(plan.entries[entry]);
  const std::size_t needed = needed_of(ranges);
  Loop outer;
  outer.ranges.assign(ranges.begin(), ranges.begin() + static_cast<std::ptrdiff_t>(needed));
  Indices indices;
  indices.values.resize(ranges.size());
  indices.limits.resize(ranges.size());
  std::int64_t steps = 0;
  std::int64_t tried = 0;
  if (!outer.first(indices)) return 0;
  do {
    if (++tried > max_effort) return scope.steps_max();
    std::int64_t inner = 1;
    for (std::size_t k = needed; k < ranges.size(); ++k) {
      inner = capped_product(inner, count_of(ranges[k], indices.values));
    }
    steps = capped_sum(steps, inner);
  } while (outer.advance(indices));
  return steps;
}

std::int64_t count_files(const Plan& plan, std::uint32_t entry) {
  const Entry& found = plan.entries[entry];
  if (found.kind == Entry::Kind::task) return 0;
  return count_steps(plan, entry) / (found.kind == Entry::Kind::save_array ? tiles_of(plan, found) : 1);
}

Totals bounds_of_totals(const Plan& plan) {
  Totals totals;
  std::vector<bool> named(plan.families.size());
  for (std::uint32_t number = 0; number < plan.entries.size(); ++number) {
    const Entry& entry = plan.entries[number];
    const std::int64_t steps = count_steps(plan, number);
    const bool is_array = entry.kind == Entry::Kind::save_array;
    if (entry.kind == Entry::Kind::task) {
      totals.tasks = capped_sum(totals.tasks, steps);
    } else {
      totals.saves = capped_sum(totals.saves, count_files(plan, number));
      totals.save_tasks = capped_sum(totals.save_tasks, is_array ? capped_product(2, steps) : steps);
    }
    std::int64_t bytes = 0;
    for (const EntryAccess& access : entry.accesses) {
      named[access.family] = true;
      bytes = capped_sum(bytes, plan.families[access.family].largest_type().bytes());
    }
    totals.task_bytes_max = std::max(totals.task_bytes_max, bytes);
  }
  for (std::size_t index = 0; index < plan.families.size(); ++index) {
    if (named[index] && index != plan.counts_family) add_family(plan.families[index], totals);
  }
  return totals;
}

}  // namespace penstock::jobs
