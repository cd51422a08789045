// What cuBLAS computes, on the BLAS of the host, as operations of the emulated GPUs. Its numbers are taken from the
// host.
#include <cblas.h>
#include <cublas_v2.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

#include "cuda_emulator/cublas.hpp"

using penstock::emulator::CublasOperand;
using penstock::emulator::queue_cublas;

namespace {

/// A matrix in GPU memory, column by column.
template <class T>
CublasOperand matrix(const T* address, std::int64_t rows, std::int64_t columns, std::int64_t leading,
                     bool is_written = false) {
  if (rows == 0 || columns == 0) return {address, 0, is_written};
  const std::int64_t elements = (columns - 1) * leading + rows;
  return {address, static_cast<std::size_t>(elements) * sizeof(T), is_written};
}

CBLAS_TRANSPOSE to_blas(cublasOperation_t operation) { return operation == CUBLAS_OP_N ? CblasNoTrans : CblasTrans; }
CBLAS_UPLO to_blas(cublasFillMode_t triangle) { return triangle == CUBLAS_FILL_MODE_LOWER ? CblasLower : CblasUpper; }
CBLAS_SIDE to_blas(cublasSideMode_t side) { return side == CUBLAS_SIDE_LEFT ? CblasLeft : CblasRight; }
CBLAS_DIAG to_blas(cublasDiagType_t diagonal) { return diagonal == CUBLAS_DIAG_UNIT ? CblasUnit : CblasNonUnit; }

int whole(std::int64_t value) { return static_cast<int>(value); }
double real(std::int64_t value) { return static_cast<double>(value); }

/// Factors in GPU memory are no one's who runs here: who meant the host's has left the mode as norms want it.
bool takes_factors(cublasHandle_t handle) {
  return handle == nullptr || handle->pointer_mode == CUBLAS_POINTER_MODE_HOST;
}

template <class T>
cublasStatus_t gemm(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, std::int64_t m,
                    std::int64_t n, std::int64_t k, const T* alpha, const T* a, std::int64_t lda, const T* b,
                    std::int64_t ldb, const T* beta, T* c, std::int64_t ldc) {
  if (!takes_factors(handle)) return CUBLAS_STATUS_NOT_SUPPORTED;
  const bool turns_a = op_a != CUBLAS_OP_N;
  const bool turns_b = op_b != CUBLAS_OP_N;
  const bool fits = lda >= std::max<std::int64_t>(1, turns_a ? k : m) &&
                    ldb >= std::max<std::int64_t>(1, turns_b ? n : k) && ldc >= std::max<std::int64_t>(1, m);
  if (m < 0 || n < 0 || k < 0 || !fits) return CUBLAS_STATUS_INVALID_VALUE;
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  const std::array operands{matrix(a, turns_a ? k : m, turns_a ? m : k, lda),
                            matrix(b, turns_b ? n : k, turns_b ? k : n, ldb), matrix(c, m, n, ldc, true)};
  return queue_cublas(handle, "gemm", 2 * real(m) * real(n) * real(k), operands,
                      [=, alpha = *alpha, beta = *beta](std::span<std::byte* const> at) {
                        const auto* const left = reinterpret_cast<const T*>(at[0]);
                        const auto* const right = reinterpret_cast<const T*>(at[1]);
                        auto* const out = reinterpret_cast<T*>(at[2]);
                        const auto call = [&](auto blas) {
                          blas(CblasColMajor, to_blas(op_a), to_blas(op_b), whole(m), whole(n), whole(k), alpha, left,
                               whole(lda), right, whole(ldb), beta, out, whole(ldc));
                        };
                        if constexpr (std::is_same_v<T, float>)
                          call(cblas_sgemm);
                        else
                          call(cblas_dgemm);
                      });
}

template <class T>
cublasStatus_t syrk(cublasHandle_t handle, cublasFillMode_t triangle, cublasOperation_t op, std::int64_t n,
                    std::int64_t k, const T* alpha, const T* a, std::int64_t lda, const T* beta, T* c,
                    std::int64_t ldc) {
  if (!takes_factors(handle)) return CUBLAS_STATUS_NOT_SUPPORTED;
  const bool turns = op != CUBLAS_OP_N;
  const bool fits = lda >= std::max<std::int64_t>(1, turns ? k : n) && ldc >= std::max<std::int64_t>(1, n);
  if (n < 0 || k < 0 || !fits) return CUBLAS_STATUS_INVALID_VALUE;
  if (n == 0) return CUBLAS_STATUS_SUCCESS;
  const std::array operands{matrix(a, turns ? k : n, turns ? n : k, lda), matrix(c, n, n, ldc, true)};
  return queue_cublas(handle, "syrk", real(n) * real(n) * real(k), operands,
                      [=, alpha = *alpha, beta = *beta](std::span<std::byte* const> at) {
                        const auto call = [&](auto blas) {
                          blas(CblasColMajor, to_blas(triangle), to_blas(op), whole(n), whole(k), alpha,
                               reinterpret_cast<const T*>(at[0]), whole(lda), beta, reinterpret_cast<T*>(at[1]),
                               whole(ldc));
                        };
                        if constexpr (std::is_same_v<T, float>)
                          call(cblas_ssyrk);
                        else
                          call(cblas_dsyrk);
                      });
}

template <class T>
cublasStatus_t trsm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t triangle, cublasOperation_t op,
                    cublasDiagType_t diagonal, std::int64_t m, std::int64_t n, const T* alpha, const T* a,
                    std::int64_t lda, T* b, std::int64_t ldb) {
  if (!takes_factors(handle)) return CUBLAS_STATUS_NOT_SUPPORTED;
  const std::int64_t order = side == CUBLAS_SIDE_LEFT ? m : n;
  const bool fits = lda >= std::max<std::int64_t>(1, order) && ldb >= std::max<std::int64_t>(1, m);
  if (m < 0 || n < 0 || !fits) return CUBLAS_STATUS_INVALID_VALUE;
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  const std::array operands{matrix(a, order, order, lda), matrix(b, m, n, ldb, true)};
  return queue_cublas(
      handle, "trsm", real(m) * real(n) * real(order), operands, [=, alpha = *alpha](std::span<std::byte* const> at) {
        const auto call = [&](auto blas) {
          blas(CblasColMajor, to_blas(side), to_blas(triangle), to_blas(op), to_blas(diagonal), whole(m), whole(n),
               alpha, reinterpret_cast<const T*>(at[0]), whole(lda), reinterpret_cast<T*>(at[1]), whole(ldb));
        };
        if constexpr (std::is_same_v<T, float>)
          call(cblas_strsm);
        else
          call(cblas_dtrsm);
      });
}

template <class T>
T norm_of(std::int64_t n, const T* x, std::int64_t step) {
  if constexpr (std::is_same_v<T, float>)
    return cblas_snrm2(whole(n), x, whole(step));
  else
    return cblas_dnrm2(whole(n), x, whole(step));
}

/// To the host, the number comes before the call returns.
template <class T>
cublasStatus_t nrm2(cublasHandle_t handle, std::int64_t n, const T* x, std::int64_t step, T* result) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (step < 1) return CUBLAS_STATUS_INVALID_VALUE;
  const bool is_on_gpu = handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE;
  const std::array operands{matrix(x, 1, std::max<std::int64_t>(0, n), step),
                            matrix(result, is_on_gpu ? 1 : 0, 1, 1, true)};
  const cublasStatus_t status =
      queue_cublas(handle, "nrm2", 2 * real(n), operands, [=](std::span<std::byte* const> at) {
        T* const out = is_on_gpu ? reinterpret_cast<T*>(at[1]) : result;
        *out = n > 0 ? norm_of(n, reinterpret_cast<const T*>(at[0]), step) : T{0};
      });
  if (status != CUBLAS_STATUS_SUCCESS || is_on_gpu) return status;
  return cudaStreamSynchronize(handle->stream) == cudaSuccess ? status : CUBLAS_STATUS_EXECUTION_FAILED;
}

}  // namespace

extern "C" {

cublasStatus_t cublasSgemm_v2_64(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, std::int64_t m,
                                 std::int64_t n, std::int64_t k, const float* alpha, const float* a, std::int64_t lda,
                                 const float* b, std::int64_t ldb, const float* beta, float* c, std::int64_t ldc) {
  return gemm(handle, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

cublasStatus_t cublasDgemm_v2_64(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, std::int64_t m,
                                 std::int64_t n, std::int64_t k, const double* alpha, const double* a, std::int64_t lda,
                                 const double* b, std::int64_t ldb, const double* beta, double* c, std::int64_t ldc) {
  return gemm(handle, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

cublasStatus_t cublasSsyrk_v2_64(cublasHandle_t handle, cublasFillMode_t triangle, cublasOperation_t op, std::int64_t n,
                                 std::int64_t k, const float* alpha, const float* a, std::int64_t lda,
                                 const float* beta, float* c, std::int64_t ldc) {
  return syrk(handle, triangle, op, n, k, alpha, a, lda, beta, c, ldc);
}

cublasStatus_t cublasDsyrk_v2_64(cublasHandle_t handle, cublasFillMode_t triangle, cublasOperation_t op, std::int64_t n,
                                 std::int64_t k, const double* alpha, const double* a, std::int64_t lda,
                                 const double* beta, double* c, std::int64_t ldc) {
  return syrk(handle, triangle, op, n, k, alpha, a, lda, beta, c, ldc);
}

cublasStatus_t cublasStrsm_v2_64(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t triangle,
                                 cublasOperation_t op, cublasDiagType_t diagonal, std::int64_t m, std::int64_t n,
                                 const float* alpha, const float* a, std::int64_t lda, float* b, std::int64_t ldb) {
  return trsm(handle, side, triangle, op, diagonal, m, n, alpha, a, lda, b, ldb);
}

cublasStatus_t cublasDtrsm_v2_64(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t triangle,
                                 cublasOperation_t op, cublasDiagType_t diagonal, std::int64_t m, std::int64_t n,
                                 const double* alpha, const double* a, std::int64_t lda, double* b, std::int64_t ldb) {
  return trsm(handle, side, triangle, op, diagonal, m, n, alpha, a, lda, b, ldb);
}

cublasStatus_t cublasSnrm2_v2_64(cublasHandle_t handle, std::int64_t n, const float* x, std::int64_t step,
                                 float* result) {
  return nrm2(handle, n, x, step, result);
}

cublasStatus_t cublasDnrm2_v2_64(cublasHandle_t handle, std::int64_t n, const double* x, std::int64_t step,
                                 double* result) {
  return nrm2(handle, n, x, step, result);
}

}  // extern "C"
