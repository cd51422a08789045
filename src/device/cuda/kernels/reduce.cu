// sum and max.
#include "device/cuda/kernels/reduce.cuh"

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include "core/assert.hpp"
#include "device/cuda/cuda_error.hpp"
#include "device/cuda/kernels/arguments.hpp"
#include "device/cuda/kernels/run.hpp"
#include "kernels/elements.hpp"

namespace penstock::device {
namespace {

/// Partial results that one block can take up without delay.
constexpr std::int64_t partials_wanted = 1024;

std::int64_t quotient_up(std::int64_t number, std::int64_t by) { return number / by + (number % by != 0 ? 1 : 0); }

/// As few as may be, so that there are blocks for the whole GPU.
std::int64_t leaves_in_block(std::int64_t count) {
  std::int64_t leaves = leaves_at_once;
  while (leaves < leaves_most && quotient_up(count, leaves * sum_leaf) > partials_wanted) leaves *= 2;
  return leaves;
}

template <class T>
void sum(const CudaContext& context, const T* x, std::int64_t count, T* result) {
  const std::int64_t leaves = leaves_in_block(count);
  const std::int64_t blocks = count == 0 ? 1 : quotient_up(count, leaves * sum_leaf);
  T* const partial = blocks == 1 ? result : reinterpret_cast<T*>(context.scratch);
  // 2^17 partial results of f64, each of 2^20 elements, are more than any GPU holds.
  PENSTOCK_ASSERT(blocks == 1 || static_cast<std::size_t>(blocks) * sizeof(T) <= context.scratch_bytes);
  sum_leaves<<<static_cast<unsigned>(blocks), block_threads, 0, context.stream>>>(x, count, leaves, partial);
  PENSTOCK_CUDA_TRY(cudaGetLastError());
  if (blocks == 1) return;
  sum_partials<<<1, block_threads, 0, context.stream>>>(partial, blocks, result);
  PENSTOCK_CUDA_TRY(cudaGetLastError());
}

template <class T>
void max(const CudaContext& context, const T* x, std::int64_t count, T* result) {
  static_assert(blocks_most * sizeof(T) <= (std::size_t{1} << 20));
  const unsigned blocks = blocks_for(count, at_once);
  T* const partial = blocks == 1 ? result : reinterpret_cast<T*>(context.scratch);
  find_greatest<<<blocks, block_threads, 0, context.stream>>>(x, count, partial);
  PENSTOCK_CUDA_TRY(cudaGetLastError());
  if (blocks == 1) return;
  find_greatest<<<1, block_threads, 0, context.stream>>>(static_cast<const T*>(partial), blocks, result);
  PENSTOCK_CUDA_TRY(cudaGetLastError());
}

}  // namespace

void run_sum(const CudaContext& context) {
  const ArrayView& x = context.arrays[0];
  kernels::with_element_type(x.type.dtype, [&]<class T>(std::type_identity<T>) {
    sum(context, data_of<const T>(x), x.type.shape.count(), data_of<T>(context.arrays[1]));
  });
}

void run_max(const CudaContext& context) {
  const ArrayView& x = context.arrays[0];
  if (is_empty(x)) return;
  kernels::with_element_type(x.type.dtype, [&]<class T>(std::type_identity<T>) {
    max(context, data_of<const T>(x), x.type.shape.count(), data_of<T>(context.arrays[1]));
  });
}

}  // namespace penstock::device
