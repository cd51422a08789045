/// Kernels as `penstock kernels` shows them: what a job file may say about each. Pure.
#pragma once

#include <span>
#include <string>

#include <penstock/kernel.hpp>

#include "plugins/loader.hpp"

namespace penstock::runtime {

/// A block of lines for each kernel: its summary, its accesses and its parameters.
[[nodiscard]] std::string kernels_text(std::span<const KernelDescription* const> kernels);

/// One kernel: its block, where it comes from, and a task of a job file that names all there is to name.
[[nodiscard]] std::string kernel_text(const KernelDescription& kernel, std::span<const plugins::Plugin> plugins);

/// Ending in a line break:
///
///     kernels   [{name, summary, plugin (path; null: built in), panels, openmp, devices: [kind, ...], flops, bytes
///     (whether known),
///                 accesses: [{name, modes: [mode, ...], dtypes: [dtype, ...] (null: any)}, ...],
///                 parameters: [{name, type, default (null: none), meaning}, ...]}, ...]
///     plugins   [{path, sha256}, ...]
[[nodiscard]] std::string kernels_json(std::span<const KernelDescription* const> kernels,
                                       std::span<const plugins::Plugin> plugins);
/// One of the objects in `kernels`.
[[nodiscard]] std::string kernel_json(const KernelDescription& kernel, std::span<const plugins::Plugin> plugins);

}  // namespace penstock::runtime
