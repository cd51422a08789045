/// Launches of the sample kernels; asynchronous, on any thread whose current device is the stream's.
#pragma once

#include <cuda_runtime_api.h>

namespace penstock::emulator {

void launch_scale(float* values, float factor, int count, cudaStream_t stream);
/// One sum for each 64 values.
void launch_sums(const float* values, float* sums, int blocks, cudaStream_t stream);

}  // namespace penstock::emulator
