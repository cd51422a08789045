/// Which GPUs each rank uses: pure arithmetic over what the ranks see. Ranks of one host may see the same GPUs, each an
/// own part of them and in an own order. What is near a GPU is read in device/cuda.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/cores.hpp"

namespace penstock::core {

/// A GPU, as one rank sees it.
struct VisibleGpu {
  std::string identity;  ///< the same for all ranks of a host that see it, and of no other GPU there
  CoreSet near_cores;    ///< those of the host that are closest to it; empty: not known
  std::int64_t memory_bytes = 0;
};

struct GpuViewer {
  std::string host;
  CoreSet cores;                 ///< that the rank computes on
  std::vector<VisibleGpu> gpus;  ///< in the rank's order
};

/// A GPU that a rank uses.
struct OwnGpu {
  int index = 0;    ///< among those that the rank sees
  int sharers = 1;  ///< ranks that use it, this one too

  friend bool operator==(const OwnGpu&, const OwnGpu&) = default;
};

/// Those each rank uses, by index: at least one if it sees any. Each GPU goes to one rank, and each rank gets as many
/// as any other, as far as ranks see them. Ranks that are too many for the GPUs they see share these as evenly, one for
/// each. Among such shares, those are made where GPUs are near the cores of their ranks; between equals, low numbers of
/// GPUs go to low ranks.
[[nodiscard]] std::vector<std::vector<OwnGpu>> share_gpus(std::span<const GpuViewer> ranks);

/// "gpu 0,2, nearest of 4", "gpu 1 of 2, for 3 ranks": what share_gpus() gave a rank that sees some, and why.
[[nodiscard]] std::string explain(const GpuViewer& rank, std::span<const OwnGpu> own);

}  // namespace penstock::core
