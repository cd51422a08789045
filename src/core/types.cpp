#include <penstock/types.hpp>

#include <algorithm>
#include <limits>

#include <penstock/error.hpp>

namespace penstock {

Shape::Shape(std::initializer_list<std::int64_t> extents) : Shape(std::span(extents.begin(), extents.size())) {}

Shape::Shape(std::span<const std::int64_t> extents) {
  if (extents.size() > max_dimensions) {
    throw Error(ErrorCode::invalid_argument,
                "a shape has at most 8 extents, this one " + std::to_string(extents.size()));
  }
  std::int64_t bytes = 8;
  for (const std::int64_t extent : extents) {
    if (extent < 0)
      throw Error(ErrorCode::invalid_argument,
                  "an extent is negative: " + std::to_string(extent) + ", 0 or more is needed");
    if (__builtin_mul_overflow(bytes, std::max<std::int64_t>(extent, 1), &bytes)) {
      throw Error(ErrorCode::invalid_argument, "the size of the shape overflows 63 bits, smaller extents are needed");
    }
    extents_[dimensions_++] = extent;
  }
}

std::string Shape::to_string() const {
  std::string text = "[";
  for (const std::int64_t extent : extents()) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(extent);
  }
  return text + "]";
}

bool operator==(const Shape& left, const Shape& right) { return std::ranges::equal(left.extents(), right.extents()); }

}  // namespace penstock
