#include "kernels/without_gpus.hpp"

#include <algorithm>

namespace penstock::kernels {

bool any_for_gpus_only(std::span<const KernelDescription* const> kernels) {
  return std::ranges::any_of(kernels, [](const KernelDescription* kernel) { return !kernel->cpu; });
}

std::vector<KernelDescription> without_gpus(std::span<const KernelDescription* const> kernels, const std::string& why) {
  std::vector<KernelDescription> all;
  all.reserve(kernels.size());
  for (const KernelDescription* const kernel : kernels) {
    all.push_back(*kernel);
    if (kernel->cpu) continue;
    all.back().check = [fault = "it runs on GPUs only, and there is " + why](
                           std::span<const TaskAccess> /*accesses*/, std::span<const Parameter> /*parameters*/) {
      return fault;
    };
  }
  return all;
}

}  // namespace penstock::kernels
