/// The way to the other ranks: MPI where a launcher started this process, otherwise this process alone, without any
/// call of MPI. Made and destroyed on the main thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cluster/messages.hpp"
#include "device/cuda/loader.hpp"
#include "mover/mover.hpp"
#include "transport/mpi/world.hpp"

namespace penstock::runtime {

class Connection {
 public:
  /// `alone`: look for no launcher. Throws Error (environment) when MPI is not fit.
  explicit Connection(bool alone);

  [[nodiscard]] mover::Mover& mover() { return *mover_; }
  /// The thread level of MPI, or "no MPI".
  [[nodiscard]] std::string mpi() const;
  /// All ranks have agreed to end: MPI is finalised even while an exception unwinds.
  void leave_in_order();
  /// A peer is gone: MPI is not finalised; the process then ends by _exit().
  void leave_in_disorder();

 private:
  std::optional<transport::MpiWorld> world_;
  std::optional<mover::Mover> mover_;
};

/// What this rank says of itself. `workers`: a limit asked for; 0: none.
[[nodiscard]] cluster::Hello describe_rank(const device::CudaGpus& gpus, std::string mpi, int workers);

/// What all ranks say of themselves, on rank 0; false on the others.
[[nodiscard]] bool gather_hellos(std::vector<cluster::Hello>& hellos);

}  // namespace penstock::runtime
