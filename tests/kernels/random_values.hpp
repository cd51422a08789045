/// Random elements for the tests of kernels, the same in every run.
#pragma once

#include <random>
#include <type_traits>

#include "kernel_call.hpp"

namespace penstock::kernels {

/// Reals from -1 to 1, integers of all sizes.
template <class T>
void fill_random(HostArray& array, std::mt19937_64& random) {
  for (T& element : array.as<T>()) {
    if constexpr (std::is_integral_v<T>)
      element = static_cast<T>(random());
    else
      element = std::uniform_real_distribution<T>(-1, 1)(random);
  }
}

template <class T>
HostArray random_array(const Shape& shape, std::mt19937_64& random) {
  HostArray array(dtype_of<T>, shape);
  fill_random<T>(array, random);
  return array;
}

}  // namespace penstock::kernels
