// fill, neutral, copy, increment, scale, relu, add, mul, axpy, relu_gradient and combine.
#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include "device/cuda/cuda_error.hpp"
#include "device/cuda/kernels/arguments.hpp"
#include "device/cuda/kernels/elementwise.cuh"
#include "device/cuda/kernels/matrix.hpp"
#include "device/cuda/kernels/run.hpp"
#include "kernels/elements.hpp"
#include "kernels/operations.hpp"

namespace penstock::device {
namespace {

template <class T>
void fill(const CudaContext& context, T value) {
  const std::int64_t count = context.arrays[0].type.shape.count();
  if (count == 0) return;
  fill_each<<<blocks_for(count), block_threads, 0, context.stream>>>(data_of<T>(context.arrays[0]), count, value);
  PENSTOCK_CUDA_TRY(cudaGetLastError());
}

template <class T, class Operation>
void transform(const T* x, T* out, std::int64_t count, Operation operation, cudaStream_t stream) {
  if (count == 0) return;
  transform_each<<<blocks_for(count, at_once), block_threads, 0, stream>>>(x, out, count, operation);
  PENSTOCK_CUDA_TRY(cudaGetLastError());
}

/// The array and the first parameter, as a number of its type.
template <class Operation>
void change(const CudaContext& context, Operation) {
  const ArrayView& x = context.arrays[0];
  kernels::with_element_type(x.type.dtype, [&]<class T>(std::type_identity<T>) {
    transform(data_of<T>(x), data_of<T>(x), x.type.shape.count(),
              WithNumber<T, Operation>{static_cast<T>(real_of(context, 0))}, context.stream);
  });
}

template <class Operation>
void combine(const CudaContext& context, const ArrayView& x, const ArrayView& y, const ArrayView& out,
             Operation operation) {
  const std::int64_t count = out.type.shape.count();
  if (count == 0) return;
  kernels::with_element_type(out.type.dtype, [&]<class T>(std::type_identity<T>) {
    combine_each<<<blocks_for(count, at_once), block_threads, 0, context.stream>>>(
        data_of<const T>(x), data_of<const T>(y), data_of<T>(out), count, operation);
    PENSTOCK_CUDA_TRY(cudaGetLastError());
  });
}

template <class T>
void scale(T* x, std::int64_t count, T factor, cudaStream_t stream) {
  if (factor == T{0})
    PENSTOCK_CUDA_TRY(cudaMemsetAsync(x, 0, static_cast<std::size_t>(count) * sizeof(T), stream));
  else
    transform(x, x, count, WithNumber<T, kernels::Product>{factor}, stream);
}

}  // namespace

void queue_scaling(float* x, std::int64_t count, float factor, cudaStream_t stream) { scale(x, count, factor, stream); }

void queue_scaling(double* x, std::int64_t count, double factor, cudaStream_t stream) {
  scale(x, count, factor, stream);
}

void run_fill(const CudaContext& context) {
  kernels::with_element_type(context.arrays[0].type.dtype, [&]<class T>(std::type_identity<T>) {
    fill(context, static_cast<T>(real_of(context, 0)));
  });
}

void run_neutral(const CudaContext& context) {
  kernels::with_operation(text_of(context, 0), [&]<class Operation>(Operation) {
    kernels::with_element_type(context.arrays[0].type.dtype, [&]<class T>(std::type_identity<T>) {
      fill(context, T{Operation::template neutral<T>});
    });
  });
}

void run_copy(const CudaContext& context) {
  const ArrayView& out = context.arrays[1];
  if (is_empty(out)) return;
  PENSTOCK_CUDA_TRY(cudaMemcpyAsync(out.data, context.arrays[0].data, static_cast<std::size_t>(out.type.bytes()),
                                    cudaMemcpyDeviceToDevice, context.stream));
}

void run_increment(const CudaContext& context) { change(context, kernels::Sum()); }

void run_scale(const CudaContext& context) { change(context, kernels::Product()); }

void run_relu(const CudaContext& context) {
  const ArrayView& out = context.arrays[1];
  kernels::with_element_type(out.type.dtype, [&]<class T>(std::type_identity<T>) {
    transform(data_of<const T>(context.arrays[0]), data_of<T>(out), out.type.shape.count(), kernels::Rectified(),
              context.stream);
  });
}

void run_add(const CudaContext& context) {
  combine(context, context.arrays[0], context.arrays[1], context.arrays[2], kernels::Sum());
}

void run_mul(const CudaContext& context) {
  combine(context, context.arrays[0], context.arrays[1], context.arrays[2], kernels::Product());
}

void run_axpy(const CudaContext& context) {
  combine(context, context.arrays[0], context.arrays[1], context.arrays[1],
          kernels::SumWithMultiple{real_of(context, 0)});
}

void run_relu_gradient(const CudaContext& context) {
  combine(context, context.arrays[0], context.arrays[1], context.arrays[2], kernels::GradientWherePositive());
}

void run_combine(const CudaContext& context) {
  kernels::with_operation(text_of(context, 0), [&](auto operation) {
    combine(context, context.arrays[0], context.arrays[1], context.arrays[0], operation);
  });
}

}  // namespace penstock::device
