#include "kernels/paths.hpp"

#include "kernels/text.hpp"

namespace penstock::kernels {

std::string path_fault(const Parameter& path) {
  const auto& text = std::get<std::string>(path);
  if (text.empty()) return "path is empty";
  return text.find('\0') == std::string::npos ? "" : "path has a zero byte in it";
}

std::string block_fault(const ArrayType& x, npy::BlockStart start) {
  const std::size_t dimensions = x.shape.dimensions();
  if (dimensions != 1 && dimensions != 2) return "x is " + to_text(x) + ", but a block has one or two extents";
  if (start.row < 0) return "row is " + std::to_string(start.row) + ", but needs to be 0 or more";
  if (start.column < 0) return "column is " + std::to_string(start.column) + ", but needs to be 0 or more";
  if (dimensions == 2 || start.column == 0) return {};
  return "column is " + std::to_string(start.column) + ", but x is " + to_text(x) + ": with one extent it is 0";
}

}  // namespace penstock::kernels
