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
  std::string uuid;        ///< "GPU-" and the usual 8-4-4-4-12 digits; a part of a GPU (MIG) has one of its own
  std::string pci_bus_id;  ///< "0000:3b:00.0"
  std::int64_t memory_bytes = 0;
  int capability_major = 0;
  int capability_minor = 0;
  std::string software = {};  ///< versions of the driver, of CUDA and of cuBLAS
};

struct GpuOptions {
  int index = 0;                ///< in CUDA's order
  double memory_share = 0.9;    ///< of what is free, that tasks may have
  std::size_t memory_most = 0;  ///< bytes of it at most; 0: no other bound
  std::vector<int> peers = {};  ///< GPUs that bytes will come from
};

/// Raised with every change of CudaModule or of a type its functions pass on (Device, Work, Completion, ...).
inline constexpr std::uint32_t cuda_abi_version = 5;

/// The built-in kernels that the module has bodies for, sorted: here, so that this can be asked where there is no GPU.
inline constexpr std::array<std::string_view, 21> cuda_kernels{
    "add",       "add_diagonal",  "axpy",  "combine", "copy",    "fill",  "gemm",
    "increment", "iota",          "max",   "mul",     "neutral", "norm2", "normal",
    "relu",      "relu_gradient", "scale", "sum",     "syrk",    "trsm",  "uniform"};

/// What the module offers. None of the functions throws.
struct CudaModule {
  std::uint32_t abi_version;  ///< first in every version
  /// Adds the GPUs that CUDA sees, in CUDA's order. When there is none, `why` says so in one line.
  void (*probe)(std::vector<GpuDescription>& gpus, std::string& why) noexcept;
  /// A device for GPU `index`, owned by the caller. Null: `why` says so in one line.
  Accelerator* (*open)(const GpuOptions& options, Completions& completions, TransferEnds& transfers,
                       std::string& why) noexcept;
  /// Host memory that all GPUs read and write by themselves, asked for through one of them. Null: there is no more.
  void* (*allocate_pinned)(int gpu, std::size_t bytes) noexcept;
  void (*free_pinned)(void* memory) noexcept;
};

inline constexpr const char* cuda_module_entry = "penstock_cuda_module";
using CudaModuleEntry = const CudaModule* (*)();

}  // namespace penstock::device
