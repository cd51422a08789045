// Kernels that the conformance tests launch: without launches, so that the host's compiler takes them too.

/// Each element times `factor`.
__global__ void scale(float* values, float factor, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) values[i] *= factor;
}

/// A sum for each block, of 64 threads, over a tree.
__global__ void sum_blocks(const float* values, float* sums) {
  __shared__ float partial[64];
  const unsigned thread = threadIdx.x;
  partial[thread] = values[blockIdx.x * blockDim.x + thread];
  __syncthreads();
  for (unsigned half = 32; half > 0; half /= 2) {
    if (thread < half) partial[thread] += partial[thread + half];
    __syncthreads();
  }
  if (thread == 0) sums[blockIdx.x] = partial[0];
}
