// cuBLAS on the BLAS of the host, as operations of the emulated GPUs.
#include <cblas.h>
#include <cublas_v2.h>

#include <atomic>
#include <cstdio>
#include <mutex>
#include <type_traits>

#include "cuda_emulator/process.hpp"

using penstock::emulator::announce_read;
using penstock::emulator::announce_write;
using penstock::emulator::current_gpu;
using penstock::emulator::Engine;
using penstock::emulator::Process;
using penstock::emulator::Settings;

/// Of one GPU; for one thread at a time.
struct cublasContext {
  static constexpr std::size_t workspace_bytes = std::size_t{1} << 20;

  int gpu = 0;
  cudaStream_t stream = nullptr;
  void* workspace = nullptr;
  std::atomic<bool> is_used{false};
};

namespace {

/// One call of a handle; false: another thread is in one, or the handle is another GPU's.
class Use {
 public:
  explicit Use(cublasHandle_t handle) : handle_(handle), holds_(!handle->is_used.exchange(true)) {
    if (!holds_) std::fputs("the emulated cuBLAS: two threads use one handle at a time\n", stderr);
  }
  ~Use() {
    if (holds_) handle_->is_used = false;
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;
  [[nodiscard]] bool is_right() const { return holds_ && handle_->gpu == current_gpu(); }

 private:
  cublasHandle_t handle_;
  bool holds_;
};

/// A matrix in GPU memory, column by column.
struct Matrix {
  const void* address;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t leading;

  [[nodiscard]] std::size_t bytes(std::size_t element) const {
    if (rows == 0 || columns == 0) return 0;
    return (static_cast<std::size_t>(columns - 1) * static_cast<std::size_t>(leading) +
            static_cast<std::size_t>(rows)) *
           element;
  }
};

/// Null: it is not in the memory of this GPU.
template <class T>
T* bytes_of(Process& process, int gpu, const Matrix& matrix) {
  const std::lock_guard lock(process.memory_mutex());
  return reinterpret_cast<T*>(process.gpu(gpu).memory.bytes_at(matrix.address, matrix.bytes(sizeof(T))));
}

template <class T>
void multiply(CBLAS_TRANSPOSE op_a, CBLAS_TRANSPOSE op_b, std::int64_t m, std::int64_t n, std::int64_t k, T alpha,
              const T* a, std::int64_t lda, const T* b, std::int64_t ldb, T beta, T* c, std::int64_t ldc) {
  const auto whole = [](std::int64_t value) { return static_cast<int>(value); };
  if constexpr (std::is_same_v<T, float>) {
    cblas_sgemm(CblasColMajor, op_a, op_b, whole(m), whole(n), whole(k), alpha, a, whole(lda), b, whole(ldb), beta, c,
                whole(ldc));
  } else {
    cblas_dgemm(CblasColMajor, op_a, op_b, whole(m), whole(n), whole(k), alpha, a, whole(lda), b, whole(ldb), beta, c,
                whole(ldc));
  }
}

template <class T>
cublasStatus_t gemm(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, std::int64_t m,
                    std::int64_t n, std::int64_t k, const T* alpha, const T* a, std::int64_t lda, const T* b,
                    std::int64_t ldb, const T* beta, T* c, std::int64_t ldc) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  const Use use(handle);
  if (!use.is_right()) return CUBLAS_STATUS_EXECUTION_FAILED;
  Process& process = Process::get();
  if (process.refusal() != cudaSuccess) return CUBLAS_STATUS_EXECUTION_FAILED;
  if (const auto fault = process.fault_of("gemm")) return CUBLAS_STATUS_EXECUTION_FAILED;
  const bool turns_a = op_a != CUBLAS_OP_N;
  const bool turns_b = op_b != CUBLAS_OP_N;
  if (m < 0 || n < 0 || k < 0 || ldc < m) return CUBLAS_STATUS_INVALID_VALUE;
  const Matrix left{a, turns_a ? k : m, turns_a ? m : k, lda};
  const Matrix right{b, turns_b ? n : k, turns_b ? k : n, ldb};
  const Matrix result{c, m, n, ldc};
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  const T* const in_a = k == 0 ? nullptr : bytes_of<T>(process, handle->gpu, left);
  const T* const in_b = k == 0 ? nullptr : bytes_of<T>(process, handle->gpu, right);
  T* const out = bytes_of<T>(process, handle->gpu, result);
  const bool are_there = out != nullptr && (k == 0 || (in_a != nullptr && in_b != nullptr));
  std::atomic<int>& fault = process.gpu(handle->gpu).fault;
  const auto run = [=, &process, &fault, alpha = *alpha, beta = *beta] {
    if (!are_there) {
      fault = cudaErrorIllegalAddress;
      return;
    }
    if (const auto error = process.fault_of("kernel")) {
      fault = *error;
      return;
    }
    if (k > 0) {
      announce_read(in_a, left.bytes(sizeof(T)));
      announce_read(in_b, right.bytes(sizeof(T)));
    }
    announce_write(out, result.bytes(sizeof(T)));
    multiply<T>(turns_a ? CblasTrans : CblasNoTrans, turns_b ? CblasTrans : CblasNoTrans, m, n, k, alpha, in_a, lda,
                in_b, ldb, beta, out, ldc);
  };
  const double flops = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  process.queues().queue(process.find(handle->stream),
                         {.engine = Engine::kernels, .takes_ns = Settings::get().product_ns(flops), .end = run});
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  *handle = nullptr;
  void* workspace = nullptr;
  if (cudaMalloc(&workspace, cublasContext::workspace_bytes) != cudaSuccess) return CUBLAS_STATUS_ALLOC_FAILED;
  *handle = new cublasContext;
  (*handle)->gpu = current_gpu();
  (*handle)->workspace = workspace;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  static_cast<void>(cudaFree(handle->workspace));
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  const Use use(handle);
  if (!use.is_right()) return CUBLAS_STATUS_EXECUTION_FAILED;
  handle->stream = stream;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t* stream) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  *stream = handle->stream;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetVersion_v2(cublasHandle_t /*handle*/, int* version) {
  *version = CUBLAS_VERSION;
  return CUBLAS_STATUS_SUCCESS;
}

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

const char* cublasGetStatusName(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_STATUS_ALLOC_FAILED:
      return "CUBLAS_STATUS_ALLOC_FAILED";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
    default:
      return "CUBLAS_STATUS_OTHER";
  }
}

const char* cublasGetStatusString(cublasStatus_t status) {
  return status == CUBLAS_STATUS_SUCCESS ? "success" : "a status of the emulated cuBLAS";
}

}  // extern "C"
