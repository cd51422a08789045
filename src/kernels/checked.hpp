/// Kernels whose bodies are watched: for finding tasks that do not keep to what was declared. A decorator of the bodies
/// for cores, so that whoever runs them need not know; GPUs are not watched.
///
/// Of an access declared read the body gets a copy of its own, which is compared with the array afterwards: the data
/// stay unharmed, and the failure is that of the task which wrote. An access declared write, and never read_write, is
/// filled with a pattern before; an element that still has it afterwards was never written. A body may write that very
/// value, of four bytes by mere chance, or copy it: where an element has it the body is run once more over another
/// pattern, and only an element that keeps both counts. A task in panels is watched for what it reads alone: its panels
/// share what they write.
#pragma once

#include <span>
#include <vector>

#include <penstock/kernel.hpp>

namespace penstock::kernels {

/// The same kernels in the same order, each with a watched body, which throws Error (invalid_argument) that names the
/// access, how many elements are concerned, and the indices of the first. `kernels` must outlive them.
[[nodiscard]] std::vector<KernelDescription> checked(std::span<const KernelDescription* const> kernels);

}  // namespace penstock::kernels
