/// What this process may use of its machine, read from the system once at start-up: the affinity mask, the cgroup quota
/// and the user's OMP_NUM_THREADS are the truth, not the number of cores. What is read can be explained in one line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/cores.hpp"

namespace penstock::device {

struct Machine {
  core::AllowedCores allowed;           ///< host name, affinity mask without offline cores, quota
  int cores_online = 0;                 ///< of the whole machine
  int workers_most = 0;                 ///< OMP_NUM_THREADS, a limit for each rank by itself; 0: not set
  std::int64_t memory_bytes = 0;        ///< of the whole machine
  std::int64_t memory_limit_bytes = 0;  ///< of the cgroups; 0: no limit
};

/// All that threads of this process may run on, the calling one or others: increasing.
[[nodiscard]] core::CoreSet cores_of_process();

/// `root` stands for "/" where files are read. Throws Error (environment) when the affinity mask cannot be read.
[[nodiscard]] Machine read_machine(const std::filesystem::path& root = "/");

/// The part of it that ranks tell each other to share the cores of a host out with core::share_cores().
[[nodiscard]] core::AllowedCores read_allowed_cores();

/// The first `workers_most` of a rank's share. The limit comes after the sharing: cut before it, two ranks with one
/// thread each would both get the first core.
[[nodiscard]] core::CoreSet limit_workers(core::CoreSet share, const Machine& machine);

/// "2 of 16 cores: affinity mask 0-1; cgroup quota 1.5": the number of cores and what bounds it.
[[nodiscard]] std::string explain(const Machine& machine);

/// The first number of a list like "4,2"; 0 for anything else.
[[nodiscard]] int parse_omp_num_threads(std::string_view text);

/// The model of the machine's processors, as the system names it.
[[nodiscard]] std::string cpu_name();

}  // namespace penstock::device
