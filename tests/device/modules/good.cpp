/// A CUDA module with two GPUs: 0 completes nothing and counts what it is given, 1 refuses to open.
#include "device/cuda/module_abi.hpp"

namespace penstock::device {
namespace {

class CountingDevice final : public Device {
 public:
  [[nodiscard]] DeviceKind kind() const override { return DeviceKind::cuda; }
  [[nodiscard]] int lanes() const override { return 1; }
  [[nodiscard]] bool can_run(const KernelDescription& kernel) const override { return kernel.name == "gemm"; }
  Token start(std::span<Work* const> work, std::span<const Token> /*after*/) override {
    started_ += work.size();
    return {.queue = 1, .point = started_};
  }
  void progress() override {}
  [[nodiscard]] bool busy_polling() const override { return false; }
  [[nodiscard]] std::size_t waiting() const override { return 0; }

 private:
  std::uint64_t started_ = 0;
};

void probe(std::vector<GpuDescription>& gpus, std::string& why) noexcept {
  why = "this must not be seen, as there are GPUs";
  gpus.push_back({.name = "Fake A", .uuid = "GPU-a", .memory_bytes = 1 << 30, .capability_major = 9});
  gpus.push_back({.name = "Fake B", .uuid = "GPU-b", .memory_bytes = 1 << 20, .capability_major = 8});
}

Device* open(int index, Completions& /*completions*/, std::string& why) noexcept {
  if (index == 0) return new CountingDevice;
  why = "cudaErrorMemoryAllocation: out of memory";
  return nullptr;
}

constexpr CudaModule module_table{.abi_version = cuda_abi_version, .probe = probe, .open = open};

}  // namespace
}  // namespace penstock::device

extern "C" const penstock::device::CudaModule* penstock_cuda_module() { return &penstock::device::module_table; }
