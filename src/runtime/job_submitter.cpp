#include "runtime/job_submitter.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/parameters.hpp"
#include "runtime/reductions.hpp"

namespace penstock::runtime {

namespace {

constexpr std::size_t name_bytes_traced = 96;

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
      make(step);
      return;
    case jobs::Step::Kind::release: {
      flush();  // its last task may be among those kept
      const auto found = ids_.find(key(step.datum));
      frontend_.release_data(found->second);
      ids_.erase(found);
      return;
    }
    case jobs::Step::Kind::save:
      ++saves_;
      take_task(step);
      return;
    case jobs::Step::Kind::task:
      take_task(step);
      return;
    case jobs::Step::Kind::pause:
      flush();  // the next task may be long in coming
      return;
  }
}

/// A path that is relative to the results goes below them.
std::span<const Parameter> JobSubmitter::parameters_of(const jobs::Step& step) {
  if (step.result_parameter == jobs::Step::no_parameter) return step.parameters;
  parameters_.assign(step.parameters.begin(), step.parameters.end());
  auto& path = std::get<std::string>(parameters_[step.result_parameter]);
  path = (results_ / path).string();
  return parameters_;
}

void JobSubmitter::make(const jobs::Step& step) {
  const core::DataId data = frontend_.add_data(step.type);
  ids_.emplace(key(step.datum), data);
  if (lane_ == nullptr) return;
  lane_->record(to_event(core::DatumEvent{.data = data,
                                          .from = frontend_.first_version(data),
                                          .family = step.datum.family,
                                          .element = step.datum.element}));
}

void JobSubmitter::take_task(const jobs::Step& step) {
  const auto reduces = [](const jobs::DatumAccess& access) { return access.reduction != nullptr; };
  if (std::ranges::none_of(step.accesses, reduces)) {
    keep(step);
    if (kept_count_ == kept_.size()) flush();
    return;
  }
  flush();
  ReductionList reductions(kernels_);
  for (const jobs::DatumAccess& access : step.accesses) {
    if (reduces(access)) reductions.add(*access.reduction);
  }
  keep(step);
  collect();
  trace_name(kept_.front(), frontend_.submit(tasks_.front(), reductions.all()));
  kept_count_ = 0;
}

void JobSubmitter::keep(const jobs::Step& step) {
  Kept& kept = kept_[kept_count_++];
  kept.kernel = id_of(*step.kernel);
  const bool can_share = step.kernel->allows_panels || step.kernel->uses_openmp;
  kept.cores = can_share ? static_cast<std::uint16_t>(step.cores) : std::uint16_t{1};
  kept.place = step.place;
  kept.accesses.clear();
  for (const jobs::DatumAccess& access : step.accesses) {
    kept.accesses.push_back({ids_.at(key(access.datum)), access.mode});
  }
  kept.name.assign(step.name);
  kept.parameters.clear();
  core::encode_parameters(parameters_of(step), kept.parameters);
}

void JobSubmitter::flush() {
  collect();
  if (frontend_.inserted() == 0) {
    const core::TaskId first = frontend_.submit(tasks_);  // this thread alone submits: the others follow it
    for (std::size_t i = 0; i < kept_count_; ++i) trace_name(kept_[i], core::TaskId(first.value() + i));
  } else {
    for (std::size_t i = 0; i < kept_count_; ++i) trace_name(kept_[i], frontend_.submit({&tasks_[i], 1}));
  }
  kept_count_ = 0;
}

/// What was kept, as the front-end takes it.
void JobSubmitter::collect() {
  tasks_.clear();
  for (const Kept& kept : std::span(kept_).first(kept_count_)) {
    tasks_.push_back({.kernel = kept.kernel,
                      .cores = kept.cores,
                      .accesses = kept.accesses,
                      .parameters = kept.parameters,
                      .place = kept.place,
                      .name = kept.name});
  }
}

void JobSubmitter::trace_name(const Kept& kept, core::TaskId task) {
  std::string_view text = std::string_view(kept.name).substr(0, name_bytes_traced);
  if (lane_ == nullptr || text.empty()) return;
  lane_->put(core::name_event(task));
  for (; !text.empty(); text.remove_prefix(std::min(text.size(), core::text_bytes_most))) {
    lane_->put(core::text_event(text.substr(0, core::text_bytes_most)));
  }
  lane_->publish();
}

core::KernelId JobSubmitter::id_of(const KernelDescription& kernel) {
  if (&kernel != last_kernel_) {
    last_kernel_ = &kernel;
    last_id_ = kernels_.at(kernel.name);
  }
  return last_id_;
}

}  // namespace penstock::runtime
