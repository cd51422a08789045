#include "kernels/whole.hpp"

#include "kernels/describe.hpp"
#include "kernels/text.hpp"

namespace penstock::kernels {

std::array<ParameterDescription, 2> place_parameters() {
  return {
      integer("first", 0, "where x is a block of a larger array: its first element's index in the whole, row-major"),
      integer("row_stride", 0,
              "of a block of two extents: elements of the whole from one row's begin to the next's; 0: contiguous")};
}

std::string place_fault(const ArrayType& x, const WholePlace& place) {
  if (place.first < 0) return "first is " + std::to_string(place.first) + ", but needs to be 0 or more";
  if (place.row_stride != 0) {
    const std::string begin = "row_stride is " + std::to_string(place.row_stride) + ", but x is " + to_text(x) + ": ";
    if (x.shape.dimensions() != 2) return begin + "only blocks of two extents have rows in a whole";
    if (place.row_stride < x.shape[1]) return begin + "it needs to be 0 or at least the columns";
  }
  if (last_index(x.shape, place)) return {};
  return "first is " + std::to_string(place.first) + " and row_stride is " + std::to_string(place.row_stride) +
         ", but indices of " + to_text(x) + " need to stay below 2^63 there";
}

std::optional<std::int64_t> last_index(const Shape& block, const WholePlace& place) {
  if (block.count() == 0) return -1;
  const bool is_strided = place.row_stride != 0;
  std::int64_t last = is_strided ? block[1] - 1 : block.count() - 1;
  std::int64_t rows_before = 0;
  if (is_strided && __builtin_mul_overflow(block[0] - 1, place.row_stride, &rows_before)) return std::nullopt;
  if (__builtin_add_overflow(last, rows_before, &last)) return std::nullopt;
  if (__builtin_add_overflow(last, place.first, &last)) return std::nullopt;
  return last;
}

}  // namespace penstock::kernels
