/// Blocks of a larger array: the kernels that make elements from their index (iota, uniform, normal) take the index in
/// the whole array that the block is of, so that tiles are bit for bit what the whole would be. Pure, any thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include <penstock/kernel.hpp>

#include "kernels/elements.hpp"

namespace penstock::kernels {

/// Where a block lies in the row-major order of its whole.
struct WholePlace {
  std::int64_t first = 0;       ///< the index of the block's first element
  std::int64_t row_stride = 0;  ///< between the first elements of two rows of a block of two extents; 0: contiguous
};

/// The parameters `first` and `row_stride`, in this order.
[[nodiscard]] std::array<ParameterDescription, 2> place_parameters();
/// From parameters that begin with those two.
[[nodiscard]] inline WholePlace place_of(std::span<const Parameter> parameters) {
  return {.first = std::get<std::int64_t>(parameters[0]), .row_stride = std::get<std::int64_t>(parameters[1])};
}
/// One line when no whole can have the block `x` at that place; else empty.
[[nodiscard]] std::string place_fault(const ArrayType& x, const WholePlace& place);
/// The greatest index of the block's elements, -1 when it has none; absent when it does not fit 63 bits.
[[nodiscard]] std::optional<std::int64_t> last_index(const Shape& block, const WholePlace& place);

/// Calls body(index in the whole of the first element, their interval in the block) for each contiguous run of the
/// whole in the panel of `context`, in order.
template <class Body>
void for_each_run(const TaskContext& context, const ArrayView& block, const WholePlace& place, Body body) {
  const Interval part = own_elements(context, block);
  if (part.length() == 0) return;
  if (place.row_stride == 0) return body(place.first + part.begin, part);
  const std::int64_t columns = block.type.shape[1];
  if (place.row_stride == columns) return body(place.first + part.begin, part);
  for (std::int64_t begin = part.begin; begin < part.end;) {
    const std::int64_t row = begin / columns;
    const std::int64_t end = std::min((row + 1) * columns, part.end);
    body(place.first + row * place.row_stride + (begin - row * columns), Interval{begin, end});
    begin = end;
  }
}

}  // namespace penstock::kernels
