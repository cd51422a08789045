// syrk by cuBLAS, which counts by columns: to it, row-major a is its transpose, and the lower triangle of c the upper
// one.
#include <cublas_v2.h>

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
void multiply(const CudaContext& context) {
  const Shape& a = context.arrays[0].type.shape;
  const ArrayView& c = context.arrays[1];
  const std::int64_t n = c.type.shape[0];
  const bool transposes = is_set(context, 0);
  const bool lower = is_set(context, 1);
  const T alpha = static_cast<T>(real_of(context, 2));
  const T beta = static_cast<T>(real_of(context, 3));
  const std::int64_t inner = a[transposes ? 0 : 1];
  T* const out = data_of<T>(c);
  // A c that is written only holds nothing yet: its other triangle becomes zero.
  if (real_of(context, 3) == 0.0) queue_scaling(out, n * n, T{0}, context.stream);
  if (alpha == T{0} || inner == 0) return queue_triangle_scaling(out, n, lower, beta, context.stream);
  const auto triangle = lower ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
  const auto operation = transposes ? CUBLAS_OP_N : CUBLAS_OP_T;
  const T* const in = data_of<const T>(context.arrays[0]);
  if constexpr (std::is_same_v<T, float>) {
    PENSTOCK_CUBLAS_TRY(cublasSsyrk_64(context.cublas, triangle, operation, n, inner, &alpha, in, a[1], &beta, out, n));
  } else {
    PENSTOCK_CUBLAS_TRY(cublasDsyrk_64(context.cublas, triangle, operation, n, inner, &alpha, in, a[1], &beta, out, n));
  }
}

}  // namespace

void run_syrk(const CudaContext& context) {
  if (is_empty(context.arrays[1])) return;
  kernels::with_real_type(context.arrays[1].type.dtype, [&]<class T>(std::type_identity<T>) { multiply<T>(context); });
}

}  // namespace penstock::device
