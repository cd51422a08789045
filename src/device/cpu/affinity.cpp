#include "device/cpu/affinity.hpp"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

#include <penstock/error.hpp>

namespace penstock::device {
namespace {

constexpr int mask_cores_first = 1024;
constexpr int mask_cores_most = 1 << 20;

struct FreeMask {
  void operator()(cpu_set_t* mask) const { CPU_FREE(mask); }
};
using Mask = std::unique_ptr<cpu_set_t, FreeMask>;

Mask make_mask(int cores) {
  Mask mask(CPU_ALLOC(static_cast<std::size_t>(cores)));
  if (mask == nullptr) throw Error(ErrorCode::environment, "no memory for an affinity mask");
  CPU_ZERO_S(CPU_ALLOC_SIZE(cores), mask.get());
  return mask;
}

}  // namespace

core::CoreSet read_affinity() {
  for (int cores = mask_cores_first; cores <= mask_cores_most; cores *= 2) {
    const Mask mask = make_mask(cores);
    const std::size_t bytes = CPU_ALLOC_SIZE(cores);
    if (sched_getaffinity(0, bytes, mask.get()) == 0) {
      core::CoreSet found;
      for (int core = 0; core < cores; ++core) {
        if (CPU_ISSET_S(static_cast<std::size_t>(core), bytes, mask.get())) found.push_back(core);
      }
      return found;
    }
    if (errno != EINVAL) break;  // EINVAL: the kernel's mask is longer
  }
  throw Error(ErrorCode::environment, std::string("the affinity mask cannot be read: ") + std::strerror(errno));
}

bool set_affinity(const core::CoreSet& cores) {
  if (cores.empty() || std::ranges::min(cores) < 0) return false;
  const int count = std::max(mask_cores_first, std::ranges::max(cores) + 1);
  const Mask mask = make_mask(count);
  const std::size_t bytes = CPU_ALLOC_SIZE(count);
  for (const int core : cores) CPU_SET_S(static_cast<std::size_t>(core), bytes, mask.get());
  return sched_setaffinity(0, bytes, mask.get()) == 0;
}

}  // namespace penstock::device
