#include "jobs/plan.hpp"

namespace penstock::jobs {

std::string element_name(const Family& family, std::int64_t element) {
  std::vector<std::int64_t> indices;
  family.loop.at(element, indices);
  if (indices.empty()) return family.name;
  std::string name = family.name + '[';
  for (const std::int64_t index : indices) {
    if (name.back() != '[') name += ", ";
    name += std::to_string(index);
  }
  return name + ']';
}

void make_input_path(const Family& family, std::span<const std::int64_t> indices, std::string& path) {
  family.path.make(indices, path);
  if (!path.starts_with('/')) path.insert(0, family.folder + '/');
}

}  // namespace penstock::jobs
