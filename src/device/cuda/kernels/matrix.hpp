/// What the bodies that call cuBLAS need besides. Each queues one kernel, or throws Error (environment).
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

namespace penstock::device {

/// Every one of `count` elements times `factor`; 0 does not read them.
void queue_scaling(float* x, std::int64_t count, float factor, cudaStream_t stream);
void queue_scaling(double* x, std::int64_t count, double factor, cudaStream_t stream);

/// The same of one triangle, with the diagonal, of an n by n matrix. Not for 0.
void queue_triangle_scaling(float* c, std::int64_t n, bool lower, float factor, cudaStream_t stream);
void queue_triangle_scaling(double* c, std::int64_t n, bool lower, double factor, cudaStream_t stream);

/// Sets `found`, on the GPU, to the first row of an n by n matrix whose element on the diagonal is zero; -1: none is.
void queue_zero_search(const float* a, std::int64_t n, std::int64_t* found, cudaStream_t stream);
void queue_zero_search(const double* a, std::int64_t n, std::int64_t* found, cudaStream_t stream);

}  // namespace penstock::device
