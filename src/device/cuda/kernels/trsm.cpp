// trsm by cuBLAS, which counts by columns: to it, row-major matrices are their transposes, so that a stands on the
// other side of b, and its lower triangle is the upper one.
#include <cublas_v2.h>

#include <cstdint>
#include <string>
#include <type_traits>

#include "device/cuda/cuda_error.hpp"
#include "device/cuda/kernels/arguments.hpp"
#include "device/cuda/kernels/matrix.hpp"
#include "device/cuda/kernels/run.hpp"
#include "kernels/elements.hpp"

namespace penstock::device {
namespace {

template <class T>
void call_cublas(const CudaContext& context, T alpha) {
  const ArrayView& a = context.arrays[0];
  const ArrayView& b = context.arrays[1];
  const auto side = text_of(context, 0) == "right" ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;
  const auto triangle = is_set(context, 1) ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
  const auto operation = is_set(context, 2) ? CUBLAS_OP_T : CUBLAS_OP_N;
  const auto diagonal = is_set(context, 3) ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
  const std::int64_t rows = b.type.shape[0];
  const std::int64_t columns = b.type.shape[1];
  const std::int64_t order = a.type.shape[0];
  if constexpr (std::is_same_v<T, float>) {
    PENSTOCK_CUBLAS_TRY(cublasStrsm_64(context.cublas, side, triangle, operation, diagonal, columns, rows, &alpha,
                                       data_of<const T>(a), order, data_of<T>(b), columns));
  } else {
    PENSTOCK_CUBLAS_TRY(cublasDtrsm_64(context.cublas, side, triangle, operation, diagonal, columns, rows, &alpha,
                                       data_of<const T>(a), order, data_of<T>(b), columns));
  }
}

/// The search comes first on the stream; what is solved in spite of a zero is not to be used.
template <class T>
void solve(const CudaContext& context) {
  const double alpha = real_of(context, 4);
  const ArrayView& a = context.arrays[0];
  const ArrayView& b = context.arrays[1];
  const bool is_solving = !is_empty(b) && alpha != 0.0;
  const bool searches = is_solving && !is_set(context, 3);
  auto* const finding = reinterpret_cast<std::int64_t*>(context.scratch);
  if (searches)
    queue_zero_search(data_of<const T>(a), a.type.shape[0], finding, context.stream);
  else
    PENSTOCK_CUDA_TRY(cudaMemsetAsync(finding, 0xff, sizeof(*finding), context.stream));  // -1
  if (is_solving)
    call_cublas(context, static_cast<T>(alpha));
  else
    queue_scaling(data_of<T>(b), b.type.shape.count(), T{0}, context.stream);
}

}  // namespace

void run_trsm(const CudaContext& context) {
  kernels::with_real_type(context.arrays[1].type.dtype, [&]<class T>(std::type_identity<T>) { solve<T>(context); });
}

std::string trsm_verdict(std::int64_t finding) {
  if (finding < 0) return {};
  const std::string place = std::to_string(finding);
  return "a is singular: element [" + place + ", " + place + "] of its diagonal is 0";
}

}  // namespace penstock::device
