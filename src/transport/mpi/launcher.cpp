#include "transport/mpi/launcher.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

#include <penstock/error.hpp>

namespace penstock::transport {

namespace {

/// The number that a variable holds; 0 when it is not set or is no number.
int number_in(const Environment& environment, const char* name) {
  const char* text = environment(name);
  return text == nullptr ? 0 : std::atoi(text);
}

}  // namespace

Environment process_environment() {
  return [](const char* name) -> const char* { return std::getenv(name); };
}

bool launched_by_mpi(const Environment& environment) {
  // mpirun sets the first, srun --mpi=pmix the second, PMI launchers the next two, Intel MPI's the last.
  constexpr const char* launcher_variables[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE",
                                                "MPI_LOCALRANKID"};
  const auto is_set = [&](const char* name) { return environment(name) != nullptr; };
  if (std::ranges::any_of(launcher_variables, is_set)) return true;
  // A batch script that srun did not start has no step of several tasks: it runs alone.
  if (is_set("SLURM_STEP_ID") && number_in(environment, "SLURM_STEP_NUM_TASKS") > 1) {
    throw Error(ErrorCode::environment, "Slurm started " + std::string(environment("SLURM_STEP_NUM_TASKS")) +
                                            " processes without a process manager that MPI knows: "
                                            "use srun --mpi=pmix");
  }
  return false;
}

int launched_ranks(const Environment& environment) {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    if (const int ranks = number_in(environment, name); ranks > 0) return ranks;
  }
  return 0;
}

}  // namespace penstock::transport
