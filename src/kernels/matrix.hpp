/// Row-major matrices as BLAS and LAPACK take them, and the checks of the kernels that compute on them. Pure, any
/// thread. A check's answer is one line, empty when all is well.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include <penstock/kernel.hpp>

#include "kernels/describe.hpp"
#include "kernels/elements.hpp"

namespace penstock::kernels {

/// A matrix, or a part of one: rows are `stride` elements apart.
template <class T>
struct Matrix {
  explicit Matrix(const ArrayView& array)
      : data(reinterpret_cast<T*>(array.data)),
        rows(array.type.shape[0]),
        columns(array.type.shape[1]),
        stride(columns) {}

  /// The same, not to be written.
  template <class U>
    requires std::is_same_v<T, const U>
  explicit Matrix(const Matrix<U>& other)
      : data(other.data), rows(other.rows), columns(other.columns), stride(other.stride) {}

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
  [[nodiscard]] T& at(std::int64_t row, std::int64_t column) const { return data[row * stride + column]; }

  T* data;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t stride;
};

/// Elements of one triangle with its diagonal.
constexpr double triangle_count(double n) { return n * (n + 1.0) / 2.0; }

/// Whether the access has two extents that BLAS can count. With `is_square`, whether they are equal.
[[nodiscard]] std::string matrix_fault(const TaskAccess& access, std::string_view name, bool is_square = false);
/// Whether the access, besides, has the dtype of the first one, which is a.
[[nodiscard]] std::string matrix_beside_a_fault(Accesses accesses, std::size_t index, std::string_view name);
/// Whether beta, a factor of the old c, and the access of c go together.
[[nodiscard]] std::string beta_fault(double beta, const TaskAccess& c);

}  // namespace penstock::kernels
