/// The kernels of a run that has no GPU, as tasks are checked against them: those without a body for cores refuse every
/// task when it is submitted.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <penstock/kernel.hpp>

namespace penstock::kernels {

/// Whether it makes a difference for any of them.
[[nodiscard]] bool any_for_gpus_only(std::span<const KernelDescription* const> kernels);

/// The same in the same order; `why`: a phrase that begins with "no GPU".
[[nodiscard]] std::vector<KernelDescription> without_gpus(std::span<const KernelDescription* const> kernels,
                                                          const std::string& why);

}  // namespace penstock::kernels
