#include "jobs/family.hpp"

#include <algorithm>

namespace penstock::jobs {

std::int64_t Family::elements() const {
  std::int64_t product = 1;
  for (const Axis& axis : axes) product *= axis.count;
  return product;
}

unsigned Family::shape_class(std::int64_t element) const {
  unsigned result = 0;
  for (std::size_t axis = tile_axes; axis-- > 0;) {
    const std::int64_t count = tile_axis(axis).count;
    if (element % count == count - 1) result |= 1U << axis;
    element /= count;
  }
  return result;
}

ArrayType Family::type_of(std::int64_t element) const {
  if (!is_tiled()) return whole;
  const unsigned at_end = shape_class(element);
  std::array<std::int64_t, 2> extents{};
  for (std::size_t axis = 0; axis < tile_axes; ++axis) {
    const std::int64_t before = (tile_axis(axis).count - 1) * tile[axis];
    extents[axis] = (at_end & (1U << axis)) != 0 ? whole.shape[axis] - before : tile[axis];
  }
  return {whole.dtype, Shape(std::span(extents).first(tile_axes))};
}

ArrayType Family::largest_type() const { return type_of(0); }

void Family::find(std::int64_t element, std::vector<std::int64_t>& place) const {
  place.resize(axes.size());
  for (std::size_t k = axes.size(); k-- > 0;) {
    place[k] = axes[k].begin + element % axes[k].count;
    element /= axes[k].count;
  }
}

std::string Family::element_name(std::int64_t element) const {
  if (axes.empty()) return name;
  std::vector<std::int64_t> place;
  find(element, place);
  std::string text = name + '[';
  for (const std::int64_t index : place) {
    if (text.back() != '[') text += ", ";
    text += std::to_string(index);
  }
  return text + ']';
}

void Family::fail_outside(std::size_t axis, std::string_view subscript, std::int64_t value) const {
  const auto [begin, count] = axes[axis];
  throw Mistake("the subscript " + in_quotes(subscript) + " becomes " + std::to_string(value) + ", " + name + " has " +
                std::to_string(begin) + ".." + std::to_string(begin + count));
}

}  // namespace penstock::jobs
