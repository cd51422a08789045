/// How the threads of a grid share out the elements of an array, and all of a block come to one result. On a GPU and,
/// for the emulator, on the host.
#pragma once

#include <cstdint>

namespace penstock::device {

/// Of each block.
inline constexpr int block_threads = 256;
/// Elements that a thread reads before it writes the first of them: enough to keep the memory busy.
inline constexpr int at_once = 4;
/// Blocks of a grid are at most these, several for each place in any GPU; their threads go on by the grid's length.
inline constexpr std::int64_t blocks_most = 8192;

/// For `pieces` of which a thread takes `each` in one round.
constexpr unsigned blocks_for(std::int64_t pieces, std::int64_t each = 1) {
  const std::int64_t of_block = block_threads * each;
  const std::int64_t blocks = pieces / of_block + (pieces % of_block != 0 ? 1 : 0);
  return static_cast<unsigned>(blocks < blocks_most ? blocks : blocks_most);
}

/// This thread's first piece where a thread takes `each` in one round, block_threads apart; the next ones are
/// grid_stride() of the same further on.
__device__ inline std::int64_t first_piece(std::int64_t each = 1) {
  return std::int64_t{blockIdx.x} * (block_threads * each) + threadIdx.x;
}
__device__ inline std::int64_t grid_stride(std::int64_t each = 1) {
  return std::int64_t{gridDim.x} * (block_threads * each);
}

/// Values that one thread folds at a time.
inline constexpr int fold_most = 16;

/// Folds `count` values, up to fold_most that are `stride` apart, to the first: neighbours, then the results of
/// neighbours, and so on; what has no neighbour stays.
template <class T, class Operation>
__device__ void fold_run(T* values, std::int64_t stride, std::int64_t count, Operation operation) {
  T made[fold_most] = {};
  for (int k = 0; k < fold_most; ++k) {
    if (k < count) made[k] = values[k * stride];
  }
  for (int step = 1; step < fold_most; step *= 2) {
    for (int k = 0; k + step < fold_most; k += 2 * step) {
      if (k + step < count) made[k] = operation(made[k], made[k + step]);
    }
  }
  values[0] = made[0];
}

/// The same of any number of values next to each other, which all threads of the block share. All call it.
template <class T, class Operation>
__device__ void fold(T* values, std::int64_t count, Operation operation) {
  __syncthreads();
  for (std::int64_t stride = 1; stride < count; stride *= fold_most) {
    const std::int64_t run = stride * fold_most;
    for (std::int64_t begin = threadIdx.x * run; begin < count; begin += block_threads * run) {
      fold_run(values + begin, stride, (count - begin + stride - 1) / stride, operation);
    }
    __syncthreads();
  }
}

}  // namespace penstock::device
