/// What the descriptions of built-in kernels are put together from: accesses, parameters, counts of operations, and
/// the checks that several kernels make. Pure, any thread. A check's answer is one line, empty when all is well.
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <penstock/kernel.hpp>

namespace penstock::kernels {

using Accesses = std::span<const TaskAccess>;
using Parameters = std::span<const Parameter>;
/// Of KernelDescription::flops and KernelDescription::bytes.
using Count = std::function<double(Accesses, Parameters)>;

[[nodiscard]] std::vector<DType> reals();

/// No dtypes: all.
[[nodiscard]] AccessDescription reads(const char* name, std::vector<DType> dtypes = {});
[[nodiscard]] AccessDescription writes(const char* name, std::vector<DType> dtypes = {});
[[nodiscard]] AccessDescription changes(const char* name, std::vector<DType> dtypes = {});

/// No default: the parameter must be given.
[[nodiscard]] ParameterDescription boolean(const char* name, bool value, const char* meaning);
[[nodiscard]] ParameterDescription integer(const char* name, std::optional<std::int64_t> value, const char* meaning);
[[nodiscard]] ParameterDescription real(const char* name, std::optional<double> value, const char* meaning);
[[nodiscard]] ParameterDescription text(const char* name, std::optional<const char*> value, const char* meaning);

/// `each` operations an element of the first access; of integers, none is of floating point.
[[nodiscard]] Count flops_by_element(double each);

[[nodiscard]] constexpr bool is_real(DType dtype) { return dtype == DType::f32 || dtype == DType::f64; }
/// Whether an array of this shape is a single number that a kernel may make: [] or [1].
[[nodiscard]] bool is_one_element(const Shape& shape);

/// Whether all accesses, which have these names, are of the first one's type.
[[nodiscard]] std::string equal_types_fault(Accesses accesses, std::initializer_list<std::string_view> names);
/// Whether the second access, called `name`, is one element of the dtype of the first, which is x.
[[nodiscard]] std::string one_element_fault(Accesses accesses, std::string_view name);
/// Whether `value` is one of `choices`.
[[nodiscard]] std::string choice_fault(std::string_view name, const std::string& value,
                                       std::initializer_list<std::string_view> choices);
/// Whether `value` is finite and fits the elements of `x`.
[[nodiscard]] std::string finite_fault(std::string_view name, double value, const ArrayType& x);

}  // namespace penstock::kernels
