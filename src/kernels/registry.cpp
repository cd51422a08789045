#include "kernels/registry.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include <penstock/error.hpp>

#include "kernels/builtin.hpp"
#include "kernels/text.hpp"

namespace penstock {

void register_kernel(KernelDescription description) { kernels::Registry::process().add(std::move(description)); }

namespace kernels {

namespace {

bool is_kernel_name(std::string_view name) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyz0123456789_.-";
  return !name.empty() && name.size() <= max_name_length && name.find_first_not_of(allowed) == std::string_view::npos;
}

/// The first name that occurs twice among accesses and parameters, or is empty; absent: all is well.
const std::string* bad_inner_name(const KernelDescription& description) {
  std::vector<const std::string*> seen;
  const auto is_bad = [&](const std::string& name) {
    const bool bad = name.empty() || std::ranges::any_of(seen, [&](const auto* other) { return *other == name; });
    seen.push_back(&name);
    return bad;
  };
  for (const AccessDescription& access : description.accesses) {
    if (is_bad(access.name)) return &access.name;
  }
  for (const ParameterDescription& parameter : description.parameters) {
    if (is_bad(parameter.name)) return &parameter.name;
  }
  return nullptr;
}

bool has_other_type(const ParameterDescription& parameter) {
  return parameter.default_value && parameter.default_value->index() != static_cast<std::size_t>(parameter.type);
}

/// What is wrong with a description by itself; empty: nothing.
std::string fault_of(const KernelDescription& description) {
  if (!is_kernel_name(description.name)) {
    return "a name is 1 to " + std::to_string(max_name_length) + " characters of a-z, 0-9, '_', '.' and '-'";
  }
  if (!description.cpu && !description.cuda) return "it has no body";
  if (description.accesses.size() > max_accesses) {
    return "it has " + std::to_string(description.accesses.size()) + " accesses, but at most 16 are allowed";
  }
  if (description.parameters.size() > max_parameters) {
    return "it has " + std::to_string(description.parameters.size()) + " parameters, but at most 16 are allowed";
  }
  if (const std::string* name = bad_inner_name(description)) {
    return name->empty() ? "an access or a parameter has no name" : "the name \"" + *name + "\" occurs twice in it";
  }
  const auto wrong = std::ranges::find_if(description.parameters, has_other_type);
  if (wrong != description.parameters.end()) {
    return "the default of " + wrong->name + " is " + to_text(*wrong->default_value) + ", but it is of type " +
           std::string(name_of(wrong->type));
  }
  return {};
}

[[noreturn]] void refuse(const KernelDescription& description, const std::string& fault) {
  throw Error(ErrorCode::invalid_argument, "cannot register kernel \"" + description.name + "\": " + fault);
}

}  // namespace

Registry::Registry() {
  for (KernelDescription (*const make)() : built_in_kernels) add(make());
}

Registry& Registry::process() {
  static Registry& registry = *new Registry;
  return registry;
}

void Registry::add(KernelDescription description) {
  std::vector<KernelDescription> one;
  one.push_back(std::move(description));
  add_all(std::move(one));
}

void Registry::add_all(std::vector<KernelDescription> descriptions) {
  for (const KernelDescription& description : descriptions) {
    if (const std::string fault = fault_of(description); !fault.empty()) refuse(description, fault);
  }
  const std::lock_guard lock(mutex_);
  for (auto each = descriptions.begin(); each != descriptions.end(); ++each) {
    if (frozen_) refuse(*each, "the kernel table was made before; kernels are registered before the first runtime");
    const auto is_of_same_name = [&](const KernelDescription& other) { return other.name == each->name; };
    if (std::ranges::any_of(kernels_, is_of_same_name) || std::any_of(descriptions.begin(), each, is_of_same_name)) {
      refuse(*each, "the name is taken");
    }
  }
  std::ranges::move(descriptions, std::back_inserter(kernels_));
}

std::vector<KernelDescription> Registry::freeze() {
  const std::lock_guard lock(mutex_);
  frozen_ = true;
  return std::exchange(kernels_, {});
}

}  // namespace kernels
}  // namespace penstock
