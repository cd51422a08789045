#include "device/cuda/cuda_error.hpp"

#include <atomic>
#include <cstdio>
#include <string_view>

#include <penstock/error.hpp>

namespace penstock::device {
namespace {

[[noreturn]] void fail(const std::string& what, const char* call, const std::source_location& where) {
  std::string_view file = where.file_name();
  file.remove_prefix(file.rfind('/') + 1);  // npos + 1 is 0
  throw Error(ErrorCode::environment,
              what + " at " + std::string(file) + ":" + std::to_string(where.line()) + " in " + call);
}

}  // namespace

std::string describe(cudaError_t error) {
  return std::string(cudaGetErrorName(error)) + ": " + cudaGetErrorString(error);
}

void check_cuda(cudaError_t error, const char* call, const std::source_location& where) {
  if (error == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());
  fail(describe(error), call, where);
}

void check_cublas(cublasStatus_t status, const char* call, const std::source_location& where) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  static_cast<void>(cudaGetLastError());  // cuBLAS leaves the CUDA error behind its own
  fail(std::string(cublasGetStatusName(status)) + ": " + cublasGetStatusString(status), call, where);
}

void log_cuda(cudaError_t error, const char* call) noexcept {
  if (error == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());
  static std::atomic<int> told{cudaSuccess};  // every owner meets the error that ends CUDA; orders nothing
  if (told.exchange(error, std::memory_order_relaxed) == error) return;
  std::fprintf(stderr, "penstock: %s at the end of %s\n", cudaGetErrorName(error), call);
}

}  // namespace penstock::device
