#include "jobs/kernel_table.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "jobs/source.hpp"

namespace penstock::jobs {

namespace {

std::string_view name_of_type(ParameterType type) {
  constexpr std::array<std::string_view, 4> names{"a boolean", "an integer", "a real number", "a string"};
  return names[static_cast<std::size_t>(type)];
}

void check_dtype(const KernelDescription& kernel, const AccessDescription& access, DType dtype, std::string_view name) {
  if (access.dtypes.empty() || std::ranges::find(access.dtypes, dtype) != access.dtypes.end()) return;
  std::string allowed;
  for (const DType each : access.dtypes) allowed += (allowed.empty() ? "" : " or ") + std::string(name_of(each));
  throw Mistake("kernel " + kernel.name + " takes " + allowed + " for " + access.name + ", " + std::string(name) +
                " is " + std::string(name_of(dtype)));
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

std::vector<Parameter> complete_parameters(const KernelDescription& kernel, std::span<const NamedValue> given) {
  std::vector<std::optional<Parameter>> values;
  for (const ParameterDescription& each : kernel.parameters) values.push_back(each.default_value);
  for (const NamedValue& each : given) {
    const std::size_t index = parameter_index(kernel, each.name);
    values[index] = converted_parameter(kernel, index, each.value);
  }
  std::vector<Parameter> complete;
  for (std::size_t index = 0; index < values.size(); ++index) {
    const ParameterDescription& description = kernel.parameters[index];
    if (!values[index]) {
      throw Mistake("kernel " + kernel.name + " needs the parameter " + description.name + ", " +
                    std::string(name_of_type(description.type)) +
                    (description.meaning.empty() ? "" : ": " + description.meaning));
    }
    complete.push_back(*values[index]);
  }
  return complete;
}

void check_types(const KernelDescription& kernel, std::span<const TaskAccess> accesses,
                 std::span<const std::string_view> names, std::span<const Parameter> parameters) {
  for (std::size_t index = 0; index < accesses.size(); ++index) {
    check_dtype(kernel, kernel.accesses[index], accesses[index].type.dtype, names[index]);
  }
  if (!kernel.check) return;
  const std::string wrong = kernel.check(accesses, parameters);
  if (!wrong.empty()) throw Mistake("kernel " + kernel.name + ": " + wrong);
}

}  // namespace penstock::jobs
