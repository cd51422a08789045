#include "npy/transpose.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "core/assert.hpp"

namespace penstock::npy {

namespace {

using Strides = std::array<std::int64_t, Shape::max_dimensions>;

/// A matrix inside the array: rows along the first axis, which lie side by side in Fortran order, columns along the
/// last axis, which lie side by side in C order.
struct Plane {
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t from_step;  ///< from one column to the next in the source
  std::int64_t to_step;    ///< from one row to the next in the destination
};

/// Tile by tile, so that the lines of both sides stay in the cache.
template <std::size_t Size>
void transpose_plane(const Plane& plane, const std::byte* from, std::byte* to) {
  constexpr std::int64_t tile = 32;
  constexpr auto size = static_cast<std::int64_t>(Size);
  for (std::int64_t row0 = 0; row0 < plane.rows; row0 += tile) {
    for (std::int64_t column0 = 0; column0 < plane.columns; column0 += tile) {
      const std::int64_t row_end = std::min(row0 + tile, plane.rows);
      const std::int64_t column_end = std::min(column0 + tile, plane.columns);
      for (std::int64_t row = row0; row < row_end; ++row) {
        for (std::int64_t column = column0; column < column_end; ++column) {
          std::memcpy(to + (row * plane.to_step + column) * size, from + (row + column * plane.from_step) * size, Size);
        }
      }
    }
  }
}

/// The strides of both orders, in elements.
struct Layout {
  explicit Layout(const Shape& shape) {
    const std::size_t dimensions = shape.dimensions();
    std::int64_t product = 1;
    for (std::size_t axis = 0; axis < dimensions; product *= shape[axis++]) fortran[axis] = product;
    product = 1;
    for (std::size_t axis = dimensions; axis-- > 0; product *= shape[axis]) c[axis] = product;
  }
  Strides fortran{};
  Strides c{};
};

template <std::size_t Size>
void transpose(const Shape& shape, const std::byte* from, std::byte* to) {
  const Layout layout(shape);
  const std::size_t last = shape.dimensions() - 1;
  const Plane plane{shape[0], shape[last], layout.fortran[last], layout.c[0]};
  Strides index{};
  while (true) {
    std::int64_t from_at = 0;
    std::int64_t to_at = 0;
    for (std::size_t axis = 1; axis < last; ++axis) {
      from_at += index[axis] * layout.fortran[axis];
      to_at += index[axis] * layout.c[axis];
    }
    constexpr auto size = static_cast<std::int64_t>(Size);
    transpose_plane<Size>(plane, from + from_at * size, to + to_at * size);
    std::size_t axis = 1;
    while (axis < last && ++index[axis] == shape[axis]) index[axis++] = 0;
    if (axis >= last) return;
  }
}

}  // namespace

void fortran_to_c(const ArrayType& type, std::span<const std::byte> from, std::span<std::byte> to) {
  PENSTOCK_ASSERT(from.size() == to.size() && from.size() == static_cast<std::size_t>(type.bytes()));
  if (from.empty()) return;
  if (type.shape.dimensions() < 2) {
    std::memcpy(to.data(), from.data(), from.size());
  } else if (size_of(type.dtype) == 4) {
    transpose<4>(type.shape, from.data(), to.data());
  } else {
    transpose<8>(type.shape, from.data(), to.data());
  }
}

}  // namespace penstock::npy
