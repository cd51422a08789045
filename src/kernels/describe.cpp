#include "kernels/describe.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/elements.hpp"
#include "kernels/text.hpp"

namespace penstock::kernels {

namespace {

AccessDescription access(const char* name, AccessMode mode, std::vector<DType> dtypes) {
  return {.name = name, .mode = mode, .dtypes = std::move(dtypes)};
}

ParameterDescription parameter(const char* name, ParameterType type, const char* meaning) {
  return {.name = name, .type = type, .default_value = std::nullopt, .meaning = meaning};
}

}  // namespace

std::vector<DType> reals() { return {DType::f32, DType::f64}; }

AccessDescription reads(const char* name, std::vector<DType> dtypes) {
  return access(name, AccessMode::read, std::move(dtypes));
}

AccessDescription writes(const char* name, std::vector<DType> dtypes) {
  return access(name, AccessMode::write, std::move(dtypes));
}

AccessDescription changes(const char* name, std::vector<DType> dtypes) {
  return access(name, AccessMode::read_write, std::move(dtypes));
}

ParameterDescription boolean(const char* name, bool value, const char* meaning) {
  ParameterDescription description = parameter(name, ParameterType::boolean, meaning);
  description.default_value.emplace(value);
  return description;
}

ParameterDescription integer(const char* name, std::optional<std::int64_t> value, const char* meaning) {
  ParameterDescription description = parameter(name, ParameterType::integer, meaning);
  if (value) description.default_value.emplace(*value);
  return description;
}

ParameterDescription real(const char* name, std::optional<double> value, const char* meaning) {
  ParameterDescription description = parameter(name, ParameterType::real, meaning);
  if (value) description.default_value.emplace(*value);
  return description;
}

ParameterDescription text(const char* name, std::optional<const char*> value, const char* meaning) {
  ParameterDescription description = parameter(name, ParameterType::text, meaning);
  if (value) description.default_value.emplace(std::string(*value));
  return description;
}

Count flops_by_element(double each) {
  return [each](Accesses accesses, Parameters) {
    const ArrayType& x = accesses[0].type;
    return is_real(x.dtype) ? each * static_cast<double>(x.shape.count()) : 0.0;
  };
}

bool is_one_element(const Shape& shape) { return shape.dimensions() <= 1 && shape.count() == 1; }

std::string equal_types_fault(Accesses accesses, std::initializer_list<std::string_view> names) {
  const ArrayType& first = accesses[0].type;
  const std::string_view* const name = names.begin();
  for (std::size_t i = 1; i < names.size(); ++i) {
    if (accesses[i].type == first) continue;
    return std::string(name[i]) + " is " + to_text(accesses[i].type) + ", but " + std::string(name[0]) + " is " +
           to_text(first) + ": shapes and dtypes need to be equal";
  }
  return {};
}

std::string one_element_fault(Accesses accesses, std::string_view name) {
  const DType dtype = accesses[0].type.dtype;
  const ArrayType& one = accesses[1].type;
  if (one.dtype == dtype && is_one_element(one.shape)) return {};
  return std::string(name) + " is " + to_text(one) + ", but needs to be one element ([] or [1]) of " +
         std::string(penstock::name_of(dtype)) + ", as x is";
}

std::string choice_fault(std::string_view name, const std::string& value,
                         std::initializer_list<std::string_view> choices) {
  if (std::ranges::find(choices, value) != choices.end()) return {};
  std::string fault = std::string(name) + " is " + to_text(Parameter(value)) + ", but needs to be ";
  for (const std::string_view& choice : choices) fault.append(&choice == choices.begin() ? "" : " or ").append(choice);
  const std::string_view near = nearest(value, choices);
  return fault + (near.empty() ? "" : "; did you mean " + std::string(near) + '?');
}

std::string finite_fault(std::string_view name, double value, const ArrayType& x) {
  if (!std::isfinite(value)) return std::string(name) + " is " + to_text(value) + ", but needs to be finite";
  return number_fault(name, value, x);
}

}  // namespace penstock::kernels
