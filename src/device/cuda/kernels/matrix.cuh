/// Kernels on square row-major matrices of n rows without gaps.
#pragma once

#include <cstdint>

#include "device/cuda/kernels/threads.cuh"
#include "kernels/arithmetic.hpp"
#include "kernels/operations.hpp"

namespace penstock::device {

template <class T>
__global__ void add_to_diagonal(T* a, std::int64_t n, T by) {
  for (std::int64_t i = first_piece(); i < n; i += grid_stride()) a[i * (n + 1)] = kernels::plus(a[i * (n + 1)], by);
}

/// One triangle, with the diagonal.
template <class T>
__global__ void scale_triangle(T* c, std::int64_t n, bool lower, T factor) {
  for (std::int64_t i = first_piece(); i < n * n; i += grid_stride()) {
    const std::int64_t row = i / n;
    const std::int64_t column = i % n;
    if (lower ? column <= row : column >= row) c[i] *= factor;
  }
}

/// The first row whose element on the diagonal is zero; -1: none is. By one block.
template <class T>
__global__ void find_zero_on_diagonal(const T* a, std::int64_t n, std::int64_t* found) {
  __shared__ std::int64_t first[block_threads];
  std::int64_t mine = threadIdx.x;
  while (mine < n && a[mine * (n + 1)] != T{0}) mine += block_threads;
  first[threadIdx.x] = mine;
  fold(first, block_threads, kernels::Minimum());
  if (threadIdx.x == 0) *found = first[0] < n ? first[0] : -1;
}

}  // namespace penstock::device
