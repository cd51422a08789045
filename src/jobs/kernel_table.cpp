#include "jobs/kernel_table.hpp"

#include <algorithm>
#include <array>

#include "jobs/source.hpp"

namespace penstock::jobs {

namespace {

std::string_view name_of_type(ParameterType type) {
  constexpr std::array<std::string_view, 4> names{"a boolean", "an integer", "a real number", "a string"};
  return names[static_cast<std::size_t>(type)];
}

}  // namespace

const KernelDescription* find_kernel(Kernels kernels, std::string_view name) {
  const auto found = std::ranges::find(kernels, name, [](const KernelDescription* each) { return each->name; });
  return found == kernels.end() ? nullptr : *found;
}

const KernelDescription& need_kernel(Kernels kernels, std::string_view name) {
  if (const KernelDescription* kernel = find_kernel(kernels, name)) return *kernel;
  std::vector<std::string_view> names;
  for (const KernelDescription* each : kernels) names.push_back(each->name);
  throw Mistake("unknown kernel " + in_quotes(name) + suggestion(name, names) + "; known: " + listed(names));
}

std::size_t parameter_index(const KernelDescription& kernel, std::string_view name) {
  const auto found = std::ranges::find(kernel.parameters, name, &ParameterDescription::name);
  if (found != kernel.parameters.end()) return static_cast<std::size_t>(found - kernel.parameters.begin());
  std::vector<std::string_view> names;
  for (const ParameterDescription& each : kernel.parameters) names.push_back(each.name);
  throw Mistake("kernel " + kernel.name + " has no parameter " + in_quotes(name) + suggestion(name, names) +
                (names.empty() ? ", it takes none" : "; it takes " + listed(names)));
}

Parameter converted_parameter(const KernelDescription& kernel, std::size_t index, const Parameter& value) {
  const ParameterDescription& description = kernel.parameters[index];
  const auto given = static_cast<ParameterType>(value.index());
  if (given == description.type) return value;
  if (given == ParameterType::integer && description.type == ParameterType::real) {
    return static_cast<double>(std::get<std::int64_t>(value));
  }
  throw Mistake("parameter " + description.name + " of kernel " + kernel.name + " is " +
                std::string(name_of_type(given)) + ", " + std::string(name_of_type(description.type)) + " is needed");
}

void fail_missing(const KernelDescription& kernel, std::size_t index) {
  const ParameterDescription& description = kernel.parameters[index];
  throw Mistake("kernel " + kernel.name + " needs the parameter " + description.name + ", " +
                std::string(name_of_type(description.type)) +
                (description.meaning.empty() ? "" : ": " + description.meaning));
}

}  // namespace penstock::jobs
