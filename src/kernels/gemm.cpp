// gemm: the product of two matrices by BLAS' xGEMM (Dongarra et al., "A set of level 3 basic linear algebra
// subprograms", ACM TOMS 16, 1990), row-major. A panel is a part of c's rows, or of its columns when the rows are few;
// its sums may be rounded differently from those of another partition, as BLAS chooses its inner kernels by size.
#include <cblas.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "kernels/builtin.hpp"
#include "kernels/elements.hpp"
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

Options options_of(std::span<const Parameter> parameters) {
  return {.transpose_a = std::get<bool>(parameters[0]),
          .transpose_b = std::get<bool>(parameters[1]),
          .alpha = std::get<double>(parameters[2]),
          .beta = std::get<double>(parameters[3])};
}

/// A row-major matrix, or a part of one: rows are `stride` elements apart.
template <class T>
struct Matrix {
  explicit Matrix(const ArrayView& array)
      : data(reinterpret_cast<T*>(array.data)),
        rows(array.type.shape[0]),
        columns(array.type.shape[1]),
        stride(columns) {}

  [[nodiscard]] Matrix some_rows(Interval part) const {
    Matrix matrix = *this;
    matrix.data += part.begin * stride;
    matrix.rows = part.length();
    return matrix;
  }
  [[nodiscard]] Matrix some_columns(Interval part) const {
    Matrix matrix = *this;
    matrix.data += part.begin;
    matrix.columns = part.length();
    return matrix;
  }

  T* data;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t stride;
};

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
  if (context.arrays[2].type.dtype == DType::f32)
    run_panel<float>(context);
  else
    run_panel<double>(context);
}

constexpr const char* names[] = {"a", "b", "c"};

/// What is wrong with one matrix by itself, or beside a.
std::string matrix_fault(std::span<const TaskAccess> accesses, std::size_t index) {
  const ArrayType& type = accesses[index].type;
  const std::string begin = std::string(names[index]) + " is " + to_text(type);
  if (type.shape.dimensions() != 2) return begin + ", but needs two extents";
  if (type.dtype != accesses[0].type.dtype) {
    return begin + ", but a is " + std::string(penstock::name_of(accesses[0].type.dtype)) + ": dtypes need to be equal";
  }
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (type.shape[0] > most || type.shape[1] > most) return begin + ", but BLAS takes extents up to 2147483647";
  return {};
}

std::string check_gemm(std::span<const TaskAccess> accesses, std::span<const Parameter> parameters) {
  for (std::size_t i = 0; i < 3; ++i) {
    if (std::string fault = matrix_fault(accesses, i); !fault.empty()) return fault;
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
  if (options.beta != 0.0 && accesses[2].mode != AccessMode::read_write) {
    return "beta is " + to_text(options.beta) + ", but c is written only: its access needs to be read_write";
  }
  return {};
}

AccessDescription matrix(const char* name, AccessMode mode, bool allows_read_write) {
  return {.name = name, .mode = mode, .dtypes = {DType::f32, DType::f64}, .allows_read_write = allows_read_write};
}

ParameterDescription parameter(const char* name, ParameterType type, Parameter value, const char* meaning) {
  return {.name = name, .type = type, .default_value = std::move(value), .meaning = meaning};
}

}  // namespace

KernelDescription gemm_kernel() {
  return {.name = "gemm",
          .summary =
              "c = alpha * op(a) * op(b) + beta * c for matrices of f32 or f64, op(a) of m rows and k columns, "
              "op(b) of k rows and n columns, c of m rows and n columns.",
          .accesses = {matrix("a", AccessMode::read, false), matrix("b", AccessMode::read, false),
                       matrix("c", AccessMode::write, true)},
          .parameters = {parameter("transpose_a", ParameterType::boolean, false, "op(a) is a transposed"),
                         parameter("transpose_b", ParameterType::boolean, false, "op(b) is b transposed"),
                         parameter("alpha", ParameterType::real, 1.0, "factor of the product; 0 reads neither a nor b"),
                         parameter("beta", ParameterType::real, 0.0, "factor of the old c; if not 0, c is read_write")},
          .cpu = run_gemm,
          .allows_panels = true,
          .check = check_gemm};
}

}  // namespace penstock::kernels
