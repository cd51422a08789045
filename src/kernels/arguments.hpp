/// Whether the arguments of a task fit its kernel. Called on the submitting thread, once a task, before anything else
/// happens to it, so that a mistake is reported at the line that made it. Pure; any thread.
#pragma once

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <penstock/error.hpp>
#include <penstock/kernel.hpp>

namespace penstock::kernels {

using NamedValue = std::pair<std::string_view, Parameter>;

/// Writes the complete list of parameters to `out`, whose memory is reused, in the description's order: `positional`
/// values are the first ones, `named` ones follow in any order, defaults fill the rest. An integer becomes a real where
/// one is wanted; no other type is converted. Throws Error (invalid_argument), one line that begins with the kernel's
/// name, for an unknown name (with the nearest), too many values, a value given twice, a wrong type, or a missing
/// value.
void resolve_parameters(const KernelDescription& kernel, std::span<const NamedValue> named,
                        std::span<const Parameter> positional, std::vector<Parameter>& out);

/// Checks number, modes and dtypes of the accesses, then asks the kernel's own check. `parameters` are resolved ones.
/// Throws Error (invalid_argument), one line that begins with the kernel's name.
void check_accesses(const KernelDescription& kernel, std::span<const TaskAccess> accesses,
                    std::span<const Parameter> parameters);

/// The same in three steps, for a caller to whom a list of accesses, each with its shape, is worth its price only where
/// the kernel has a check of its own.
void check_access_count(const KernelDescription& kernel, std::size_t count);
void check_access(const KernelDescription& kernel, std::size_t index, AccessMode mode, const ArrayType& type);
void check_fit(const KernelDescription& kernel, std::span<const TaskAccess> accesses,
               std::span<const Parameter> parameters);

}  // namespace penstock::kernels
