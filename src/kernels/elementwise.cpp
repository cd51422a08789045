// add, increment, fill and iota: one pass over the elements, each panel over its own.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>

#include "kernels/builtin.hpp"
#include "kernels/elements.hpp"
#include "kernels/text.hpp"

namespace penstock::kernels {

namespace {

/// left + right; integers wrap around, by way of unsigned arithmetic, which may.
template <class T>
T sum(T left, T right) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Unsigned>(left) + static_cast<Unsigned>(right));
  } else {
    return left + right;
  }
}

void run_add(const TaskContext& context) {
  const ArrayView& out = context.arrays[2];
  const Interval part = own_elements(context, out);
  with_element_type(out.type.dtype, [&]<class T>(std::type_identity<T>) {
    const auto a = elements<const T>(context.arrays[0], part);
    const auto b = elements<const T>(context.arrays[1], part);
    const auto c = elements<T>(out, part);
    std::transform(a.begin(), a.end(), b.begin(), c.begin(), sum<T>);
  });
}

std::string check_add(std::span<const TaskAccess> accesses, std::span<const Parameter>) {
  const ArrayType& a = accesses[0].type;
  constexpr const char* names[] = {"a", "b", "c"};
  for (std::size_t i = 1; i < 3; ++i) {
    if (accesses[i].type == a) continue;
    return std::string(names[i]) + " is " + to_text(accesses[i].type) + ", but a is " + to_text(a) +
           ": shapes and dtypes need to be equal";
  }
  return {};
}

void run_increment(const TaskContext& context) {
  const ArrayView& array = context.arrays[0];
  const double by = std::get<double>(context.parameters[0]);
  with_element_type(array.type.dtype, [&]<class T>(std::type_identity<T>) {
    const T step = static_cast<T>(by);
    for (T& element : elements<T>(array, own_elements(context, array))) element = sum(element, step);
  });
}

void run_fill(const TaskContext& context) {
  const ArrayView& array = context.arrays[0];
  const double value = std::get<double>(context.parameters[0]);
  with_element_type(array.type.dtype, [&]<class T>(std::type_identity<T>) {
    std::ranges::fill(elements<T>(array, own_elements(context, array)), static_cast<T>(value));
  });
}

void run_iota(const TaskContext& context) {
  const ArrayView& array = context.arrays[0];
  const Interval part = own_elements(context, array);
  with_element_type(array.type.dtype, [&]<class T>(std::type_identity<T>) {
    const auto out = elements<T>(array, part);
    for (std::int64_t i = 0; i < part.length(); ++i) out[static_cast<std::size_t>(i)] = static_cast<T>(part.begin + i);
  });
}

std::string check_iota(std::span<const TaskAccess> accesses, std::span<const Parameter>) {
  const ArrayType& x = accesses[0].type;
  constexpr std::int64_t most = std::int64_t{std::numeric_limits<std::int32_t>::max()} + 1;
  if (x.dtype != DType::i32 || x.shape.count() <= most) return {};
  return "x is " + to_text(x) + ", but i32 counts to 2147483647 only";
}

std::string check_by(std::span<const TaskAccess> accesses, std::span<const Parameter> parameters) {
  return number_fault("by", std::get<double>(parameters[0]), accesses[0].type);
}

std::string check_value(std::span<const TaskAccess> accesses, std::span<const Parameter> parameters) {
  return number_fault("value", std::get<double>(parameters[0]), accesses[0].type);
}

}  // namespace

KernelDescription add_kernel() {
  return {.name = "add",
          .summary = "c = a + b by element, for arrays of one shape and dtype; integers wrap around.",
          .accesses = {{.name = "a", .mode = AccessMode::read, .dtypes = {}},
                       {.name = "b", .mode = AccessMode::read, .dtypes = {}},
                       {.name = "c", .mode = AccessMode::write, .dtypes = {}}},
          .parameters = {},
          .cpu = run_add,
          .allows_panels = true,
          .check = check_add};
}

KernelDescription increment_kernel() {
  return {.name = "increment",
          .summary = "x = x + by, by element; of integers, by is whole and in their range, and the sum wraps around.",
          .accesses = {{.name = "x", .mode = AccessMode::read_write, .dtypes = {}}},
          .parameters = {{.name = "by",
                          .type = ParameterType::real,
                          .default_value = 1.0,
                          .meaning = "what is added, rounded to the dtype of x"}},
          .cpu = run_increment,
          .allows_panels = true,
          .check = check_by};
}

KernelDescription fill_kernel() {
  return {.name = "fill",
          .summary = "Every element of x is value; of integers, value is whole and in their range.",
          .accesses = {{.name = "x", .mode = AccessMode::write, .dtypes = {}}},
          .parameters = {{.name = "value",
                          .type = ParameterType::real,
                          .default_value = std::nullopt,
                          .meaning = "the value, rounded to the dtype of x"}},
          .cpu = run_fill,
          .allows_panels = true,
          .check = check_value};
}

KernelDescription iota_kernel() {
  return {.name = "iota",
          .summary = "x = 0, 1, 2, ... in row-major order; f32 rounds above 2^24, f64 above 2^53.",
          .accesses = {{.name = "x", .mode = AccessMode::write, .dtypes = {}}},
          .parameters = {},
          .cpu = run_iota,
          .allows_panels = true,
          .check = check_iota};
}

}  // namespace penstock::kernels
