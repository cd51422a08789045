/// The built-in kernels by name, for submit(). `penstock kernels` prints the same descriptions, with every parameter
/// and its default. What fills new arrays (fill, iota, uniform, normal, load) is an Origin in <penstock/array.hpp>, and
/// as a task of its own KernelName("uniform"). Kernels "by element" take arrays of one shape and any dtype, wrap
/// integers around, and run as k panels with cores(k); the others run on one core unless they say so.
#pragma once

#include <penstock/array.hpp>
#include <penstock/kernel.hpp>

namespace penstock {

/// c = a + b by element. Accesses: read a, read b, write c.
inline constexpr KernelName add{"add"};
/// c = a * b by element. Accesses: read a, read b, write c.
inline constexpr KernelName mul{"mul"};
/// x = x + by, by element. Accesses: read_write x. Parameters: by (1).
inline constexpr KernelName increment{"increment"};
/// x = x * by, by element. Accesses: read_write x. Parameters: by.
inline constexpr KernelName scale{"scale"};
/// y = y + alpha * x by element, each step rounded. Accesses: read x, read_write y. Parameters: alpha (1).
inline constexpr KernelName axpy{"axpy"};
/// y = x. Accesses: read x, write y. With cores(k): k panels.
inline constexpr KernelName copy{"copy"};
/// y = max(x, 0) by element; what is not a number stays so. Accesses: read x, write y.
inline constexpr KernelName relu{"relu"};
/// dx = dy where x > 0, else 0, by element. Accesses: read x, read dy, write dx.
inline constexpr KernelName relu_gradient{"relu_gradient"};

namespace detail {
struct Sum : KernelName, Operation {
  constexpr Sum() : KernelName("sum"), Operation("sum") {}
};
}  // namespace detail
/// s = the sum of all elements of x, in a pairwise order that depends on their number alone. s is one element, of shape
/// [] or [1], of the dtype of x. Accesses: read x, write s. In reduce(y, sum): the sum by element of what tasks make.
inline constexpr detail::Sum sum;
/// s = the greatest element of x, which must not be empty; not a number if one is not. s as for sum. Accesses: read x,
/// write s.
inline constexpr KernelName max{"max"};
/// s = the square root of the sum of the squares of all elements of x, f32 or f64, without overflow on the way. s as
/// for sum. Accesses: read x, write s.
inline constexpr KernelName norm2{"norm2"};

/// c = alpha * op(a) * op(b) + beta * c for matrices, f32 or f64. Accesses: read a, read b, write c (read_write when
/// beta is not 0). Parameters: transpose_a, transpose_b (false), alpha (1), beta (0). With cores(k): k panels of c.
inline constexpr KernelName gemm{"gemm"};
/// Cholesky's factor in place of one triangle of a symmetric positive definite matrix, f32 or f64; the other triangle
/// is not touched. The task fails where a is not positive definite, and says which leading minor is not. Accesses:
/// read_write a. Parameters: lower (true).
inline constexpr KernelName potrf{"potrf"};
/// Solves op(a) * x = alpha * b or x * op(a) = alpha * b for a triangular matrix a, f32 or f64, x in place of b. The
/// task fails where the diagonal of a has a zero. Accesses: read a, read_write b. Parameters: side ("left" or "right",
/// where op(a) stands), lower (true), transpose (false), unit_diagonal (false), alpha (1).
inline constexpr KernelName trsm{"trsm"};
/// One triangle of c = alpha * op(a) * transposed op(a) + beta * c, f32 or f64. Accesses: read a; write c with a beta
/// of 0, which makes the other triangle zero, or read_write c with another beta, which leaves it. Parameters: transpose
/// (false), lower (true), alpha (1), beta (0).
inline constexpr KernelName syrk{"syrk"};
/// a = a + by * the unit matrix, for a square matrix of any dtype. Accesses: read_write a. Parameters: by.
inline constexpr KernelName add_diagonal{"add_diagonal"};

/// x = the array of an .npy file, or with `part` the block of x's shape that begins at `row` and `column` of it.
/// Accesses: write x. Parameters: path, part (false), row (0), column (0).
inline constexpr KernelName load{"load"};
/// Writes x to an .npy file, whole or not at all. Accesses: read x. Parameters: path.
inline constexpr KernelName save{"save"};
/// Writes x as a block of an array of `rows` by `columns` (0: of one extent) that begins at `row` and `column`, to the
/// file that publish() gives the name `path`; any number of tasks on any ranks at once, on a file system that all of
/// them see alike. `written`, one element of i64, becomes the number of elements of x. Accesses: read x, write written.
/// Parameters: path, rows, columns (0), row (0), column (0).
inline constexpr KernelName save_part{"save_part"};
/// Gives the file that save_part wrote its name once `written`, the sum of what the parts wrote, is `elements` and the
/// file is whole and on the disk; the task fails otherwise. Accesses: read written. Parameters: path, elements.
inline constexpr KernelName publish{"publish"};

/// Burns `microseconds` of a core's time and touches no data. Parameters: microseconds.
inline constexpr KernelName spin{"spin"};
/// Keeps a core's slot for `microseconds` without using the core and touches no data. Parameters: microseconds.
inline constexpr KernelName sleep{"sleep"};

}  // namespace penstock
