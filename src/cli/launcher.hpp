/// What the launcher (mpirun, srun) says of this process in its environment, before MPI is initialised.
#pragma once

namespace penstock::cli {

/// Whether this process is the one to print usage errors and help: rank 0, or not launched as one of several.
[[nodiscard]] bool is_first_rank();

}  // namespace penstock::cli
