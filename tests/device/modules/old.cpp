/// A CUDA module of another interface version; only the version may be looked at.
#include <cstdlib>

#include "device/cuda/module_abi.hpp"

namespace penstock::device {
namespace {

void probe(std::vector<GpuDescription>& /*gpus*/, std::string& /*why*/) noexcept { std::abort(); }
Accelerator* open(const GpuOptions& /*options*/, Completions& /*completions*/, TransferEnds& /*transfers*/,
                  std::string& /*why*/) noexcept {
  std::abort();
}

void* allocate_pinned(int /*gpu*/, std::size_t /*bytes*/) noexcept { std::abort(); }
void free_pinned(void* /*memory*/) noexcept { std::abort(); }

constexpr CudaModule module_table{.abi_version = cuda_abi_version + 1,
                                  .probe = probe,
                                  .open = open,
                                  .allocate_pinned = allocate_pinned,
                                  .free_pinned = free_pinned};

}  // namespace
}  // namespace penstock::device

extern "C" const penstock::device::CudaModule* penstock_cuda_module() { return &penstock::device::module_table; }
