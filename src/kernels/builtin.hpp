/// The built-in kernels: one function a kernel, which makes its description. The list is complete and explicit, because
/// static objects that register themselves are left out when an archive is linked.
#pragma once

#include <penstock/kernel.hpp>

namespace penstock::kernels {

/// c = alpha * op(a) * op(b) + beta * c by the BLAS that was linked.
[[nodiscard]] KernelDescription gemm_kernel();
/// c = a + b by element; integers wrap around.
[[nodiscard]] KernelDescription add_kernel();
/// x = x + by; integers wrap around.
[[nodiscard]] KernelDescription increment_kernel();
/// Every element is one value.
[[nodiscard]] KernelDescription fill_kernel();
/// 0, 1, 2, ... in row-major order.
[[nodiscard]] KernelDescription iota_kernel();
/// Numbers that depend on seed and index alone.
[[nodiscard]] KernelDescription uniform_kernel();
/// x from an .npy file.
[[nodiscard]] KernelDescription load_kernel();
/// x to an .npy file.
[[nodiscard]] KernelDescription save_kernel();
/// Burns a core's time.
[[nodiscard]] KernelDescription spin_kernel();

inline constexpr KernelDescription (*built_in_kernels[])() = {gemm_kernel, add_kernel,  increment_kernel,
                                                              fill_kernel, iota_kernel, uniform_kernel,
                                                              load_kernel, save_kernel, spin_kernel};

}  // namespace penstock::kernels
