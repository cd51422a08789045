/// One number of a whole array. A sum is made in the order of the body for cores, so it is the same bit for bit: leaves
/// of 1024 elements, in each 16 lanes that sum every sixteenth one, then neighbours.
#pragma once

#include <cstdint>

#include "device/cuda/kernels/threads.cuh"
#include "kernels/operations.hpp"

namespace penstock::device {

inline constexpr int sum_lanes = 16;
inline constexpr std::int64_t sum_leaf = 1024;
/// Of one block; a power of two, as all numbers of leaves of blocks.
inline constexpr int leaves_most = 1024;
inline constexpr int leaves_at_once = block_threads / sum_lanes;

/// One lane of the leaf of which `x` is the first of `count` elements.
template <class T>
__device__ T sum_lane(const T* x, std::int64_t count, int lane) {
  constexpr int ahead = 8;
  const kernels::Sum plus;
  T sum{0};
  if (count == sum_leaf) {
    for (std::int64_t i = lane; i < sum_leaf; i += ahead * sum_lanes) {
      T next[ahead];
      for (int k = 0; k < ahead; ++k) next[k] = x[i + k * sum_lanes];
      for (int k = 0; k < ahead; ++k) sum = plus(sum, next[k]);
    }
  } else {
    for (std::int64_t i = lane; i < count; i += sum_lanes) sum = plus(sum, x[i]);
  }
  return sum;
}

/// Lane l takes lane l + 8, l + 4, ...
template <class T>
__device__ T sum_of(const T* lanes) {
  const kernels::Sum plus;
  T made[sum_lanes];
  for (int l = 0; l < sum_lanes; ++l) made[l] = lanes[l];
  for (int width = sum_lanes / 2; width > 0; width /= 2) {
    for (int l = 0; l < width; ++l) made[l] = plus(made[l], made[l + width]);
  }
  return made[0];
}

/// A block sums `leaves_in_block` leaves to its element of `partial`.
template <class T>
__global__ void sum_leaves(const T* x, std::int64_t count, std::int64_t leaves_in_block, T* partial) {
  __shared__ T lanes[block_threads];
  __shared__ T leaves[leaves_most];
  const auto thread = static_cast<int>(threadIdx.x);
  const int lane = thread % sum_lanes;
  const std::int64_t block_begin = blockIdx.x * leaves_in_block * sum_leaf;
  const std::int64_t in_block =
      count - block_begin < leaves_in_block * sum_leaf ? count - block_begin : leaves_in_block * sum_leaf;
  const std::int64_t leaf_count = (in_block + sum_leaf - 1) / sum_leaf;
  for (std::int64_t group = 0; group < leaf_count; group += leaves_at_once) {
    const std::int64_t leaf = group + thread / sum_lanes;
    const std::int64_t begin = leaf * sum_leaf;
    const std::int64_t left = in_block - begin;
    lanes[thread] = left > 0 ? sum_lane(x + block_begin + begin, left < sum_leaf ? left : sum_leaf, lane) : T{0};
    __syncthreads();
    if (thread < leaves_at_once && group + thread < leaf_count)
      leaves[group + thread] = sum_of(lanes + thread * sum_lanes);
    __syncthreads();
  }
  fold(leaves, leaf_count, kernels::Sum());
  if (thread == 0) partial[blockIdx.x] = leaf_count > 0 ? leaves[0] : T{0};
}

/// By one block.
template <class T>
__global__ void sum_partials(T* partial, std::int64_t count, T* sum) {
  fold(partial, count, kernels::Sum());
  if (threadIdx.x == 0) *sum = partial[0];
}

/// A block finds the greatest of its share to its element of `partial`. There is at least one element.
template <class T>
__global__ void find_greatest(const T* x, std::int64_t count, T* partial) {
  __shared__ T best[block_threads];
  const kernels::Maximum greater;
  T mine = x[0];
  for (std::int64_t first = first_piece(at_once); first < count; first += grid_stride(at_once)) {
    T next[at_once];
    for (int k = 0; k < at_once; ++k) {
      const std::int64_t i = first + k * block_threads;
      next[k] = i < count ? x[i] : mine;
    }
    for (int k = 0; k < at_once; ++k) mine = greater(mine, next[k]);
  }
  best[threadIdx.x] = mine;
  fold(best, block_threads, greater);
  if (threadIdx.x == 0) partial[blockIdx.x] = best[0];
}

}  // namespace penstock::device
