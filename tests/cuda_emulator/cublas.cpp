#include "cuda_emulator/cublas.hpp"

#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

namespace penstock::emulator {
namespace {

constexpr int used_workspace = 0xCB;  // the byte that a product leaves there

struct Reached {
  std::vector<std::byte*> bytes;
  bool all = true;  ///< are in the memory of the GPU
};

Reached reach(Process& process, int gpu, std::span<const CublasOperand> operands) {
  Reached reached;
  const std::lock_guard lock(process.memory_mutex());
  for (const CublasOperand& operand : operands) {
    const bool is_used = operand.bytes > 0;
    reached.bytes.push_back(is_used ? process.gpu(gpu).memory.bytes_at(operand.address, operand.bytes) : nullptr);
    reached.all = reached.all && (!is_used || reached.bytes.back() != nullptr);
  }
  return reached;
}

void announce(std::span<const CublasOperand> operands, std::span<std::byte* const> bytes) {
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].bytes == 0) continue;
    if (operands[i].is_written)
      announce_write(bytes[i], operands[i].bytes);
    else
      announce_read(bytes[i], operands[i].bytes);
  }
}

}  // namespace

cublasStatus_t queue_cublas(cublasHandle_t handle, const char* name, double flops, std::span<const CublasOperand> given,
                            CublasWork work) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  const CublasUse use(handle);
  if (!use.is_right()) return CUBLAS_STATUS_EXECUTION_FAILED;
  Process& process = Process::get();
  if (process.refusal() != cudaSuccess) return CUBLAS_STATUS_EXECUTION_FAILED;
  if (process.fault_of(name)) return CUBLAS_STATUS_EXECUTION_FAILED;
  std::atomic<int>& fault = process.gpu(handle->gpu).fault;
  std::vector<CublasOperand> operands(given.begin(), given.end());
  operands.push_back({handle->own_workspace, handle->own_workspace_bytes, true});
  const auto run = [&process, &fault, reached = reach(process, handle->gpu, operands), work = std::move(work),
                    operands] {
    if (!reached.all) {
      fault = cudaErrorIllegalAddress;
      return;
    }
    if (const auto error = process.fault_of("kernel")) {
      fault = *error;
      return;
    }
    announce(operands, reached.bytes);
    work(reached.bytes);
    if (operands.back().bytes > 0) std::memset(reached.bytes.back(), used_workspace, operands.back().bytes);
  };
  process.queues().queue(process.find(handle->stream),
                         {.engine = Engine::kernels, .takes_ns = Settings::get().product_ns(flops), .end = run});
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace penstock::emulator
