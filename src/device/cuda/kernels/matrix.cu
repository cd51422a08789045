// add_diagonal, and what the bodies that call cuBLAS need besides.
#include "device/cuda/kernels/matrix.cuh"

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include "device/cuda/cuda_error.hpp"
#include "device/cuda/kernels/arguments.hpp"
#include "device/cuda/kernels/matrix.hpp"
#include "device/cuda/kernels/run.hpp"
#include "kernels/elements.hpp"

namespace penstock::device {
namespace {

template <class T>
void scale(T* c, std::int64_t n, bool lower, T factor, cudaStream_t stream) {
  if (n == 0) return;
  scale_triangle<<<blocks_for(n * n), block_threads, 0, stream>>>(c, n, lower, factor);
  PENSTOCK_CUDA_TRY(cudaGetLastError());
}

template <class T>
void search(const T* a, std::int64_t n, std::int64_t* found, cudaStream_t stream) {
  find_zero_on_diagonal<<<1, block_threads, 0, stream>>>(a, n, found);
  PENSTOCK_CUDA_TRY(cudaGetLastError());
}

}  // namespace

void queue_triangle_scaling(float* c, std::int64_t n, bool lower, float factor, cudaStream_t stream) {
  scale(c, n, lower, factor, stream);
}

void queue_triangle_scaling(double* c, std::int64_t n, bool lower, double factor, cudaStream_t stream) {
  scale(c, n, lower, factor, stream);
}

void queue_zero_search(const float* a, std::int64_t n, std::int64_t* found, cudaStream_t stream) {
  search(a, n, found, stream);
}

void queue_zero_search(const double* a, std::int64_t n, std::int64_t* found, cudaStream_t stream) {
  search(a, n, found, stream);
}

void run_add_diagonal(const CudaContext& context) {
  const ArrayView& a = context.arrays[0];
  if (is_empty(a)) return;
  kernels::with_element_type(a.type.dtype, [&]<class T>(std::type_identity<T>) {
    const std::int64_t n = a.type.shape[0];
    add_to_diagonal<<<blocks_for(n), block_threads, 0, context.stream>>>(data_of<T>(a), n,
                                                                         static_cast<T>(real_of(context, 0)));
    PENSTOCK_CUDA_TRY(cudaGetLastError());
  });
}

}  // namespace penstock::device
