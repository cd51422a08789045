/// A CUDA module on a machine without a GPU: it gives the reason, or leaves that to the loader, in turn.
#include <cstdlib>

#include "device/cuda/module_abi.hpp"

namespace penstock::device {
namespace {

void probe(std::vector<GpuDescription>& /*gpus*/, std::string& why) noexcept {
  static bool says_why = false;
  says_why = !says_why;
  if (says_why) why = "no GPU: the CUDA driver is missing or too old (cudaErrorInsufficientDriver)";
}
Accelerator* open(const GpuOptions& /*options*/, Completions& /*completions*/, TransferEnds& /*transfers*/,
                  std::string& why) noexcept {
  why = "no GPU";
  return nullptr;
}

void* allocate_pinned(int /*gpu*/, std::size_t /*bytes*/) noexcept { std::abort(); }
void free_pinned(void* /*memory*/) noexcept { std::abort(); }

constexpr CudaModule module_table{.abi_version = cuda_abi_version,
                                  .probe = probe,
                                  .open = open,
                                  .allocate_pinned = allocate_pinned,
                                  .free_pinned = free_pinned};

}  // namespace
}  // namespace penstock::device

extern "C" const penstock::device::CudaModule* penstock_cuda_module() { return &penstock::device::module_table; }
