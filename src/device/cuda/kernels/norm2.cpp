// norm2 by cuBLAS' nrm2, which neither overflows nor underflows on the way.
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

/// As long as it lives, cuBLAS takes and gives numbers in GPU memory; where it gave them to the host, it would wait.
class NumbersOnGpu {
 public:
  explicit NumbersOnGpu(cublasHandle_t cublas) : cublas_(cublas) {
    PENSTOCK_CUBLAS_TRY(cublasSetPointerMode(cublas_, CUBLAS_POINTER_MODE_DEVICE));
  }
  ~NumbersOnGpu() { cublasSetPointerMode(cublas_, CUBLAS_POINTER_MODE_HOST); }
  NumbersOnGpu(const NumbersOnGpu&) = delete;
  NumbersOnGpu& operator=(const NumbersOnGpu&) = delete;

 private:
  cublasHandle_t cublas_;
};

template <class T>
void norm(const CudaContext& context) {
  const std::int64_t count = context.arrays[0].type.shape.count();
  const T* const x = data_of<const T>(context.arrays[0]);
  T* const result = data_of<T>(context.arrays[1]);
  if (count == 0) return queue_scaling(result, 1, T{0}, context.stream);
  const NumbersOnGpu mode(context.cublas);
  if constexpr (std::is_same_v<T, float>)
    PENSTOCK_CUBLAS_TRY(cublasSnrm2_64(context.cublas, count, x, 1, result));
  else
    PENSTOCK_CUBLAS_TRY(cublasDnrm2_64(context.cublas, count, x, 1, result));
}

}  // namespace

void run_norm2(const CudaContext& context) {
  kernels::with_real_type(context.arrays[0].type.dtype, [&]<class T>(std::type_identity<T>) { norm<T>(context); });
}

}  // namespace penstock::device
