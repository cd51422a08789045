/// Whether this process is one of several that a launcher started, told from the environment alone: a program that runs
/// alone must not pay for MPI_Init, and must not hang in it.
#pragma once

#include <functional>

namespace penstock::transport {

/// Looks a variable up; null when it is not set.
using Environment = std::function<const char*(const char* name)>;

[[nodiscard]] Environment process_environment();

/// True under mpirun, under srun with PMIx or PMI, and under MPICH-like launchers; no MPI call is made. Throws Error
/// (environment) when Slurm started several processes that MPI could not find one another in.
[[nodiscard]] bool launched_by_mpi(const Environment& environment = process_environment());

/// How many processes the launcher says that it started; 0 when it does not say.
[[nodiscard]] int launched_ranks(const Environment& environment = process_environment());

}  // namespace penstock::transport
