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

struct NamedValue {
  std::string name;
  Parameter value;
};
/// The parameters in the kernel's order, defaults filled in; an integer for a real is converted. Throws Mistake for an
/// unknown name, a wrong type or a missing parameter.
[[nodiscard]] std::vector<Parameter> complete_parameters(const KernelDescription& kernel,
                                                         std::span<const NamedValue> given);

/// `value` as the kernel's parameter `index` wants it. Throws Mistake when its type is another.
[[nodiscard]] Parameter converted_parameter(const KernelDescription& kernel, std::size_t index, const Parameter& value);
/// The place of the parameter in the kernel's list. Throws Mistake when there is none of that name.
[[nodiscard]] std::size_t parameter_index(const KernelDescription& kernel, std::string_view name);

/// Throws Mistake when dtypes, shapes and parameters do not fit each other or the kernel. `names` are the data's.
void check_types(const KernelDescription& kernel, std::span<const TaskAccess> accesses,
                 std::span<const std::string_view> names, std::span<const Parameter> parameters);

}  // namespace penstock::jobs
