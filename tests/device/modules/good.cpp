/// A CUDA module with two GPUs: 0 completes nothing and counts what it is given, 1 refuses to open.
#include "device/cuda/module_abi.hpp"

namespace penstock::device {
namespace {

class CountingDevice final : public Accelerator {
 public:
  [[nodiscard]] DeviceKind kind() const override { return DeviceKind::cuda; }
  [[nodiscard]] int lanes() const override { return 1; }
  [[nodiscard]] bool can_run(const KernelDescription& kernel) const override { return kernel.name == "gemm"; }
  Token start(std::span<Work* const> work, std::span<const Token> /*after*/) override {
    started_ += work.size();
    return {.queue = 1, .point = started_};
  }
  Token transfer(Transfer& /*transfer*/, std::span<const Token> /*after*/) override { return {}; }
  [[nodiscard]] int number() const override { return 0; }
  [[nodiscard]] std::span<std::byte> memory() const override { return {}; }
  [[nodiscard]] bool is_broken() const override { return false; }
  void progress() override {}
  [[nodiscard]] bool busy_polling() const override { return false; }
  [[nodiscard]] std::size_t waiting() const override { return 0; }

 private:
  std::uint64_t started_ = 0;
};

void probe(std::vector<GpuDescription>& gpus, std::string& why) noexcept {
  why = "this must not be seen, as there are GPUs";
  gpus.push_back({.name = "Fake A",
                  .uuid = "GPU-a",
                  .pci_bus_id = "0000:17:00.0",
                  .memory_bytes = 1 << 30,
                  .capability_major = 9});
  gpus.push_back({.name = "Fake B",
                  .uuid = "GPU-b",
                  .pci_bus_id = "0000:65:00.0",
                  .memory_bytes = 1 << 20,
                  .capability_major = 8});
}

Accelerator* open(const GpuOptions& options, Completions& /*completions*/, TransferEnds& /*transfers*/,
                  std::string& why) noexcept {
  if (options.index == 0) return new CountingDevice;
  why = "cudaErrorMemoryAllocation: out of memory";
  return nullptr;
}

void* allocate_pinned(int /*gpu*/, std::size_t /*bytes*/) noexcept { return nullptr; }
void free_pinned(void* /*memory*/) noexcept {}

constexpr CudaModule module_table{.abi_version = cuda_abi_version,
                                  .probe = probe,
                                  .open = open,
                                  .allocate_pinned = allocate_pinned,
                                  .free_pinned = free_pinned};

}  // namespace
}  // namespace penstock::device

extern "C" const penstock::device::CudaModule* penstock_cuda_module() { return &penstock::device::module_table; }
