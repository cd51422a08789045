// gemm by cuBLAS, which counts by columns: to it, row-major matrices are their transposes. That of the product is
// transposed op(b) * transposed op(a), so a and b change places.
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
  const Shape& c = context.arrays[2].type.shape;
  const bool transposes_a = is_set(context, 0);
  const std::int64_t inner = a[transposes_a ? 0 : 1];
  const T alpha = static_cast<T>(real_of(context, 2));
  const T beta = static_cast<T>(real_of(context, 3));
  T* const out = data_of<T>(context.arrays[2]);
  // As the body for cores: neither a nor b is read.
  if (alpha == T{0} || inner == 0) return queue_scaling(out, c.count(), beta, context.stream);
  const auto op_a = transposes_a ? CUBLAS_OP_T : CUBLAS_OP_N;
  const auto op_b = is_set(context, 1) ? CUBLAS_OP_T : CUBLAS_OP_N;
  const std::int64_t row_of_a = a[1];
  const std::int64_t row_of_b = context.arrays[1].type.shape[1];
  const T* const left = data_of<const T>(context.arrays[0]);
  const T* const right = data_of<const T>(context.arrays[1]);
  if constexpr (std::is_same_v<T, float>) {
    PENSTOCK_CUBLAS_TRY(cublasSgemm_64(context.cublas, op_b, op_a, c[1], c[0], inner, &alpha, right, row_of_b, left,
                                       row_of_a, &beta, out, c[1]));
  } else {
    PENSTOCK_CUBLAS_TRY(cublasDgemm_64(context.cublas, op_b, op_a, c[1], c[0], inner, &alpha, right, row_of_b, left,
                                       row_of_a, &beta, out, c[1]));
  }
}

}  // namespace

void run_gemm(const CudaContext& context) {
  if (is_empty(context.arrays[2])) return;
  kernels::with_real_type(context.arrays[2].type.dtype, [&]<class T>(std::type_identity<T>) { multiply<T>(context); });
}

}  // namespace penstock::device
