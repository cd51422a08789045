// syrk: the product of a matrix and its transpose by BLAS' xSYRK (Dongarra et al., "A set of level 3 basic linear
// algebra subprograms", ACM TOMS 16, 1990).
#include <cblas.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

#include "kernels/builtin.hpp"
#include "kernels/describe.hpp"
#include "kernels/elements.hpp"
#include "kernels/matrix.hpp"
#include "kernels/text.hpp"

namespace penstock::kernels {

namespace {

struct Options {
  bool transpose;
  bool lower;
  double alpha;
  double beta;
};

Options options_of(Parameters parameters) {
  return {.transpose = std::get<bool>(parameters[0]),
          .lower = std::get<bool>(parameters[1]),
          .alpha = std::get<double>(parameters[2]),
          .beta = std::get<double>(parameters[3])};
}

std::int64_t inner_of(const Shape& a, bool transpose) { return a[transpose ? 0 : 1]; }
std::int64_t order_of(const Shape& a, bool transpose) { return a[transpose ? 1 : 0]; }

void call_blas(const Options& options, int inner, const Matrix<const float>& a, const Matrix<float>& c) {
  cblas_ssyrk(CblasRowMajor, options.lower ? CblasLower : CblasUpper, options.transpose ? CblasTrans : CblasNoTrans,
              static_cast<int>(c.rows), inner, static_cast<float>(options.alpha), a.data,
              std::max(1, static_cast<int>(a.stride)), static_cast<float>(options.beta), c.data,
              static_cast<int>(c.stride));
}

void call_blas(const Options& options, int inner, const Matrix<const double>& a, const Matrix<double>& c) {
  cblas_dsyrk(CblasRowMajor, options.lower ? CblasLower : CblasUpper, options.transpose ? CblasTrans : CblasNoTrans,
              static_cast<int>(c.rows), inner, options.alpha, a.data, std::max(1, static_cast<int>(a.stride)),
              options.beta, c.data, static_cast<int>(c.stride));
}

/// A c that is written only holds nothing yet: its other triangle becomes zero.
void run_syrk(const TaskContext& context) {
  const ArrayView& a = context.arrays[0];
  const ArrayView& c = context.arrays[1];
  const Options options = options_of(context.parameters);
  if (c.type.shape.count() == 0) return;
  with_real_type(c.type.dtype, [&]<class T>(std::type_identity<T>) {
    if (options.beta == 0.0) std::ranges::fill(elements<T>(c, {0, c.type.shape.count()}), T{0});
    const auto inner = static_cast<int>(inner_of(a.type.shape, options.transpose));
    call_blas(options, inner, Matrix<const T>(a), Matrix<T>(c));
  });
}

/// A body does not see how c is accessed; so beta says it, and what the other triangle becomes.
std::string check_syrk(Accesses accesses, Parameters parameters) {
  if (std::string fault = matrix_fault(accesses[0], "a"); !fault.empty()) return fault;
  if (std::string fault = matrix_beside_a_fault(accesses, 1, "c"); !fault.empty()) return fault;
  const Options options = options_of(parameters);
  const std::int64_t order = order_of(accesses[0].type.shape, options.transpose);
  if (accesses[1].type.shape != Shape{order, order}) {
    return "c is " + to_text(accesses[1].type) + ", but the product is " + Shape{order, order}.to_string();
  }
  if (options.beta == 0.0 && accesses[1].mode == AccessMode::read_write) {
    return "c is read_write, but beta is 0: its access needs to be write, which makes the other triangle zero";
  }
  return beta_fault(options.beta, accesses[1]);
}

double syrk_flops(Accesses accesses, Parameters parameters) {
  const auto inner = static_cast<double>(inner_of(accesses[0].type.shape, options_of(parameters).transpose));
  return 2.0 * inner * triangle_count(static_cast<double>(accesses[1].type.shape[0]));
}

double syrk_bytes(Accesses accesses, Parameters parameters) {
  const ArrayType& c = accesses[1].type;
  const double triangle_bytes = triangle_count(static_cast<double>(c.shape[0])) * static_cast<double>(size_of(c.dtype));
  const bool reads_c = options_of(parameters).beta != 0.0;
  return static_cast<double>(accesses[0].type.bytes()) +
         (reads_c ? 2.0 * triangle_bytes : static_cast<double>(c.bytes()));
}

}  // namespace

KernelDescription syrk_kernel() {
  AccessDescription c = writes("c", reals());
  c.allows_read_write = true;
  return {.name = "syrk",
          .summary =
              "One triangle of c = alpha * op(a) * transposed op(a) + beta * c for matrices of f32 or f64, op(a) of n "
              "rows and k columns, c of n by n; the other triangle becomes 0 when c is written, and stays as it was "
              "when c is read_write.",
          .accesses = {reads("a", reals()), c},
          .parameters = {boolean("transpose", false, "op(a) is a transposed"),
                         boolean("lower", true, "the triangle of c that is made"),
                         real("alpha", 1.0, "factor of the product; 0 does not read a"),
                         real("beta", 0.0, "factor of the old c: 0 with write, another number with read_write")},
          .cpu = run_syrk,
          .check = check_syrk,
          .flops = syrk_flops,
          .bytes = syrk_bytes};
}

}  // namespace penstock::kernels
