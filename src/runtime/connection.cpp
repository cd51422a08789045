#include "runtime/connection.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "device/cpu/topology.hpp"
#include "device/cuda/gpu_locality.hpp"
#include "kernels/table.hpp"
#include "runtime/build_id.hpp"
#include "runtime/handshake.hpp"
#include "transport/loopback/loopback.hpp"
#include "transport/mpi/launcher.hpp"
#include "transport/mpi/transport.hpp"

namespace penstock::runtime {

namespace {

std::string list_gpus(const device::CudaGpus& gpus) {
  std::string names;
  for (const device::GpuDescription& gpu : gpus.gpus()) names += (names.empty() ? "" : ", ") + gpu.name;
  if (!names.empty()) return names;
  constexpr std::string_view said = "no GPU: ";
  const std::string& why = gpus.why_none();
  return "none: " + (why.starts_with(said) ? why.substr(said.size()) : why);
}

std::vector<core::VisibleGpu> visible_gpus(const device::CudaGpus& gpus) {
  std::vector<core::CoreSet> near_cores = device::cores_near(gpus.gpus());
  std::vector<core::VisibleGpu> visible;
  for (const device::GpuDescription& gpu : gpus.gpus()) {
    visible.push_back(
        {.identity = gpu.uuid, .near_cores = std::move(near_cores[visible.size()]), .memory_bytes = gpu.memory_bytes});
  }
  return visible;
}

}  // namespace

Connection::Connection(bool alone) {
  std::unique_ptr<transport::Transport> transport;
  if (!alone && transport::launched_by_mpi()) {
    world_.emplace();
    transport = transport::make_mpi_transport(*world_);
  } else {
    transport = std::move(transport::make_loopback(1).front());
  }
  mover_.emplace(std::move(transport));
}

std::string Connection::mpi() const { return world_ ? std::string(world_->thread_level()) : "no MPI"; }

void Connection::leave_in_order() {
  if (world_) world_->leave_in_order();
}

void Connection::leave_in_disorder() {
  if (world_) world_->leave_without_finalize();
}

cluster::Hello describe_rank(const device::CudaGpus& gpus, std::string mpi, int workers) {
  const device::Machine machine = device::read_machine();
  cluster::Hello hello;
  hello.build = build_id();
  hello.cores = machine.allowed;
  hello.cores_reason = device::explain(machine);
  hello.workers_most = machine.workers_most;
  if (workers > 0 && (hello.workers_most == 0 || workers < hello.workers_most)) hello.workers_most = workers;
  hello.gpus = list_gpus(gpus);
  hello.visible_gpus = visible_gpus(gpus);
  hello.memory_bytes = machine.memory_limit_bytes > 0 ? std::min(machine.memory_limit_bytes, machine.memory_bytes)
                                                      : machine.memory_bytes;
  hello.mpi = std::move(mpi);
  hello.kernels = kernels::KernelTable::process().signatures();
  return hello;
}

bool gather_hellos(std::vector<cluster::Hello>& hellos) {
  Connection connection(false);
  mover::Mover& mover = connection.mover();
  if (mover.rank() == core::front_rank)
    order_plugins(mover, {});
  else if (!await_plugins(mover))
    return false;
  cluster::Hello own = describe_rank(device::CudaGpus::find(), connection.mpi(), 0);
  if (mover.rank() != core::front_rank) {
    static_cast<void>(introduce(mover, own));
    return false;
  }
  hellos = gather(mover, std::move(own));
  dismiss(mover);
  return true;
}

}  // namespace penstock::runtime
