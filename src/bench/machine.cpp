#include "bench/machine.hpp"

#include <chrono>
#include <cstdlib>
#include <span>

#include "core/cores.hpp"
#include "device/cpu/topology.hpp"
#include "observe/units.hpp"

namespace penstock::bench {

namespace {

double load_now() {
  double load = 0.0;
  return getloadavg(&load, 1) == 1 ? load : 0.0;
}

}  // namespace

int cores_here() {
  const core::AllowedCores allowed = device::read_allowed_cores();
  return static_cast<int>(core::share_cores(std::span(&allowed, 1)).front().size());
}

MachineLine read_machine_line() {
  return {.cpu = device::cpu_name(),
          .cores = cores_here(),
          .compiler = PENSTOCK_COMPILER,
          .blas = {},
          .date = observe::utc_text(std::chrono::system_clock::now()),
          .version = PENSTOCK_VERSION,
          .load = load_now()};
}

}  // namespace penstock::bench
