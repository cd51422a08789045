#include "jobs/job.hpp"

#include <utility>

#include "jobs/plan.hpp"
#include "jobs/reader.hpp"

namespace penstock::jobs {

Job::Job(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

const Totals& Job::totals() const { return plan_->totals; }

Job Job::load(const JobText& text, std::span<const KernelDescription* const> kernels,
              std::span<const Override> overrides) {
  return Job(std::make_shared<const Plan>(read_plan(text, kernels, overrides)));
}

const std::string& Job::name() const { return plan_->name; }

const std::vector<Family>& Job::families() const { return plan_->families; }

std::string Job::datum_name(Datum datum) const { return plan_->families[datum.family].element_name(datum.element); }

}  // namespace penstock::jobs
