/// How the emulated machine is: from the environment, read once. A setting that cannot be read ends the process with a
/// line that says so.
///
///     PENSTOCK_EMULATED_GPUS=2            how many; 1 by default
///     PENSTOCK_EMULATED_MEMORY=268435456  bytes of each
///     PENSTOCK_EMULATED_GBPS=0.2          of copies between host and device, each way; 0, the default: at once
///     PENSTOCK_EMULATED_GFLOPS=5          of products; 0, the default: as fast as the host is
///     PENSTOCK_EMULATED_KERNEL_NS=1000    of a kernel besides; 0 by default
///     PENSTOCK_EMULATED_PEERS=0           whether a GPU may use the memory of another; 1 by default
///     PENSTOCK_EMULATED_FAULT=NAME:N:CODE the N-th call of the function NAME (or the N-th "kernel" or "copy" that
///                                         runs) ends with the CUDA error CODE; several with commas between
///     PENSTOCK_EMULATED_TRACE=FILE        a line there for each kernel and copy that has run: when it began and ended
///                                         (steady clock, ns), the GPU, the engine, and the number of the stream
///
/// CUDA_VISIBLE_DEVICES is honoured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace penstock::emulator {

struct Fault {
  std::string name;
  std::uint64_t call = 1;  ///< counted from 1
  int code = 0;
};

struct Settings {
  int gpus = 1;
  std::size_t memory_bytes = std::size_t{256} << 20;
  double gbps = 0;
  double gflops = 0;
  std::int64_t kernel_ns = 0;
  int peers = 1;      ///< 0: a GPU may not use the memory of another
  std::string trace;  ///< a file; empty: none
  std::vector<Fault> faults;
  std::vector<int> visible;  ///< which of the GPUs, in this order

  [[nodiscard]] static const Settings& get();

  [[nodiscard]] std::int64_t copy_ns(std::size_t bytes) const {
    return gbps > 0 ? static_cast<std::int64_t>(static_cast<double>(bytes) / gbps) : 0;
  }
  [[nodiscard]] std::int64_t product_ns(double flops) const {
    return kernel_ns + (gflops > 0 ? static_cast<std::int64_t>(flops / gflops) : 0);
  }
};

/// Of GPU `index`, as CUDA_VISIBLE_DEVICES may name it: "GPU-" and a uuid.
[[nodiscard]] std::string uuid_text(int index);

}  // namespace penstock::emulator
