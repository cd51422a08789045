/// A CUDA module on a machine without a GPU: it gives the reason, or leaves that to the loader, in turn.
#include "device/cuda/module_abi.hpp"

namespace penstock::device {
namespace {

void probe(std::vector<GpuDescription>& /*gpus*/, std::string& why) noexcept {
  static bool says_why = false;
  says_why = !says_why;
  if (says_why) why = "no GPU: the CUDA driver is missing or too old (cudaErrorInsufficientDriver)";
}
Device* open(int /*index*/, Completions& /*completions*/, std::string& why) noexcept {
  why = "no GPU";
  return nullptr;
}

constexpr CudaModule module_table{.abi_version = cuda_abi_version, .probe = probe, .open = open};

}  // namespace
}  // namespace penstock::device

extern "C" const penstock::device::CudaModule* penstock_cuda_module() { return &penstock::device::module_table; }
