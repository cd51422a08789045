/// Finds the GPUs of this machine and opens them, by way of the CUDA module. A machine without a GPU, without a driver
/// or without the module is no error: there are no GPUs then, and why_none() says so in one line. Made once at
/// start-up; used by one thread.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/cuda/module_abi.hpp"
#include "device/device.hpp"

namespace penstock::device {

class CudaGpus {
 public:
  /// Loads the module that belongs to this library, but only where there is a driver: the module and cuBLAS take about
  /// 70 ms and 150 MB. Never throws for the lack of anything.
  [[nodiscard]] static CudaGpus find();
  /// Loads the module at `path`, whatever the machine looks like.
  [[nodiscard]] static CudaGpus load(const std::filesystem::path& path);

  /// No GPUs, whatever the machine looks like.
  [[nodiscard]] static CudaGpus none(std::string why) { return CudaGpus(std::move(why)); }

  [[nodiscard]] std::span<const GpuDescription> gpus() const { return gpus_; }
  /// Empty when there are GPUs.
  [[nodiscard]] const std::string& why_none() const { return why_none_; }

  /// A device for gpus()[options.index]. Those it reports to must outlive it. Throws Error: invalid_argument for an
  /// index out of range, environment when CUDA refuses.
  [[nodiscard]] std::unique_ptr<Accelerator> open(const GpuOptions& options, Completions& completions,
                                                  TransferEnds& transfers) const;
  /// Host memory that all GPUs read and write by themselves, asked for through one; null when there is no more.
  [[nodiscard]] void* allocate_pinned(int index, std::size_t bytes) const {
    return module_->allocate_pinned(index, bytes);
  }
  void free_pinned(void* memory) const { module_->free_pinned(memory); }

 private:
  CudaGpus() = default;
  explicit CudaGpus(std::string why_none) : why_none_(std::move(why_none)) {}

  const CudaModule* module_ = nullptr;
  std::vector<GpuDescription> gpus_;
  std::string why_none_;
};

/// Why no GPU can be seen whatever the machine has, from the value of CUDA_VISIBLE_DEVICES (null: not set); ""
/// otherwise.
[[nodiscard]] std::string why_hidden(const char* cuda_visible_devices);

}  // namespace penstock::device
