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

core::CoreSet own_cores() {
  const core::AllowedCores allowed = device::read_allowed_cores();
  return core::share_cores(std::span(&allowed, 1)).front();
}

}  // namespace

int cores_here() { return static_cast<int>(own_cores().size()); }

std::string cores_text(int first, int count) {
  const core::CoreSet own = own_cores();
  return core::to_text(core::CoreSet(own.begin() + first, own.begin() + first + count));
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
