/// Which cores of this host are near which GPU, as hwloc tells.
#pragma once

#include <span>
#include <vector>

#include "core/cores.hpp"
#include "device/cuda/module_abi.hpp"

namespace penstock::device {

/// For each GPU, those of the part of the host that it is attached to, often a socket; none where that is not known.
/// Takes some 10 ms, but nothing where there is no GPU. hwloc's variable HWLOC_XMLFILE shows it another machine.
[[nodiscard]] std::vector<core::CoreSet> cores_near(std::span<const GpuDescription> gpus);

}  // namespace penstock::device
