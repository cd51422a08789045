/// The calling thread's affinity mask, for any number of cores: the kernel's mask is longer than cpu_set_t on large
/// machines.
#pragma once

#include "core/cores.hpp"

namespace penstock::device {

/// The cores the calling thread may run on. Throws Error (environment) when the system does not say.
[[nodiscard]] core::CoreSet read_affinity();

/// False when the system refuses (a core that is not there or not allowed); the mask is then as before.
bool set_affinity(const core::CoreSet& cores);

/// Keeps the calling thread on one core for a scope and gives back the old mask at its end: an OpenMP runtime may hand
/// the thread on to the program's own parallel regions. Where the system refuses, nothing is changed.
class PinnedScope {
 public:
  explicit PinnedScope(int core) : before_(read_affinity()), pinned_(set_affinity({core})) {}
  ~PinnedScope() {
    if (pinned_) set_affinity(before_);
  }
  PinnedScope(const PinnedScope&) = delete;
  PinnedScope& operator=(const PinnedScope&) = delete;

 private:
  core::CoreSet before_;
  bool pinned_;
};

}  // namespace penstock::device
