#include "runtime/job_submitter.hpp"

#include <utility>

#include "core/parameters.hpp"

namespace penstock::runtime {

namespace {

std::uint64_t key(jobs::Datum datum) {
  return (std::uint64_t{datum.family} << 40) ^ static_cast<std::uint64_t>(datum.element);  // elements: below 2^31
}

}  // namespace

JobSubmitter::JobSubmitter(frontend::Frontend& frontend, const kernels::KernelTable& kernels,
                           std::filesystem::path results)
    : frontend_(frontend), kernels_(kernels), results_(std::move(results)) {}

void JobSubmitter::take(const jobs::Step& step) {
  switch (step.kind) {
    case jobs::Step::Kind::make:
      ids_.emplace(key(step.datum), frontend_.add_data(step.type));
      return;
    case jobs::Step::Kind::release: {
      flush();  // its last task may be among those kept
      const auto found = ids_.find(key(step.datum));
      frontend_.release_data(found->second);
      ids_.erase(found);
      return;
    }
    case jobs::Step::Kind::save:
      path_.front() = (results_ / step.path).string();
      keep(step, path_);
      ++saves_;
      return;
    case jobs::Step::Kind::task:
      keep(step, step.parameters);
      return;
  }
}

void JobSubmitter::keep(const jobs::Step& step, std::span<const Parameter> parameters) {
  Kept& kept = kept_[kept_count_++];
  kept.kernel = id_of(*step.kernel);
  kept.cores = static_cast<std::uint16_t>(step.cores);
  kept.place = step.place;
  kept.accesses.clear();
  for (const jobs::DatumAccess& access : step.accesses) {
    kept.accesses.push_back({ids_.at(key(access.datum)), access.mode});
  }
  kept.parameters.clear();
  core::encode_parameters(parameters, kept.parameters);
  if (kept_count_ == kept_.size()) flush();
}

void JobSubmitter::flush() {
  tasks_.clear();
  for (const Kept& kept : std::span(kept_).first(kept_count_)) {
    tasks_.push_back({.kernel = kept.kernel,
                      .cores = kept.cores,
                      .accesses = kept.accesses,
                      .parameters = kept.parameters,
                      .place = kept.place});
  }
  kept_count_ = 0;
  frontend_.submit(tasks_);
}

core::KernelId JobSubmitter::id_of(const KernelDescription& kernel) {
  if (&kernel != last_kernel_) {
    last_kernel_ = &kernel;
    last_id_ = kernels_.at(kernel.name);
  }
  return last_id_;
}

}  // namespace penstock::runtime
