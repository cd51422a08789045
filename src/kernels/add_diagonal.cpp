// add_diagonal: a multiple of the unit matrix, as makes a symmetric matrix positive definite.
#include <cstdint>
#include <string>
#include <type_traits>

#include "kernels/arithmetic.hpp"
#include "kernels/builtin.hpp"
#include "kernels/describe.hpp"
#include "kernels/elements.hpp"
#include "kernels/matrix.hpp"

namespace penstock::kernels {

namespace {

void run_add_diagonal(const TaskContext& context) {
  const ArrayView& array = context.arrays[0];
  const double by = std::get<double>(context.parameters[0]);
  with_element_type(array.type.dtype, [&]<class T>(std::type_identity<T>) {
    const Matrix<T> a(array);
    for (std::int64_t i = 0; i < a.rows; ++i) a.at(i, i) = plus(a.at(i, i), static_cast<T>(by));
  });
}

std::string check_add_diagonal(Accesses accesses, Parameters parameters) {
  if (std::string fault = matrix_fault(accesses[0], "a", true); !fault.empty()) return fault;
  return number_fault("by", std::get<double>(parameters[0]), accesses[0].type);
}

double add_diagonal_flops(Accesses accesses, Parameters) {
  const ArrayType& a = accesses[0].type;
  return is_real(a.dtype) ? static_cast<double>(a.shape[0]) : 0.0;
}

double add_diagonal_bytes(Accesses accesses, Parameters) {
  const ArrayType& a = accesses[0].type;
  return 2.0 * static_cast<double>(a.shape[0]) * static_cast<double>(size_of(a.dtype));
}

}  // namespace

KernelDescription add_diagonal_kernel() {
  return {.name = "add_diagonal",
          .summary = "a = a + by * the unit matrix, for a square matrix a; integers wrap around.",
          .accesses = {changes("a")},
          .parameters = {real("by", std::nullopt, "what is added to the diagonal, rounded to the dtype of a")},
          .cpu = run_add_diagonal,
          .check = check_add_diagonal,
          .flops = add_diagonal_flops,
          .bytes = add_diagonal_bytes};
}

}  // namespace penstock::kernels
