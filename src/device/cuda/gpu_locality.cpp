#include "device/cuda/gpu_locality.hpp"

#include <hwloc.h>

#include <memory>
#include <string>
#include <utility>

namespace penstock::device {
namespace {

struct DestroyTopology {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, DestroyTopology>;

/// The cores and the PCI devices of this host; null when hwloc refuses.
Topology load_topology() {
  hwloc_topology* made = nullptr;
  if (hwloc_topology_init(&made) != 0) return nullptr;
  Topology topology(made);
  // That component would move this thread to every core in turn, to ask the core for what is not needed here.
  hwloc_topology_set_components(made, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
  hwloc_topology_set_type_filter(made, HWLOC_OBJ_PCI_DEVICE, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
  return hwloc_topology_load(made) == 0 ? std::move(topology) : nullptr;
}

core::CoreSet cores_near(hwloc_topology* topology, const std::string& pci_bus_id) {
  hwloc_obj* const gpu = hwloc_get_pcidev_by_busidstring(topology, pci_bus_id.c_str());
  if (gpu == nullptr) return {};
  const hwloc_obj* const place = hwloc_get_non_io_ancestor_obj(topology, gpu);
  core::CoreSet cores;
  int core = -1;
  hwloc_bitmap_foreach_begin(core, place->cpuset);
  cores.push_back(core);
  hwloc_bitmap_foreach_end();
  return cores;
}

}  // namespace

std::vector<core::CoreSet> cores_near(std::span<const GpuDescription> gpus) {
  std::vector<core::CoreSet> cores(gpus.size());
  if (gpus.empty()) return cores;
  const Topology topology = load_topology();
  if (topology == nullptr) return cores;
  for (std::size_t i = 0; i < gpus.size(); ++i) cores[i] = cores_near(topology.get(), gpus[i].pci_bus_id);
  return cores;
}

}  // namespace penstock::device
