#include "kernels/arguments.hpp"

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <string>

#include "core/assert.hpp"
#include "kernels/registry.hpp"
#include "kernels/text.hpp"

namespace penstock::kernels {

namespace {

[[noreturn]] void refuse(const KernelDescription& kernel, const std::string& fault) {
  throw Error(ErrorCode::invalid_argument, kernel.name + ": " + fault);
}

[[noreturn]] void refuse_name(const KernelDescription& kernel, std::string_view name) {
  std::vector<std::string_view> names;
  for (const ParameterDescription& parameter : kernel.parameters) names.push_back(parameter.name);
  std::string fault = "there is no parameter \"" + std::string(name) + '"';
  if (const std::string_view near = nearest(name, names); !near.empty()) {
    refuse(kernel, fault + "; did you mean " + std::string(near) + '?');
  }
  fault += names.empty() ? "; it takes none" : "; it takes ";
  for (std::size_t i = 0; i < names.size(); ++i) fault.append(i > 0 ? ", " : "").append(names[i]);
  refuse(kernel, fault);
}

std::size_t index_of(const KernelDescription& kernel, std::string_view name) {
  const auto found = std::ranges::find(kernel.parameters, name, &ParameterDescription::name);
  if (found == kernel.parameters.end()) refuse_name(kernel, name);
  return static_cast<std::size_t>(found - kernel.parameters.begin());
}

void assign(const KernelDescription& kernel, std::size_t index, const Parameter& value, Parameter& out) {
  const ParameterDescription& wanted = kernel.parameters[index];
  const auto given = static_cast<ParameterType>(value.index());
  if (given == wanted.type) {
    out = value;
  } else if (given == ParameterType::integer && wanted.type == ParameterType::real) {
    out = static_cast<double>(std::get<std::int64_t>(value));
  } else {
    refuse(kernel, wanted.name + " is of type " + std::string(name_of(wanted.type)) + ", but " + to_text(value) +
                       " is of type " + std::string(name_of(given)));
  }
}

std::string allowed_modes(const AccessDescription& access) {
  return std::string(name_of(access.mode)) + (access.allows_read_write ? " or read_write" : "");
}

std::string allowed_dtypes(const AccessDescription& access) {
  std::string text;
  for (const DType dtype : access.dtypes) text.append(text.empty() ? "" : " or ").append(penstock::name_of(dtype));
  return text;
}

std::string access_list(const KernelDescription& kernel) {
  std::string text;
  for (const AccessDescription& access : kernel.accesses) text += (text.empty() ? "" : ", ") + access.name;
  return text;
}

}  // namespace

void resolve_parameters(const KernelDescription& kernel, std::span<const NamedValue> named,
                        std::span<const Parameter> positional, std::vector<Parameter>& out) {
  const std::size_t count = kernel.parameters.size();
  PENSTOCK_ASSERT(count <= max_parameters);
  if (positional.size() > count) {
    refuse(kernel, std::to_string(positional.size()) + " parameters are given, but it takes " + std::to_string(count));
  }
  out.resize(count);
  std::bitset<max_parameters> given;
  for (std::size_t i = 0; i < positional.size(); ++i) {
    assign(kernel, i, positional[i], out[i]);
    given.set(i);
  }
  for (const auto& [name, value] : named) {
    const std::size_t index = index_of(kernel, name);
    if (given.test(index)) refuse(kernel, kernel.parameters[index].name + " is given twice");
    assign(kernel, index, value, out[index]);
    given.set(index);
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (given.test(i)) continue;
    const ParameterDescription& parameter = kernel.parameters[i];
    if (!parameter.default_value) {
      refuse(kernel, parameter.name + " (" + std::string(name_of(parameter.type)) + ") is missing");
    }
    out[i] = *parameter.default_value;
  }
}

void check_access_count(const KernelDescription& kernel, std::size_t count) {
  if (count == kernel.accesses.size()) return;
  const std::string list = access_list(kernel);
  refuse(kernel, std::to_string(count) + " arrays are given, but it takes " + std::to_string(kernel.accesses.size()) +
                     (list.empty() ? "" : " (" + list + ')'));
}

void check_access(const KernelDescription& kernel, std::size_t index, AccessMode mode, const ArrayType& type) {
  const AccessDescription& wanted = kernel.accesses[index];
  const AccessMode seen = seen_by_body(mode);
  if (seen != wanted.mode && !(wanted.allows_read_write && seen == AccessMode::read_write)) {
    refuse(kernel, "the access of " + wanted.name + " is " + std::string(name_of(mode)) + ", but needs to be " +
                       allowed_modes(wanted));
  }
  if (!wanted.dtypes.empty() && std::ranges::find(wanted.dtypes, type.dtype) == wanted.dtypes.end()) {
    refuse(kernel, wanted.name + " is " + to_text(type) + ", but needs to be " + allowed_dtypes(wanted));
  }
}

void check_fit(const KernelDescription& kernel, std::span<const TaskAccess> accesses,
               std::span<const Parameter> parameters) {
  if (!kernel.check) return;
  if (const std::string fault = kernel.check(accesses, parameters); !fault.empty()) refuse(kernel, fault);
}

void check_accesses(const KernelDescription& kernel, std::span<const TaskAccess> accesses,
                    std::span<const Parameter> parameters) {
  check_access_count(kernel, accesses.size());
  for (std::size_t i = 0; i < accesses.size(); ++i) check_access(kernel, i, accesses[i].mode, accesses[i].type);
  check_fit(kernel, accesses, parameters);
}

}  // namespace penstock::kernels
