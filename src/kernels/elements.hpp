/// What the built-in kernels share: typed views of arrays, a call by element type, the panel of one call, and the
/// question whether a number fits an element type.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include <penstock/kernel.hpp>

#include "kernels/text.hpp"

namespace penstock::kernels {

/// Half-open.
struct Interval {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  [[nodiscard]] constexpr std::int64_t length() const { return end - begin; }
};

/// The part of [0, count) that is one panel's: all begin at multiples of `unit` and differ by at most one unit. With
/// fewer units than panels, the last ones are empty.
constexpr Interval panel_of(std::int64_t count, std::int64_t unit, int panel, int panel_count) {
  const std::int64_t units = count / unit + (count % unit != 0 ? 1 : 0);
  const std::int64_t each = units / panel_count;
  const std::int64_t longer = units % panel_count;
  const auto begin_of = [&](std::int64_t p) {
    const std::int64_t units_before = each * p + std::min(p, longer);
    return units_before == units ? count : units_before * unit;
  };
  return {begin_of(panel), begin_of(std::int64_t{panel} + 1)};
}

/// Panels of element-wise kernels begin at multiples of this: whole cache lines, and whole blocks of random numbers.
inline constexpr std::int64_t element_unit = 64;

/// The elements of `context`'s panel, as indices.
inline Interval own_elements(const TaskContext& context, const ArrayView& array) {
  return panel_of(array.type.shape.count(), element_unit, context.panel, context.panel_count);
}

template <class T>
std::span<T> elements(const ArrayView& array, Interval part) {
  return {reinterpret_cast<T*>(array.data) + part.begin, static_cast<std::size_t>(part.length())};
}

/// Calls `body` with a std::type_identity of the element type.
template <class Body>
decltype(auto) with_element_type(DType dtype, Body&& body) {
  switch (dtype) {
    case DType::f32:
      return body(std::type_identity<float>{});
    case DType::f64:
      return body(std::type_identity<double>{});
    case DType::i32:
      return body(std::type_identity<std::int32_t>{});
    case DType::i64:
      break;
  }
  return body(std::type_identity<std::int64_t>{});
}

/// The same for f32 and f64, which are all that `dtype` may be.
template <class Body>
decltype(auto) with_real_type(DType dtype, Body&& body) {
  if (dtype == DType::f32) return body(std::type_identity<float>{});
  return body(std::type_identity<double>{});
}

/// Whether `number` converts to T: for integers it is whole and in range, for f32 it does not overflow.
template <class T>
bool fits(double number) {
  if constexpr (std::is_integral_v<T>) {
    constexpr double limit = -static_cast<double>(std::numeric_limits<T>::min());
    return number >= -limit && number < limit && number == static_cast<double>(static_cast<std::int64_t>(number));
  } else {
    constexpr double inf = std::numeric_limits<double>::infinity();
    constexpr auto most = static_cast<double>(std::numeric_limits<T>::max());
    return !(number > most && number < inf) && !(number < -most && number > -inf);
  }
}

/// One line when `number` does not fit the elements of `x`; else empty.
inline std::string number_fault(std::string_view name, double number, const ArrayType& x) {
  const bool is_fit = with_element_type(x.dtype, [&]<class T>(std::type_identity<T>) { return fits<T>(number); });
  if (is_fit) return {};
  const bool is_integer = x.dtype == DType::i32 || x.dtype == DType::i64;
  return std::string(name) + " is " + to_text(number) + ", but x is " + to_text(x) + ": " + std::string(name) +
         (is_integer ? " needs to be a whole number in its range" : " needs to be in its range");
}

}  // namespace penstock::kernels
