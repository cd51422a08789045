#include "transport/mpi/world.hpp"

#include <mpi.h>

#include <exception>
#include <string>

#include <penstock/error.hpp>

#include "transport/mpi/launcher.hpp"
#include "transport/mpi/requests.hpp"

namespace penstock::transport {

namespace {

std::string_view name_of_level(int level) {
  if (level == MPI_THREAD_SINGLE) return "single";
  if (level == MPI_THREAD_FUNNELED) return "funneled";
  return level == MPI_THREAD_SERIALIZED ? "serialized" : "multiple";
}

/// The thread level that MPI runs with; `started` tells whether this call initialised it.
int start_mpi(bool& started) {
  int flag = 0;
  PENSTOCK_MPI_TRY(MPI_Finalized(&flag));
  if (flag != 0) {
    throw Error(ErrorCode::environment,
                "under mpirun or srun there can be one run() in a process: MPI has ended and cannot be started again");
  }
  PENSTOCK_MPI_TRY(MPI_Initialized(&flag));
  started = flag == 0;
  int level = MPI_THREAD_SINGLE;
  if (started) {
    PENSTOCK_MPI_TRY(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level));
  } else {
    PENSTOCK_MPI_TRY(MPI_Query_thread(&level));
  }
  return level;
}

}  // namespace

MpiWorld::MpiWorld() : exceptions_(std::uncaught_exceptions()) {
  const int level = start_mpi(finalize_);
  thread_level_ = name_of_level(level);
  try {
    if (level < MPI_THREAD_SERIALIZED) {
      throw Error(ErrorCode::environment, "MPI runs with thread level \"" + std::string(thread_level_) +
                                              "\"; \"serialized\" or \"multiple\" is needed");
    }
    join();
  } catch (...) {
    if (finalize_) MPI_Finalize();  // every rank fails alike
    throw;
  }
}

void MpiWorld::join() {
  PENSTOCK_MPI_TRY(MPI_Comm_rank(MPI_COMM_WORLD, &rank_));
  PENSTOCK_MPI_TRY(MPI_Comm_size(MPI_COMM_WORLD, &ranks_));
  if (const int launched = launched_ranks(); ranks_ == 1 && launched > 1) {
    throw Error(ErrorCode::environment, "the launcher started " + std::to_string(launched) +
                                            " processes, but MPI connected this one to no other: "
                                            "use mpirun of the same MPI, or srun --mpi=pmix");
  }
  if (finalize_) {  // else the handler is the program's
    PENSTOCK_MPI_TRY(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  }
}

MpiWorld::~MpiWorld() {
  if (finalize_ && (in_order_ || std::uncaught_exceptions() == exceptions_)) MPI_Finalize();
}

}  // namespace penstock::transport
