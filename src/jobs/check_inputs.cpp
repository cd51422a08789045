#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "jobs/check.hpp"
#include "npy/file.hpp"

namespace penstock::jobs {

namespace {

std::string text_of(const ArrayType& type) { return std::string(name_of(type.dtype)) + ' ' + type.shape.to_string(); }

void check_file(const std::string& path, const ArrayType& wanted, const std::string& who) {
  const ArrayType type = npy::read_type(path);
  if (type != wanted) throw Mistake(path + " holds " + text_of(type) + ", " + who + " says " + text_of(wanted));
}

/// The place of the parameter, or the number of parameters when there is none of that name.
std::size_t parameter_of(const KernelDescription& kernel, std::string_view name) {
  const auto found = std::ranges::find(kernel.parameters, name, &ParameterDescription::name);
  return static_cast<std::size_t>(found - kernel.parameters.begin());
}

/// All files of a family; the tiles of an array are in one.
void check_family(const Plan& plan, const Family& family) {
  std::int64_t tiles = 1;
  for (std::size_t k = family.axes.size() - family.tile_axes; k < family.axes.size(); ++k)
    tiles *= family.axes[k].count;
  const std::string& folder = family.folder;
  Indices indices;
  std::string path;
  std::string previous;
  for (std::int64_t element = 0; element < family.elements(); element += tiles) {
    family.find(element, indices.values);
    family.file.make(indices, path);
    set_in_folder(folder, path);
    if (path == previous) continue;
    plan.source.at(family.file_position, [&] { check_file(path, family.whole, "[data." + family.name + "]"); });
    std::swap(previous, path);
  }
}

/// A task that loads, from one file in all its steps, the whole of it.
void check_load(const Plan& plan, const Entry& entry) {
  const std::size_t path = parameter_of(*entry.kernel, "path");
  const std::size_t part = parameter_of(*entry.kernel, "part");
  for (const VaryingParameter& each : entry.parameters.varying) {
    if (each.parameter == path) return;
  }
  const auto& text = std::get<std::string>(entry.parameters.constant[path]);
  const Family& family = plan.families[entry.accesses.front().family];
  const bool is_part = part != entry.parameters.constant.size() && std::get<bool>(entry.parameters.constant[part]);
  const Position place = entry.parameter_positions[path].value_or(entry.position);
  plan.source.at(place, [&] {
    if (is_part || family.is_ragged())
      static_cast<void>(npy::read_type(text));
    else
      check_file(text, family.largest_type(), "the datum");
  });
}

}  // namespace

void check_input_files(const Plan& plan) {
  for (const Family& family : plan.families) {
    if (family.origin != nullptr && family.origin->name == "load") check_family(plan, family);
  }
  for (const Entry& entry : plan.entries) {
    if (entry.kernel->name == "load") check_load(plan, entry);
  }
}

}  // namespace penstock::jobs
