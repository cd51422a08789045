/// The kernels a job may name, and what their descriptions say about one use of them. Pure; borrows the descriptions.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <penstock/kernel.hpp>

namespace penstock::jobs {

using Kernels = std::span<const KernelDescription* const>;

/// Null when there is none of that name.
[[nodiscard]] const KernelDescription* find_kernel(Kernels kernels, std::string_view name);

/// Throws Mistake, with the most similar name, when there is none of that name.
[[nodiscard]] const KernelDescription& need_kernel(Kernels kernels, std::string_view name);

/// `value` as the kernel's parameter `index` wants it. Throws Mistake when its type is another.
[[nodiscard]] Parameter converted_parameter(const KernelDescription& kernel, std::size_t index, const Parameter& value);
/// The place of the parameter in the kernel's list. Throws Mistake when there is none of that name.
[[nodiscard]] std::size_t parameter_index(const KernelDescription& kernel, std::string_view name);

/// Throws Mistake: the kernel's parameter `index` must be given.
[[noreturn]] void fail_missing(const KernelDescription& kernel, std::size_t index);

}  // namespace penstock::jobs
