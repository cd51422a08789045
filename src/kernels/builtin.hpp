/// The built-in kernels: one function a kernel, which makes its description; its summary there says what it does. The
/// list is complete and explicit, because static objects that register themselves are left out when an archive is
/// linked.
#pragma once

#include <penstock/kernel.hpp>

namespace penstock::kernels {

// new arrays
[[nodiscard]] KernelDescription fill_kernel();
[[nodiscard]] KernelDescription iota_kernel();
[[nodiscard]] KernelDescription uniform_kernel();
[[nodiscard]] KernelDescription normal_kernel();

// element by element
[[nodiscard]] KernelDescription add_kernel();
[[nodiscard]] KernelDescription mul_kernel();
[[nodiscard]] KernelDescription increment_kernel();
[[nodiscard]] KernelDescription scale_kernel();
[[nodiscard]] KernelDescription axpy_kernel();
[[nodiscard]] KernelDescription copy_kernel();
[[nodiscard]] KernelDescription relu_kernel();
[[nodiscard]] KernelDescription relu_gradient_kernel();

// reductions by element
[[nodiscard]] KernelDescription combine_kernel();
[[nodiscard]] KernelDescription neutral_kernel();

// one number of an array
[[nodiscard]] KernelDescription sum_kernel();
[[nodiscard]] KernelDescription max_kernel();
[[nodiscard]] KernelDescription norm2_kernel();

// matrices
[[nodiscard]] KernelDescription gemm_kernel();
[[nodiscard]] KernelDescription potrf_kernel();
[[nodiscard]] KernelDescription trsm_kernel();
[[nodiscard]] KernelDescription syrk_kernel();
[[nodiscard]] KernelDescription add_diagonal_kernel();

// .npy files
[[nodiscard]] KernelDescription load_kernel();
[[nodiscard]] KernelDescription save_kernel();
[[nodiscard]] KernelDescription save_part_kernel();
[[nodiscard]] KernelDescription publish_kernel();

// time
[[nodiscard]] KernelDescription spin_kernel();
[[nodiscard]] KernelDescription sleep_kernel();

// functions of the program
[[nodiscard]] KernelDescription then_kernel();

inline constexpr KernelDescription (*built_in_kernels[])() = {
    fill_kernel,          iota_kernel,         uniform_kernel, normal_kernel,    add_kernel,     mul_kernel,
    increment_kernel,     scale_kernel,        axpy_kernel,    copy_kernel,      relu_kernel,    sum_kernel,
    relu_gradient_kernel, max_kernel,          norm2_kernel,   gemm_kernel,      potrf_kernel,   trsm_kernel,
    syrk_kernel,          load_kernel,         save_kernel,    save_part_kernel, publish_kernel, spin_kernel,
    sleep_kernel,         add_diagonal_kernel, combine_kernel, neutral_kernel,   then_kernel};

}  // namespace penstock::kernels
