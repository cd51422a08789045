/// Kernels whose elements depend on elements of the same place alone.
#pragma once

#include <cstdint>

#include "device/cuda/kernels/threads.cuh"
#include "kernels/arithmetic.hpp"

namespace penstock::device {

template <class T>
__global__ void fill_each(T* out, std::int64_t count, T value) {
  for (std::int64_t i = first_piece(); i < count; i += grid_stride()) out[i] = value;
}

/// `operation` with a second argument that is the same for all elements.
template <class T, class Operation>
struct WithNumber {
  T number;
  PENSTOCK_HOST_DEVICE T operator()(T element) const { return Operation()(element, number); }
};

/// `out` may be x.
template <class T, class Operation>
__global__ void transform_each(const T* x, T* out, std::int64_t count, Operation operation) {
  for (std::int64_t first = first_piece(at_once); first < count; first += grid_stride(at_once)) {
    T made[at_once] = {};
    for (int k = 0; k < at_once; ++k) {
      const std::int64_t i = first + k * block_threads;
      if (i < count) made[k] = operation(x[i]);
    }
    for (int k = 0; k < at_once; ++k) {
      const std::int64_t i = first + k * block_threads;
      if (i < count) out[i] = made[k];
    }
  }
}

/// `out` may be x or y.
template <class T, class Operation>
__global__ void combine_each(const T* x, const T* y, T* out, std::int64_t count, Operation operation) {
  for (std::int64_t first = first_piece(at_once); first < count; first += grid_stride(at_once)) {
    T made[at_once] = {};
    for (int k = 0; k < at_once; ++k) {
      const std::int64_t i = first + k * block_threads;
      if (i < count) made[k] = operation(x[i], y[i]);
    }
    for (int k = 0; k < at_once; ++k) {
      const std::int64_t i = first + k * block_threads;
      if (i < count) out[i] = made[k];
    }
  }
}

}  // namespace penstock::device
