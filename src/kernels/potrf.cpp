// potrf: Cholesky's factor of a matrix by LAPACK's xPOTRF (Anderson et al., "LAPACK users' guide", 3rd edition, SIAM
// 1999). A lower triangle in row-major order is an upper one in LAPACK's column-major order, so that nothing is moved.
#include <cstdint>
#include <string>
#include <type_traits>

#include <penstock/error.hpp>

#include "kernels/builtin.hpp"
#include "kernels/describe.hpp"
#include "kernels/lapack.hpp"
#include "kernels/matrix.hpp"

namespace penstock::kernels {

namespace {

/// LAPACK libraries differ in whether they notice what is not a number; on the diagonal of the factor it shows.
template <class T>
std::int64_t first_bad_minor(const Matrix<T>& factor) {
  for (std::int64_t i = 0; i < factor.rows; ++i) {
    if (!(factor.at(i, i) > T{0})) return i + 1;
  }
  return 0;
}

template <class T>
void factorise(const Matrix<T>& a, bool lower) {
  if (a.rows == 0) return;
  std::int64_t bad_minor = potrf(lower ? 'U' : 'L', static_cast<int>(a.rows), a.data);
  if (bad_minor == 0) bad_minor = first_bad_minor(a);
  if (bad_minor == 0) return;
  throw Error(ErrorCode::invalid_argument,
              "a is not positive definite: the leading minor of order " + std::to_string(bad_minor) + " is not");
}

void run_potrf(const TaskContext& context) {
  const ArrayView& a = context.arrays[0];
  with_real_type(a.type.dtype, [&]<class T>(std::type_identity<T>) {
    factorise(Matrix<T>(a), std::get<bool>(context.parameters[0]));
  });
}

std::string check_potrf(Accesses accesses, Parameters) { return matrix_fault(accesses[0], "a", true); }

double potrf_flops(Accesses accesses, Parameters) {
  const auto n = static_cast<double>(accesses[0].type.shape[0]);
  return n * n * n / 3.0;
}

double potrf_bytes(Accesses accesses, Parameters) {
  const ArrayType& a = accesses[0].type;
  return 2.0 * triangle_count(static_cast<double>(a.shape[0])) * static_cast<double>(size_of(a.dtype));
}

}  // namespace

KernelDescription potrf_kernel() {
  return {.name = "potrf",
          .summary =
              "Cholesky's factor of a symmetric positive definite matrix a of n by n, f32 or f64, in place of one "
              "triangle: a = l * transposed l (lower) or transposed u * u; the other triangle is neither read nor "
              "written. Fails where a is not positive definite.",
          .accesses = {changes("a", reals())},
          .parameters = {boolean("lower", true, "the triangle that is read and becomes the factor")},
          .cpu = run_potrf,
          .check = check_potrf,
          .flops = potrf_flops,
          .bytes = potrf_bytes};
}

}  // namespace penstock::kernels
