#include "jobs/totals.hpp"

#include <algorithm>

#include "jobs/check.hpp"
#include "jobs/integers.hpp"
#include "jobs/plan.hpp"

namespace penstock::jobs {

namespace {

constexpr std::int64_t max_effort = max_walked;  // loop steps that are tried one by one

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

/// Goes through the ranges that others depend on, as far as the effort lasts.
LoopSize size_of(const Entry& entry, std::int64_t& effort) {
  const std::vector<Range> ranges = ranges_of(entry);
  const std::size_t needed = needed_of(ranges);
  Indices indices;
  indices.values.resize(ranges.size());
  indices.limits.resize(ranges.size());
  LoopSize size;
  std::size_t next = 0;  // the first so many ranges stand
  while (true) {
    while (next < needed && ranges[next].start(indices)) ++next;
    if (effort-- <= 0) return {.steps = entry.scope->steps_max(), .passed = INT64_MAX};
    LoopSize inner{.steps = next < needed ? 0 : 1, .passed = 1};
    for (std::size_t k = needed; k < ranges.size(); ++k) {
      const std::int64_t count = next < needed ? 0 : count_of(ranges[k], indices.values);
      inner = {capped_product(inner.steps, count), capped_product(inner.passed, std::max<std::int64_t>(count, 1))};
    }
    size = {capped_sum(size.steps, inner.steps), capped_sum(size.passed, inner.passed)};
    while (next > 0 && !ranges[next - 1].advance(indices)) --next;
    if (next == 0) return size;
  }
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

void measure_loops(Plan& plan) {
  std::int64_t effort = max_effort;
  for (Entry& entry : plan.entries) entry.size = size_of(entry, effort);
}

std::int64_t count_files(const Plan& plan, std::uint32_t entry) {
  const Entry& found = plan.entries[entry];
  if (found.kind == Entry::Kind::task) return 0;
  return found.size.steps / (found.kind == Entry::Kind::save_array ? tiles_of(plan, found) : 1);
}

Totals bounds_of_totals(const Plan& plan) {
  Totals totals;
  std::vector<bool> named(plan.families.size());
  for (std::uint32_t number = 0; number < plan.entries.size(); ++number) {
    const Entry& entry = plan.entries[number];
    const std::int64_t steps = entry.size.steps;
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
