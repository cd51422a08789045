// gemm: the product of two matrices by BLAS' xGEMM (Dongarra et al., "A set of level 3 basic linear algebra
// subprograms", ACM TOMS 16, 1990), row-major. A panel is a part of c's rows, or of its columns when the rows are few;
// its sums may be rounded differently from those of another partition, as BLAS chooses its inner kernels by size.
#include <cblas.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "kernels/builtin.hpp"
#include "kernels/describe.hpp"
#include "kernels/elements.hpp"
#include "kernels/matrix.hpp"
#include "kernels/text.hpp"

namespace penstock::kernels {

namespace {

/// Rows and columns of panels are multiples of this, the widest register tile of common BLAS libraries.
constexpr std::int64_t tile = 16;

struct Options {
  bool transpose_a;
  bool transpose_b;
  double alpha;
  double beta;
};

Options options_of(Parameters parameters) {
  return {.transpose_a = std::get<bool>(parameters[0]),
          .transpose_b = std::get<bool>(parameters[1]),
          .alpha = std::get<double>(parameters[2]),
          .beta = std::get<double>(parameters[3])};
}

/// c = beta * c, where a beta of 0 does not read c.
template <class T>
void scale(const Matrix<T>& c, T beta) {
  for (std::int64_t row = 0; row < c.rows; ++row) {
    const std::span<T> line(c.data + row * c.stride, static_cast<std::size_t>(c.columns));
    if (beta == T{0})
      std::ranges::fill(line, T{0});
    else
      for (T& element : line) element *= beta;
  }
}

void call_blas(const Options& options, const Matrix<const float>& a, const Matrix<const float>& b,
               const Matrix<float>& c) {
  const std::int64_t inner = options.transpose_a ? a.rows : a.columns;
  cblas_sgemm(CblasRowMajor, options.transpose_a ? CblasTrans : CblasNoTrans,
              options.transpose_b ? CblasTrans : CblasNoTrans, static_cast<int>(c.rows), static_cast<int>(c.columns),
              static_cast<int>(inner), static_cast<float>(options.alpha), a.data, static_cast<int>(a.stride), b.data,
              static_cast<int>(b.stride), static_cast<float>(options.beta), c.data, static_cast<int>(c.stride));
}

void call_blas(const Options& options, const Matrix<const double>& a, const Matrix<const double>& b,
               const Matrix<double>& c) {
  const std::int64_t inner = options.transpose_a ? a.rows : a.columns;
  cblas_dgemm(CblasRowMajor, options.transpose_a ? CblasTrans : CblasNoTrans,
              options.transpose_b ? CblasTrans : CblasNoTrans, static_cast<int>(c.rows), static_cast<int>(c.columns),
              static_cast<int>(inner), options.alpha, a.data, static_cast<int>(a.stride), b.data,
              static_cast<int>(b.stride), options.beta, c.data, static_cast<int>(c.stride));
}

template <class T>
void multiply(const Options& options, const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c) {
  if (c.rows == 0 || c.columns == 0) return;
  // What BLAS defines for these, but not every library does: a and b are not read.
  const bool is_scaling = options.alpha == 0.0 || (options.transpose_a ? a.rows : a.columns) == 0;
  if (is_scaling)
    scale(c, static_cast<T>(options.beta));
  else
    call_blas(options, a, b, c);
}

template <class T>
void run_panel(const TaskContext& context) {
  const Options options = options_of(context.parameters);
  const Matrix<const T> a(context.arrays[0]);
  const Matrix<const T> b(context.arrays[1]);
  const Matrix<T> c(context.arrays[2]);
  const bool by_rows = c.rows >= c.columns || c.rows >= tile * context.panel_count;
  const Interval part = panel_of(by_rows ? c.rows : c.columns, tile, context.panel, context.panel_count);
  if (by_rows) {
    multiply(options, options.transpose_a ? a.some_columns(part) : a.some_rows(part), b, c.some_rows(part));
  } else {
    multiply(options, a, options.transpose_b ? b.some_rows(part) : b.some_columns(part), c.some_columns(part));
  }
}

void run_gemm(const TaskContext& context) {
  with_real_type(context.arrays[2].type.dtype, [&]<class T>(std::type_identity<T>) { run_panel<T>(context); });
}

std::string check_gemm(Accesses accesses, Parameters parameters) {
  constexpr const char* names[] = {"a", "b", "c"};
  for (std::size_t i = 0; i < 3; ++i) {
    if (std::string fault = matrix_beside_a_fault(accesses, i, names[i]); !fault.empty()) return fault;
  }
  const Options options = options_of(parameters);
  const Shape& a = accesses[0].type.shape;
  const Shape& b = accesses[1].type.shape;
  const Shape& c = accesses[2].type.shape;
  const std::int64_t inner = a[options.transpose_a ? 0 : 1];
  if (b[options.transpose_b ? 1 : 0] != inner) {
    return "b is " + to_text(accesses[1].type) + ", but " + (options.transpose_a ? "transposed a" : "a") + " has " +
           std::to_string(inner) + " columns: b needs " + std::to_string(inner) +
           (options.transpose_b ? " columns, as it is transposed" : " rows");
  }
  const Shape product{a[options.transpose_a ? 1 : 0], b[options.transpose_b ? 0 : 1]};
  if (c != product) return "c is " + to_text(accesses[2].type) + ", but the product is " + product.to_string();
  return beta_fault(options.beta, accesses[2]);
}

double gemm_flops(Accesses accesses, Parameters parameters) {
  const Shape& a = accesses[0].type.shape;
  const Shape& c = accesses[2].type.shape;
  const std::int64_t inner = a[options_of(parameters).transpose_a ? 0 : 1];
  return 2.0 * static_cast<double>(c[0]) * static_cast<double>(c[1]) * static_cast<double>(inner);
}

}  // namespace

KernelDescription gemm_kernel() {
  AccessDescription c = writes("c", reals());
  c.allows_read_write = true;
  return {.name = "gemm",
          .summary =
              "c = alpha * op(a) * op(b) + beta * c for matrices of f32 or f64, op(a) of m rows and k columns, "
              "op(b) of k rows and n columns, c of m rows and n columns.",
          .accesses = {reads("a", reals()), reads("b", reals()), c},
          .parameters = {boolean("transpose_a", false, "op(a) is a transposed"),
                         boolean("transpose_b", false, "op(b) is b transposed"),
                         real("alpha", 1.0, "factor of the product; 0 reads neither a nor b"),
                         real("beta", 0.0, "factor of the old c; if not 0, c is read_write")},
          .cpu = run_gemm,
          .allows_panels = true,
          .check = check_gemm,
          .flops = gemm_flops};
}

}  // namespace penstock::kernels
