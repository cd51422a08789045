#include "jobs/job.hpp"

#include <utility>

#include "jobs/plan.hpp"
#include "jobs/reader.hpp"

namespace penstock::jobs {

Job::Job(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

const Totals& Job::totals() const { return plan_->totals; }

Job Job::load(const std::filesystem::path& path, std::span<const KernelDescription* const> kernels,
              std::span<const Override> overrides) {
  return Job(std::make_shared<const Plan>(read_plan(path, kernels, overrides)));
}

const std::string& Job::name() const { return plan_->name; }

std::vector<FamilyRanges> Job::families() const {
  std::vector<FamilyRanges> families;
  for (const Family& family : plan_->families) {
    FamilyRanges& ranges = families.emplace_back();
    ranges.name = family.name;
    for (const Family::Axis& axis : family.axes) {
      ranges.begin.push_back(axis.begin);
      ranges.count.push_back(axis.count);
    }
  }
  return families;
}

std::string Job::datum_name(Datum datum) const { return plan_->families[datum.family].element_name(datum.element); }

}  // namespace penstock::jobs
