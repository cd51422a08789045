#include "backend/backend.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <penstock/error.hpp>

#include "core/assert.hpp"

namespace penstock::backend {

using cluster::Tag;

Backend::Backend(std::span<const KernelDescription* const> kernels, mover::Mover& mover, Reports& reports)
    : kernels_(kernels), mover_(mover), reports_(reports), lanes_(std::make_unique<LaneBuffers>(1)) {}

Backend::~Backend() {
  devices_.clear();  // first: their threads call back
  for (const Storage& storage : all_storages_) {
    if (storage.data != nullptr) pool_.free(storage.data, storage.bytes);
  }
}

device::Completions& Backend::completions_for_next_device() {
  const core::DeviceId id(static_cast<core::DeviceId::Value>(links_.size()));
  return links_.emplace_back(*this, id, lanes_->size() - 1);
}

void Backend::add_device(OwnedDevice device) {
  lanes_ = std::make_unique<LaneBuffers>(lanes_->size() + static_cast<std::size_t>(device.device->lanes()));
  devices_.push_back(std::move(device));
}

Backend::GpuOwner Backend::owner_of_next_gpu() {
  const core::DeviceId id(static_cast<core::DeviceId::Value>(devices_.size()));
  if (links_.size() == devices_.size()) {
    links_.emplace_back(*this, id, lanes_->size() - 1);
    gpu_links_.emplace_back(*this, id);
  }
  return {links_.back(), gpu_links_.back()};
}

void Backend::add_gpu(std::string name, std::unique_ptr<device::Accelerator> gpu) {
  gpus_.push_back(gpu.get());
  add_device({.name = std::move(name), .device = std::move(gpu)});
  gpu_tasks_.emplace(pool_, gpus_);
  std::vector<Placement::Device> devices;
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    const bool cores = i == 0;
    devices.push_back({.device = devices_[i].device.get(),
                       .kind = cores ? "cpu" : devices_[i].name,
                       .name = cores ? "cores" : "GPU " + std::to_string(gpus_[i - 1]->number())});
  }
  placement_.emplace(kernels_, std::move(devices), *gpu_tasks_);
}

std::size_t Backend::gpu_memory_most() const {
  std::size_t most = 0;
  for (const device::Accelerator* const gpu : gpus_) most = std::max(most, gpu->memory().size());
  return most;
}

void Backend::receive(std::span<const std::byte> commands) {
  begun_.store(true, std::memory_order_release);
  thread_local std::vector<executor::Node*> ready;
  cluster::Settled settled;
  std::vector<Storage*> freed;
  {
    const std::lock_guard lock(mutex_);
    core::ByteReader reader(commands);
    while (reader.left() > 0 && !reader.bad()) {
      receive_item(reader, settled, ready);
      release(settled, freed, ready);  // before the next item, which may use the same storage again
    }
    if (reader.bad()) throw Error(ErrorCode::environment, "a command of the front-end is not well formed");
  }
  free(freed);
  start(ready);
}

void Backend::receive_item(core::ByteReader& reader, cluster::Settled& settled, std::vector<executor::Node*>& ready) {
  switch (cluster::read_tag(reader)) {
    case Tag::task:
      if (read(reader, command_))
        admit(ready);
      else
        reader.fail();
      return;
    case Tag::drop: {
      core::DataId data;
      core::Version version;
      if (cluster::read_drop(reader, data, version)) machine_.drop(data, version, settled);
      return;
    }
    case Tag::cancel:
      cancel();
      return;
    case Tag::finish:
      told_to_finish_.store(true, std::memory_order_release);
      return;
    default:
      reader.fail();
  }
}

bool Backend::progress() {
  for (const OwnedDevice& owned : devices_) owned.device->progress();
  if (gpu_tasks_) look_for_failed_gpus();
  bool any = false;
  for (std::size_t lane = 0; lane < lanes_->size(); ++lane) any = settle(lane) || any;
  return any;
}

bool Backend::busy_polling() const {
  for (const OwnedDevice& owned : devices_) {
    if (owned.device->busy_polling()) return true;
  }
  return false;
}

std::size_t Backend::waiting() const {
  std::size_t count = 0;
  for (const OwnedDevice& owned : devices_) count += owned.device->waiting();
  return count;
}

mover::Serving Backend::serve(core::DataId data, core::Version version) {
  std::unique_lock lock(mutex_);
  const coherence::ReplicaIndex replica = machine_.find(data, version);
  if (replica == coherence::no_replica) return {};
  const Storage& storage = *storages_[machine_.storage_of(replica).value()];
  if (gpu_tasks_) {
    lock.unlock();  // the front-end keeps the version until it has been fetched
    if (!bring_to_host(storage)) return {.state = mover::Serving::State::later, .replica = {}};
    lock.lock();
  }
  machine_.begin_use(replica);
  return {.state = mover::Serving::State::here,
          .replica = {replica, std::span<const std::byte>(storage.data, storage.bytes)}};
}

void Backend::served(coherence::ReplicaIndex replica) {
  cluster::Settled settled;
  std::vector<Storage*> freed;
  std::vector<executor::Node*> ready;
  {
    const std::lock_guard lock(mutex_);
    machine_.end_use(replica, settled);
    release(settled, freed, ready);
  }
  free(freed);
  start(ready);
}

std::byte* Backend::bytes_of(core::DataId data, core::Version version) {
  const Storage* storage = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const coherence::ReplicaIndex replica = machine_.find(data, version);
    PENSTOCK_ASSERT(replica != coherence::no_replica);
    storage = storages_[machine_.storage_of(replica).value()];
  }
  while (gpu_tasks_ && !bring_to_host(*storage)) {
    mover_.wake();  // the driver, which looks for the end of transfers
    gpu_tasks_->wait_for_host(*storage);
  }
  return storage->data;
}

void Backend::stop(std::vector<cluster::DeviceReport>& reports) {
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    const device::Device& device = *devices_[i].device;
    const auto lanes = static_cast<std::size_t>(device.lanes());
    const LaneBuffers::Totals totals = lanes_->totals(links_[i].lane_of(0), lanes);
    reports.push_back({.kind = std::string(name_of(device.kind())),
                       .name = devices_[i].name,
                       .lanes = device.lanes(),
                       .tasks = totals.tasks,
                       .busy_ns = totals.busy_ns});
    if (i == 0) continue;
    cluster::DeviceReport& report = reports.back();
    report.lanes = 1;  // its queues share it
    report.busy_ns = links_[i].busy_ns();
    const coherence::GpuTraffic traffic = gpu_tasks_->traffic(static_cast<int>(i) - 1);
    report.bytes_in = traffic.bytes_in + traffic.bytes_peer;
    report.bytes_out = traffic.bytes_out;
    report.evictions = traffic.evictions;
    report.why_idle = placement_->why_idle(i);
  }
  for (OwnedDevice& owned : devices_) owned.device.reset();
}

void Backend::release(cluster::Settled& settled, std::vector<Storage*>& freed, std::vector<executor::Node*>& ready) {
  for (const coherence::StorageIndex index : settled.freed) {
    freed.push_back(std::exchange(storages_[index.value()], nullptr));
  }
  for (const coherence::SlotIndex slot : settled.drained) {
    executor::Node& node = tasks_[slot.value()].node;
    if (node.release()) ready.push_back(&node);
  }
  settled.freed.clear();
  settled.drained.clear();
}

/// Without the mutex.
void Backend::free(std::span<Storage* const> storages) {
  if (storages.empty()) return;
  if (!gpu_tasks_) return recycle(storages);
  GpuTasks::Effects effects;
  gpu_tasks_->drop(storages, effects);
  carry_out(effects);
}

void Backend::recycle(std::span<Storage* const> storages) {
  for (Storage* const storage : storages) {
    if (storage->data != nullptr) pool_.free(storage->data, storage->bytes);
    *storage = {};
  }
  const std::lock_guard lock(storages_mutex_);
  idle_storages_.insert(idle_storages_.end(), storages.begin(), storages.end());
}

}  // namespace penstock::backend
