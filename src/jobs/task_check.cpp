#include "jobs/task_check.hpp"

#include <algorithm>
#include <array>

#include "jobs/fit.hpp"

namespace penstock::jobs {

TaskCheck::TaskCheck(const Plan& plan) : plan_(&plan), seen_(plan.entries.size()) {}

bool TaskCheck::is_once(const Plan& plan, const Entry& entry) {
  if (entry.kind != Entry::Kind::task) return true;
  const bool is_ragged = std::ranges::any_of(
      entry.accesses, [&](const EntryAccess& access) { return plan.families[access.family].is_ragged(); });
  return !entry.kernel->check || (entry.parameters.varying.empty() && !is_ragged);
}

bool TaskCheck::is_new(std::uint32_t entry, std::span<const DatumAccess> accesses) {
  if (!plan_->entries[entry].parameters.varying.empty()) return true;
  std::uint64_t types = 0;
  for (const DatumAccess& access : accesses) {
    const Family& family = plan_->families[access.datum.family];
    types = types << 2 | (family.is_ragged() ? family.shape_class(access.datum.element) : 0);
  }
  auto& seen = seen_[entry];
  const auto at = std::ranges::lower_bound(seen, types);
  if (at != seen.end() && *at == types) return false;
  seen.insert(at, types);
  return true;
}

void TaskCheck::check(std::uint32_t number, std::span<const DatumAccess> accesses,
                      std::span<const Parameter> parameters) {
  if (!is_new(number, accesses)) return;
  const Entry& entry = plan_->entries[number];
  types_.clear();
  names_.clear();
  places_.clear();
  for (std::size_t k = 0; k < accesses.size(); ++k) {
    const Family& family = plan_->families[accesses[k].datum.family];
    types_.push_back({seen_by_body(accesses[k].mode), family.type_of(accesses[k].datum.element)});
    names_.emplace_back(family.name);
    places_.push_back(&entry.accesses[k].position);
  }
  check_fit(
      plan_->source, *entry.kernel, types_, parameters,
      {.names = names_, .accesses = places_, .parameters = entry.parameter_positions, .otherwise = entry.position});
  for (std::size_t k = 0; k < accesses.size(); ++k) {
    if (accesses[k].reduction != nullptr) check_reduction(*accesses[k].reduction, types_[k].type, names_[k]);
  }
}

/// Its kernels take the datum.
void TaskCheck::check_reduction(const Reduction& reduction, const ArrayType& type, std::string_view name) const {
  const std::array<TaskAccess, 2> both{{{AccessMode::read_write, type}, {AccessMode::read, type}}};
  const TaskAccess filled{AccessMode::write, type};
  const std::array<std::string_view, 2> names{name, name};
  const std::array<const Position*, 2> places{&reduction.position, &reduction.position};
  check_fit(plan_->source, *reduction.combine, both, reduction.combine_parameters,
            {.names = names, .accesses = places, .parameters = {}, .otherwise = reduction.position});
  check_fit(plan_->source, *reduction.neutral, {&filled, 1}, reduction.neutral_parameters,
            {.names = std::span(names).first(1),
             .accesses = std::span(places).first(1),
             .parameters = {},
             .otherwise = reduction.position});
}

}  // namespace penstock::jobs
