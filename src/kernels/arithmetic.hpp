/// Arithmetic of elements: integers wrap around, by way of unsigned numbers, which may. Pure. Besides, how a function
/// says that it is for GPUs too: what has the mark is called by the bodies of both, so that both make the same numbers.
#pragma once

#include <type_traits>

#if defined(__CUDACC__)
#define PENSTOCK_HOST_DEVICE __host__ __device__
#else
#define PENSTOCK_HOST_DEVICE
#endif

namespace penstock::kernels {

template <class T>
PENSTOCK_HOST_DEVICE constexpr T plus(T left, T right) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Unsigned>(left) + static_cast<Unsigned>(right));
  } else {
    return left + right;
  }
}

template <class T>
PENSTOCK_HOST_DEVICE constexpr T times(T left, T right) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Unsigned>(left) * static_cast<Unsigned>(right));
  } else {
    return left * right;
  }
}

}  // namespace penstock::kernels
