/// The transport over MPI, point to point only. Messages and bulk have a communicator each; only the rank's driver
/// makes MPI calls, wake() makes none.
#pragma once

#include <memory>

#include "transport/mpi/world.hpp"
#include "transport/transport.hpp"

namespace penstock::transport {

/// Called by every rank of the world at the same time, since communicators are made; nothing is collective afterwards.
/// The transport must be destroyed before the world. What is under way at its destruction gets a second to end; then it
/// is given up, with a line to standard error.
[[nodiscard]] std::unique_ptr<Transport> make_mpi_transport(const MpiWorld& world);

}  // namespace penstock::transport
