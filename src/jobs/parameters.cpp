#include "jobs/parameters.hpp"

namespace penstock::jobs {

void set_in_folder(const std::string& folder, std::string& path) {
  if (folder.empty() || path.starts_with('/')) return;
  path.insert(0, 1, '/');
  path.insert(0, folder);
}

void VaryingParameter::make(const Indices& indices, bool is_text_made, Parameter& value) const {
  if (list != nullptr) {
    const Parameter& item = list->items[static_cast<std::size_t>(indices.values[variable])];
    if (type == ParameterType::text)
      std::get<std::string>(value) = std::get<std::string>(item);
    else
      std::get<double>(value) = std::get<double>(item);
    return;
  }
  switch (type) {
    case ParameterType::text: {
      if (!is_text_made) return;
      auto& path = std::get<std::string>(value);
      text.make(indices, path);
      set_in_folder(folder, path);
      return;
    }
    case ParameterType::real:
      std::get<double>(value) = static_cast<double>(number.evaluate(indices.values));
      return;
    default:
      std::get<std::int64_t>(value) = number.evaluate(indices.values);
  }
}

}  // namespace penstock::jobs
