/// What the kernels that work by element do with one element or two, on cores and on GPUs. Pure. Not a number stays so.
/// Compile it without fused operations: they round differently.
#pragma once

#include <limits>
#include <string_view>
#include <type_traits>

#include "kernels/arithmetic.hpp"

namespace penstock::kernels {

/// `neutral` changes nothing when it is combined.
struct Sum {
  template <class T>
  static constexpr T neutral{0};
  template <class T>
  PENSTOCK_HOST_DEVICE constexpr T operator()(T x, T y) const {
    return plus(x, y);
  }
};

struct Product {
  template <class T>
  static constexpr T neutral{1};
  template <class T>
  PENSTOCK_HOST_DEVICE constexpr T operator()(T x, T y) const {
    return times(x, y);
  }
};

/// Of integers `finite`, of reals the infinity on that side.
template <class T>
constexpr T end_of(T finite) {
  if constexpr (std::is_integral_v<T>) return finite;
  constexpr T infinity = std::numeric_limits<T>::infinity();
  return finite > T{0} ? infinity : -infinity;
}

struct Minimum {
  template <class T>
  static constexpr T neutral = end_of(std::numeric_limits<T>::max());
  template <class T>
  PENSTOCK_HOST_DEVICE constexpr T operator()(T x, T y) const {
    return y < x || y != y ? y : x;  // NOLINT(misc-redundant-expression): NaN
  }
};

struct Maximum {
  template <class T>
  static constexpr T neutral = end_of(std::numeric_limits<T>::lowest());
  template <class T>
  PENSTOCK_HOST_DEVICE constexpr T operator()(T x, T y) const {
    return y > x || y != y ? y : x;  // NOLINT(misc-redundant-expression): NaN
  }
};

/// Calls `body` with the one of these four that has the name.
template <class Body>
void with_operation(std::string_view name, Body&& body) {
  if (name == "sum") return body(Sum());
  if (name == "product") return body(Product());
  if (name == "minimum") return body(Minimum());
  body(Maximum());
}

/// y + factor * x, rounded twice.
struct SumWithMultiple {
  double factor;  ///< of x, once it is rounded to its type
  template <class T>
  PENSTOCK_HOST_DEVICE constexpr T operator()(T x, T y) const {
    return plus(y, times(static_cast<T>(factor), x));
  }
};

struct Rectified {
  template <class T>
  PENSTOCK_HOST_DEVICE constexpr T operator()(T element) const {
    return element < T{0} ? T{0} : element;
  }
};

struct GradientWherePositive {
  template <class T>
  PENSTOCK_HOST_DEVICE constexpr T operator()(T x, T dy) const {
    return x > T{0} ? dy : T{0};
  }
};

}  // namespace penstock::kernels
