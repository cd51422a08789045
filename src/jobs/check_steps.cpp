#include <memory>
#include <optional>
#include <vector>

#include "jobs/check.hpp"
#include "jobs/integers.hpp"
#include "jobs/stream.hpp"
#include "jobs/task_check.hpp"
#include "jobs/walker.hpp"

namespace penstock::jobs {

namespace {

/// What a top-level entry or group reads is made by an origin, an earlier one, or a step of its own.
class FamilyOrder {
 public:
  explicit FamilyOrder(const Plan& plan) : plan_(plan), written_(plan.families.size()) {
    for (std::size_t family = 0; family < plan.families.size(); ++family) {
      written_[family] = plan.families[family].origin != nullptr;
    }
  }

  void run() {
    for (const std::uint32_t top : plan_.nodes.front().children) {
      std::vector<std::uint32_t> entries;
      collect(top, entries);
      for (const std::uint32_t entry : entries) {
        for (const EntryAccess& access : plan_.entries[entry].accesses) {
          if (!reads(access.mode)) written_[access.family] = true;
        }
      }
      for (const std::uint32_t entry : entries) check(plan_.entries[entry]);
    }
  }

 private:
  /// The groups inside each other are few, so recursion ends.
  void collect(std::uint32_t node, std::vector<std::uint32_t>& entries) const {
    for (const std::uint32_t child : plan_.nodes[node].children) collect(child, entries);
    if (plan_.nodes[node].entry) entries.push_back(*plan_.nodes[node].entry);
  }

  void check(const Entry& entry) const {
    for (const EntryAccess& access : entry.accesses) {
      if (written_[access.family]) continue;
      plan_.source.fail(access.position,
                        "data " + plan_.families[access.family].name +
                            " is read before anything wrote it, an origin or an earlier task is needed");
    }
  }

  const Plan& plan_;
  std::vector<bool> written_;
};

/// How many steps a walk goes through, without the conditions.
std::int64_t steps_of(const Plan& plan) {
  std::int64_t steps = 0;
  for (std::uint32_t entry = 0; entry < plan.entries.size() && steps <= max_walked; ++entry) {
    steps = capped_sum(steps, plan.entries[entry].size.passed);
  }
  return steps;
}

void count(const Step& step, const Plan& plan, Totals& totals) {
  switch (step.kind) {
    case Step::Kind::make:
      if (step.datum.family == plan.counts_family) return;
      ++totals.data;
      totals.data_bytes = capped_sum(totals.data_bytes, step.type.bytes());
      return;
    case Step::Kind::task:
      ++(step.is_origin ? totals.origin_tasks : step.is_part ? totals.save_tasks : totals.tasks);
      return;
    case Step::Kind::save:
      ++totals.saves;
      ++totals.save_tasks;
      return;
    case Step::Kind::release:
    case Step::Kind::pause:
      return;
  }
}

/// The indices of the first step. Nothing when there is none, or it may be far away: then the stream looks at it.
/// `passed` is how many steps were gone through, of all entries together.
std::optional<Indices> first_step(const Plan& plan, std::uint32_t number, std::int64_t& passed) {
  passed = capped_sum(passed, plan.entries[number].size.passed);
  if (passed > max_walked) return std::nullopt;
  Walker walker(plan, number);
  Walker::Event event = walker.next();
  while (event != Walker::Event::step && event != Walker::Event::finished) event = walker.next();
  return event == Walker::Event::finished ? std::nullopt : std::optional(walker.indices());
}

void check_step(const Plan& plan, std::uint32_t number, const Indices& indices, TaskCheck& check) {
  const Entry& entry = plan.entries[number];
  std::vector<DatumAccess> accesses;
  for (const EntryAccess& access : entry.accesses) {
    const std::int64_t element = access.element.evaluate(indices.values);
    const bool is_inside = element >= 0 && element < plan.families[access.family].elements();
    accesses.push_back(
        {{access.family, is_inside ? element : 0}, access.mode, access.reduction ? &*access.reduction : nullptr});
  }
  std::vector<Parameter> parameters = entry.parameters.constant;
  for (const VaryingParameter& each : entry.parameters.varying) each.make(indices, true, parameters[each.parameter]);
  check.check(number, accesses, parameters);
}

}  // namespace

void check_tasks(const Plan& plan) {
  TaskCheck check(plan);
  const Indices any{.values = std::vector<std::int64_t>(plan.indices), .limits = {}};
  std::int64_t passed = 0;
  for (std::uint32_t number = 0; number < plan.entries.size(); ++number) {
    if (plan.entries[number].size.steps == 0) continue;
    const bool is_once = TaskCheck::is_once(plan, plan.entries[number]);
    const auto first = is_once ? std::optional(any) : first_step(plan, number, passed);
    if (first) check_step(plan, number, *first, check);
  }
}

void check_order(Plan& plan) {
  FamilyOrder(plan).run();
  plan.totals = bounds_of_totals(plan);
  if (steps_of(plan) > max_walked) return;
  Totals totals{.task_bytes_max = plan.totals.task_bytes_max, .is_exact = true};
  Stream walk(std::shared_ptr<const Plan>(std::shared_ptr<const Plan>(), &plan), Stream::Texts::omitted);
  for (Step step; walk.next(step);) count(step, plan, totals);
  plan.totals = totals;
  plan.is_walked = true;
}

}  // namespace penstock::jobs
