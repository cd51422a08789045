#include "cuda_emulator/sample_kernels.hpp"

#include "cuda_emulator/sample_kernels.cuh"

namespace penstock::emulator {

void launch_scale(float* values, float factor, int count, cudaStream_t stream) {
  constexpr int threads = 128;
  scale<<<static_cast<unsigned>((count + threads - 1) / threads), threads, 0, stream>>>(values, factor, count);
}

void launch_sums(const float* values, float* sums, int blocks, cudaStream_t stream) {
  sum_blocks<<<static_cast<unsigned>(blocks), 64, 0, stream>>>(values, sums);
}

}  // namespace penstock::emulator
