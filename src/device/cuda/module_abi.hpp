/// The agreement between the program and the CUDA module, which it loads at run time: one C entry that returns one
/// table. Both sides are built together; the version finds a module left over from another build. No CUDA header is
/// needed here.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.hpp"

namespace penstock::device {

struct GpuDescription {
  std::string name;
  std::string uuid;  ///< "GPU-" and the usual 8-4-4-4-12 digits
  std::int64_t memory_bytes = 0;
  int capability_major = 0;
  int capability_minor = 0;
};

/// Raised with every change of CudaModule or of a type its functions pass on (Device, Work, Completion, ...).
inline constexpr std::uint32_t cuda_abi_version = 2;

/// The kernels that the module has bodies for: here, so that this can be asked where there is no GPU.
inline constexpr std::array<std::string_view, 1> cuda_kernels{"gemm"};

/// What the module offers. None of the functions throws.
struct CudaModule {
  std::uint32_t abi_version;  ///< first in every version
  /// Adds the GPUs that CUDA sees, in CUDA's order. When there is none, `why` says so in one line.
  void (*probe)(std::vector<GpuDescription>& gpus, std::string& why) noexcept;
  /// A device for GPU `index`, owned by the caller. Null: `why` says so in one line.
  Device* (*open)(int index, Completions& completions, std::string& why) noexcept;
};

inline constexpr const char* cuda_module_entry = "penstock_cuda_module";
using CudaModuleEntry = const CudaModule* (*)();

}  // namespace penstock::device
