// iota, uniform and normal.
#include "device/cuda/kernels/numbers.cuh"

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include "device/cuda/cuda_error.hpp"
#include "device/cuda/kernels/arguments.hpp"
#include "device/cuda/kernels/run.hpp"
#include "kernels/elements.hpp"
#include "kernels/whole.hpp"

namespace penstock::device {
namespace {

/// From the parameters `first` and `row_stride`, which are the last ones.
Rows rows_of(const CudaContext& context) {
  const Shape& shape = context.arrays[0].type.shape;
  const kernels::WholePlace place = kernels::place_of(context.parameters.last(2));
  const bool is_row = place.row_stride == 0 || place.row_stride == shape[1];
  if (is_row) return {.count = 1, .columns = shape.count(), .first = place.first, .stride = 0};
  return {.count = shape[0], .columns = shape[1], .first = place.first, .stride = place.row_stride};
}

template <class T, class Numbers>
void random(const CudaContext& context, const Numbers& numbers) {
  if (is_empty(context.arrays[0])) return;
  const Rows rows = rows_of(context);
  const auto key = kernels::key_of_seed(std::get<std::int64_t>(context.parameters[0]));
  const unsigned blocks = blocks_for(rows.count * counters_of<T>(rows.columns));
  make_random<<<blocks, block_threads, 0, context.stream>>>(data_of<T>(context.arrays[0]), rows, key, numbers);
  PENSTOCK_CUDA_TRY(cudaGetLastError());
}

}  // namespace

void run_iota(const CudaContext& context) {
  const ArrayView& x = context.arrays[0];
  if (is_empty(x)) return;
  kernels::with_element_type(x.type.dtype, [&]<class T>(std::type_identity<T>) {
    const unsigned blocks = blocks_for(x.type.shape.count());
    count_up<<<blocks, block_threads, 0, context.stream>>>(data_of<T>(x), rows_of(context));
    PENSTOCK_CUDA_TRY(cudaGetLastError());
  });
}

void run_uniform(const CudaContext& context) {
  kernels::with_element_type(context.arrays[0].type.dtype, [&]<class T>(std::type_identity<T>) {
    random<T>(context, UniformNumbers<T>{kernels::UniformScale<T>(real_of(context, 1), real_of(context, 2))});
  });
}

void run_normal(const CudaContext& context) {
  kernels::with_real_type(context.arrays[0].type.dtype, [&]<class T>(std::type_identity<T>) {
    random<T>(context, NormalNumbers<T>{.mean = real_of(context, 1), .deviation = real_of(context, 2)});
  });
}

}  // namespace penstock::device
