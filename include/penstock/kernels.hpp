/// The built-in kernels; `penstock kernels`-style descriptions are in the registry under the same names.
#pragma once

#include <penstock/kernel.hpp>

namespace penstock {

/// c = alpha * op(a) * op(b) + beta * c for matrices, f32 or f64. Accesses: read a, read b, write c (read_write when
/// beta is not 0). Parameters: transpose_a, transpose_b (false), alpha (1), beta (0). With cores(k): k panels of c.
inline constexpr KernelName gemm{"gemm"};
/// c = a + b by element; any dtype, equal shapes. Accesses: read a, read b, write c.
inline constexpr KernelName add{"add"};
/// x = x + by, by element; any dtype. Accesses: read_write x. Parameters: by (1).
inline constexpr KernelName increment{"increment"};
/// Burns `microseconds` of a core's time and touches no data. Parameters: microseconds.
inline constexpr KernelName spin{"spin"};

}  // namespace penstock
