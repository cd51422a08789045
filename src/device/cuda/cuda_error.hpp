/// Checked calls of CUDA and cuBLAS: what does not succeed throws Error (environment) with the error's name, its text
/// and the place of the call. Used only inside the CUDA module.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <source_location>
#include <string>

namespace penstock::device {

/// "cudaErrorMemoryAllocation: out of memory"
[[nodiscard]] std::string describe(cudaError_t error);

/// Throws unless `error` is success, and takes it off the thread's last error, where a later check would find it.
void check_cuda(cudaError_t error, const char* call, const std::source_location& where);
void check_cublas(cublasStatus_t status, const char* call, const std::source_location& where);

/// For destructors: prints what went wrong to standard error, the same error in a row once.
void log_cuda(cudaError_t error, const char* call) noexcept;

}  // namespace penstock::device

#define PENSTOCK_CUDA_TRY(call) ::penstock::device::check_cuda((call), #call, std::source_location::current())
#define PENSTOCK_CUBLAS_TRY(call) ::penstock::device::check_cublas((call), #call, std::source_location::current())
