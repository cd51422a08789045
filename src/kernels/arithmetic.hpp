/// Arithmetic of elements: integers wrap around, by way of unsigned numbers, which may. Pure.
#pragma once

#include <type_traits>

namespace penstock::kernels {

template <class T>
constexpr T plus(T left, T right) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Unsigned>(left) + static_cast<Unsigned>(right));
  } else {
    return left + right;
  }
}

template <class T>
constexpr T times(T left, T right) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Unsigned>(left) * static_cast<Unsigned>(right));
  } else {
    return left * right;
  }
}

}  // namespace penstock::kernels
