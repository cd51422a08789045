#include "cli/launcher.hpp"

#include <cstdlib>
#include <string_view>

namespace penstock::cli {

bool is_first_rank() {
  // Open MPI, PMIx, MPICH and Intel MPI, Slurm: the nearest launcher first, since mpirun also runs inside srun.
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}) {
    const char* const rank = std::getenv(name);
    if (rank != nullptr && *rank != '\0') return std::string_view(rank) == "0";
  }
  return true;
}

}  // namespace penstock::cli
