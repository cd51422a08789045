/// The emulated cuBLAS' handles, and how its functions reach the memory and the streams of the emulated GPUs.
#pragma once

#include <cublas_v2.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <span>

#include "cuda_emulator/process.hpp"

/// Of one GPU; for one thread at a time.
struct cublasContext {
  static constexpr std::size_t workspace_bytes = std::size_t{1} << 20;

  int gpu = 0;
  cudaStream_t stream = nullptr;
  cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;
  void* workspace = nullptr;
  void* own_workspace = nullptr;  ///< the user's, in its place; until the next cublasSetStream()
  std::size_t own_workspace_bytes = 0;
  std::atomic<bool> is_used{false};
};

namespace penstock::emulator {

/// One call of a handle; not right: another thread is in one, or the handle is another GPU's.
class CublasUse {
 public:
  explicit CublasUse(cublasHandle_t handle) : handle_(handle), holds_(!handle->is_used.exchange(true)) {
    if (!holds_) std::fputs("the emulated cuBLAS: two threads use one handle at a time\n", stderr);
  }
  ~CublasUse() {
    if (holds_) handle_->is_used = false;
  }
  CublasUse(const CublasUse&) = delete;
  CublasUse& operator=(const CublasUse&) = delete;
  [[nodiscard]] bool is_right() const { return holds_ && handle_->gpu == current_gpu(); }

 private:
  cublasHandle_t handle_;
  bool holds_;
};

/// Memory of the GPU that an operation reads or, besides, writes. No bytes: the address may be anything.
struct CublasOperand {
  const void* address;
  std::size_t bytes;
  bool is_written = false;
};

/// What computes on the operands, which the host can reach now, in the order in which they were given.
using CublasWork = std::function<void(std::span<std::byte* const>)>;

/// The call of a function called `name`, of so many floating-point operations: queued on the handle's stream. Operands
/// that are not in the GPU's memory are found when it runs.
cublasStatus_t queue_cublas(cublasHandle_t handle, const char* name, double flops,
                            std::span<const CublasOperand> operands, CublasWork work);

}  // namespace penstock::emulator
