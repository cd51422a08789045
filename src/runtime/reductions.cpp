#include "runtime/reductions.hpp"

#include <array>
#include <string>
#include <utility>

#include "core/parameters.hpp"
#include "kernels/arguments.hpp"

namespace penstock::runtime {

void ReductionList::add(const detail::ReductionParts& parts, const ArrayType& type) {
  const bool is_own = parts.combine != nullptr;
  const auto built_in = [&](const char* kernel) {
    return Origin{kernel, {{"operation", Parameter(std::string(parts.operation))}}};
  };
  const std::array<TaskAccess, 2> both{{{AccessMode::read_write, type}, {AccessMode::read, type}}};
  const TaskAccess filled{AccessMode::write, type};
  const Call combine = call(is_own ? Origin{parts.combine, {}} : built_in("combine"), both);
  add(combine, call(is_own ? *parts.neutral : built_in("neutral"), {&filled, 1}), !is_own);
}

void ReductionList::add(const jobs::Reduction& reduction) {
  const Call combine = call(kernels_.at(reduction.combine->name), reduction.combine_parameters);
  add(combine, call(kernels_.at(reduction.neutral->name), reduction.neutral_parameters), reduction.is_built_in);
}

void ReductionList::add(const Call& combine, const Call& neutral, bool is_built_in) {
  list_.push_back({.combine = combine.kernel,
                   .combine_parameters = combine.parameters,
                   .neutral = neutral.kernel,
                   .neutral_parameters = neutral.parameters,
                   .name = is_built_in ? "" : "combine"});
}

/// A kernel with parameters, as an Origin has them, on arrays that it takes.
ReductionList::Call ReductionList::call(const Origin& kernel, std::span<const TaskAccess> accesses) {
  const core::KernelId id = kernels_.at(kernel.kernel);
  const std::vector<kernels::NamedValue> named(kernel.parameters.begin(), kernel.parameters.end());
  std::vector<Parameter> parameters;
  kernels::resolve_parameters(kernels_[id], named, {}, parameters);
  kernels::check_accesses(kernels_[id], accesses, parameters);
  return call(id, parameters);
}

ReductionList::Call ReductionList::call(core::KernelId kernel, std::span<const Parameter> parameters) {
  std::vector<std::byte>& encoded = encoded_.emplace_back();
  core::encode_parameters(parameters, encoded);
  return {.kernel = kernel, .parameters = encoded};
}

}  // namespace penstock::runtime
