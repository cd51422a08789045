// trsm: triangular systems with many right-hand sides by BLAS' xTRSM (Dongarra et al., "A set of level 3 basic linear
// algebra subprograms", ACM TOMS 16, 1990), of a large triangle by halves (Elmroth et al., "Recursive blocked
// algorithms and hybrid data structures for dense matrix library software", SIAM Review 46, 2004): most of the work is
// then a product, at which BLAS libraries are half as quick again as at a tile's triangle.
#include <cblas.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include <penstock/error.hpp>

#include "kernels/builtin.hpp"
#include "kernels/describe.hpp"
#include "kernels/matrix.hpp"
#include "kernels/text.hpp"

namespace penstock::kernels {

namespace {

constexpr std::int64_t triangle_most = 32;

struct Options {
  bool right;
  bool lower;
  bool transpose;
  bool unit_diagonal;
  double alpha;

  [[nodiscard]] CBLAS_SIDE side() const { return right ? CblasRight : CblasLeft; }
  [[nodiscard]] CBLAS_TRANSPOSE transposition() const { return transpose ? CblasTrans : CblasNoTrans; }
  /// Whether the first rows or columns of b are the ones that depend on no others.
  [[nodiscard]] bool is_forward() const { return (lower != transpose) != right; }
  [[nodiscard]] CBLAS_DIAG diagonal() const { return unit_diagonal ? CblasUnit : CblasNonUnit; }
};

Options options_of(Parameters parameters) {
  return {.right = std::get<std::string>(parameters[0]) == "right",
          .lower = std::get<bool>(parameters[1]),
          .transpose = std::get<bool>(parameters[2]),
          .unit_diagonal = std::get<bool>(parameters[3]),
          .alpha = std::get<double>(parameters[4])};
}

void call_blas(const Options& options, const Matrix<const float>& a, const Matrix<float>& b) {
  cblas_strsm(CblasRowMajor, options.side(), options.lower ? CblasLower : CblasUpper, options.transposition(),
              options.diagonal(), static_cast<int>(b.rows), static_cast<int>(b.columns),
              static_cast<float>(options.alpha), a.data, static_cast<int>(a.stride), b.data,
              static_cast<int>(b.stride));
}

void call_blas(const Options& options, const Matrix<const double>& a, const Matrix<double>& b) {
  cblas_dtrsm(CblasRowMajor, options.side(), options.lower ? CblasLower : CblasUpper, options.transposition(),
              options.diagonal(), static_cast<int>(b.rows), static_cast<int>(b.columns), options.alpha, a.data,
              static_cast<int>(a.stride), b.data, static_cast<int>(b.stride));
}

/// c = beta * c - left * right, of which the options' a is one.
void subtract_product(const Options& options, const Matrix<const float>& left, const Matrix<const float>& right,
                      float beta, const Matrix<float>& c) {
  cblas_sgemm(CblasRowMajor, options.right ? CblasNoTrans : options.transposition(),
              options.right ? options.transposition() : CblasNoTrans, static_cast<int>(c.rows),
              static_cast<int>(c.columns), static_cast<int>(options.right ? left.columns : right.rows), -1.0F,
              left.data, static_cast<int>(left.stride), right.data, static_cast<int>(right.stride), beta, c.data,
              static_cast<int>(c.stride));
}

void subtract_product(const Options& options, const Matrix<const double>& left, const Matrix<const double>& right,
                      double beta, const Matrix<double>& c) {
  cblas_dgemm(CblasRowMajor, options.right ? CblasNoTrans : options.transposition(),
              options.right ? options.transposition() : CblasNoTrans, static_cast<int>(c.rows),
              static_cast<int>(c.columns), static_cast<int>(options.right ? left.columns : right.rows), -1.0, left.data,
              static_cast<int>(left.stride), right.data, static_cast<int>(right.stride), beta, c.data,
              static_cast<int>(c.stride));
}

template <class T>
void solve_by_halves(Options options, const Matrix<const T>& a, const Matrix<T>& b) {
  if (a.rows <= triangle_most) return call_blas(options, a, b);
  Interval first{0, a.rows / 2};
  Interval second{a.rows / 2, a.rows};
  const Matrix<const T> between =
      options.lower ? a.some_rows(second).some_columns(first) : a.some_rows(first).some_columns(second);
  if (!options.is_forward()) std::swap(first, second);
  const auto part = [&](Interval of_b) { return options.right ? b.some_columns(of_b) : b.some_rows(of_b); };
  solve_by_halves(options, a.some_rows(first).some_columns(first), part(first));
  const Matrix<const T> solved(part(first));
  subtract_product(options, options.right ? solved : between, options.right ? between : solved,
                   static_cast<T>(options.alpha), part(second));
  options.alpha = 1.0;  // the other half has its factor now
  solve_by_halves(options, a.some_rows(second).some_columns(second), part(second));
}

/// BLAS would divide by zero without a word; LAPACK's xTRTRS refuses as this does.
template <class T>
void refuse_singular(const Matrix<const T>& a) {
  for (std::int64_t i = 0; i < a.rows; ++i) {
    if (a.at(i, i) != T{0}) continue;
    throw Error(ErrorCode::invalid_argument,
                "a is singular: element [" + std::to_string(i) + ", " + std::to_string(i) + "] of its diagonal is 0");
  }
}

template <class T>
void solve(const Options& options, const Matrix<const T>& a, const Matrix<T>& b) {
  if (b.rows == 0 || b.columns == 0) return;
  if (!options.unit_diagonal && options.alpha != 0.0) refuse_singular(a);
  if (options.alpha == 0.0)
    call_blas(options, a, b);
  else
    solve_by_halves(options, a, b);
}

void run_trsm(const TaskContext& context) {
  const ArrayView& b = context.arrays[1];
  with_real_type(b.type.dtype, [&]<class T>(std::type_identity<T>) {
    solve(options_of(context.parameters), Matrix<const T>(context.arrays[0]), Matrix<T>(b));
  });
}

std::string check_trsm(Accesses accesses, Parameters parameters) {
  const auto& side = std::get<std::string>(parameters[0]);
  if (std::string fault = choice_fault("side", side, {"left", "right"}); !fault.empty()) return fault;
  if (std::string fault = matrix_fault(accesses[0], "a", true); !fault.empty()) return fault;
  if (std::string fault = matrix_beside_a_fault(accesses, 1, "b"); !fault.empty()) return fault;
  const bool right = options_of(parameters).right;
  const std::int64_t order = accesses[0].type.shape[0];
  if (accesses[1].type.shape[right ? 1 : 0] == order) return {};
  return "b is " + to_text(accesses[1].type) + ", but a, on the " + side + ", is " + to_text(accesses[0].type) +
         ": b needs " + std::to_string(order) + (right ? " columns" : " rows");
}

double trsm_flops(Accesses accesses, Parameters) {
  return static_cast<double>(accesses[1].type.shape.count()) * static_cast<double>(accesses[0].type.shape[0]);
}

double trsm_bytes(Accesses accesses, Parameters) {
  const ArrayType& a = accesses[0].type;
  const double triangle_bytes = triangle_count(static_cast<double>(a.shape[0])) * static_cast<double>(size_of(a.dtype));
  return triangle_bytes + 2.0 * static_cast<double>(accesses[1].type.bytes());
}

}  // namespace

KernelDescription trsm_kernel() {
  return {.name = "trsm",
          .summary =
              "b = alpha * inverse of op(a) * b (side left) or alpha * b * inverse of op(a) (side right) for a "
              "triangular a of n by n and a matrix b of n rows (left) or n columns (right), f32 or f64; the other "
              "triangle of a is not read. Fails where the diagonal of a has a zero.",
          .accesses = {reads("a", reals()), changes("b", reals())},
          .parameters = {text("side", "left", "where op(a) stands: left or right of b"),
                         boolean("lower", true, "the triangle of a that is read"),
                         boolean("transpose", false, "op(a) is a transposed"),
                         boolean("unit_diagonal", false, "the diagonal of a counts as ones and is not read"),
                         real("alpha", 1.0, "factor of b; 0 does not read a")},
          .cpu = run_trsm,
          .check = check_trsm,
          .flops = trsm_flops,
          .bytes = trsm_bytes};
}

}  // namespace penstock::kernels
