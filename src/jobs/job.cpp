#include "jobs/job.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "jobs/plan.hpp"
#include "jobs/reader.hpp"

namespace penstock::jobs {

namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

/// Both are not negative.
std::int64_t capped_sum(std::int64_t left, std::int64_t right) {
  return left > largest - right ? largest : left + right;
}

Totals totals_of(const Plan& plan) {
  Totals totals;
  std::vector<bool> named(plan.families.size());
  for (const Entry& entry : plan.entries) {
    std::int64_t& count = entry.kind == Entry::Kind::task ? totals.tasks : totals.saves;
    count = capped_sum(count, entry.loop.steps());
    std::int64_t bytes = 0;
    for (const EntryAccess& access : entry.accesses) {
      named[access.family] = true;
      bytes = capped_sum(bytes, plan.families[access.family].type.bytes());
    }
    totals.task_bytes_max = std::max(totals.task_bytes_max, bytes);
  }
  for (std::size_t index = 0; index < plan.families.size(); ++index) {
    if (!named[index]) continue;
    const Family& family = plan.families[index];
    totals.data = capped_sum(totals.data, family.loop.steps());
    totals.data_bytes = capped_sum(totals.data_bytes, family.loop.steps() * family.type.bytes());
    if (family.origin != nullptr) totals.origin_tasks = capped_sum(totals.origin_tasks, family.loop.steps());
  }
  return totals;
}

}  // namespace

Job::Job(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)), totals_(totals_of(*plan_)) {}

Job Job::load(const std::filesystem::path& path, std::span<const KernelDescription* const> kernels) {
  return Job(std::make_shared<const Plan>(read_plan(path, kernels)));
}

const std::string& Job::name() const { return plan_->name; }

std::string Job::datum_name(Datum datum) const { return element_name(plan_->families[datum.family], datum.element); }

}  // namespace penstock::jobs
