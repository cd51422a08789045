// How a command becomes a task of this rank. All under the back-end's mutex.
#include <algorithm>
#include <utility>

#include <penstock/error.hpp>

#include "backend/backend.hpp"
#include "schedule/placement.hpp"

namespace penstock::backend {

using cluster::OperandKind;

void Backend::admit(std::vector<executor::Node*>& ready) {
  const bool known = command_.kernel == cluster::touch_kernel || command_.kernel.value() < kernels_.size();
  if (!known || !machine_.admit(command_, admission_)) {
    throw Error(ErrorCode::environment, "the front-end's command for task " + std::to_string(command_.task.value()) +
                                            " names a kernel or a version that is not here");
  }
  unsettled_.fetch_add(1, std::memory_order_relaxed);
  Task& task = record(admission_.slot);
  fill(task);
  for (const cluster::Admission::Fetch& fetch : admission_.fetches) begin_fetch(fetch, task);
  for (const auto& predecessor : admission_.predecessors) {
    task.node.follow(record(predecessor.slot).node, predecessor.carries_failure);
  }
  for (std::uint32_t i = 0; i < admission_.drains; ++i) task.node.hold();
  if (admission_.cause != core::TaskId()) task.node.fail(admission_.cause);
  if (task.node.release()) ready.push_back(&task.node);
}

Task& Backend::record(coherence::SlotIndex slot) {
  while (tasks_.size() <= slot.value()) {
    Task& task = tasks_.emplace_back();
    task.slot = coherence::SlotIndex(static_cast<std::uint32_t>(tasks_.size() - 1));
    task.node.owner = &task;
  }
  return tasks_[slot.value()];
}

Storage& Backend::storage(coherence::StorageIndex index) {
  if (storages_.size() <= index.value()) storages_.resize(index.value() + 1);
  return storages_[index.value()];
}

void Backend::fill(Task& task) {
  const bool touch = command_.kernel == cluster::touch_kernel;
  task.kind = touch ? Task::Kind::touch : Task::Kind::compute;
  task.ticket = command_.ticket;
  task.task = command_.task;
  task.attempt = command_.attempt;
  task.kernel_id = command_.kernel;
  task.kernel = touch ? nullptr : kernels_[command_.kernel.value()];
  task.device = touch ? core::DeviceId() : choose_device(*task.kernel);
  task.parameters.assign(command_.parameters.begin(), command_.parameters.end());
  fill_operands(task);
  // A copy is made by the host just before the body: then the inputs must be there, not only queued.
  const auto is_copy = [](const Task::Place& place) { return place.kind == OperandKind::copy; };
  task.node.prepare(task.device, !std::ranges::any_of(task.places, is_copy));
  task.failed.store(false, std::memory_order_relaxed);
  task.busy_ns.store(0, std::memory_order_relaxed);
  task.preparation = Task::Preparation::none;
  task.cancelled = false;
  task.message.clear();

  // An accelerator takes the task as a whole.
  const int panels = touch ? 0 : task.device == core::DeviceId(0) ? command_.cores : 1;
  task.panels_left.store(panels, std::memory_order_relaxed);
  task.panels.resize(static_cast<std::size_t>(panels));
  outstanding_[task.device.value()].fetch_add(panels, std::memory_order_relaxed);
  for (int panel = 0; panel < panels; ++panel) {
    task.panels[static_cast<std::size_t>(panel)] = {.task = task.task,
                                                    .kernel = task.kernel,
                                                    .arrays = task.views,
                                                    .parameters = task.parameters,
                                                    .panel = panel,
                                                    .panel_count = panels,
                                                    .owner = &task};
  }
}

void Backend::fill_operands(Task& task) {
  task.places.clear();
  task.views.clear();
  for (std::size_t i = 0; i < command_.operands.size(); ++i) {
    const cluster::Operand& operand = command_.operands[i];
    const bool reads = operand.kind != OperandKind::write;
    const bool writes = operand.kind != OperandKind::read;
    Storage* const in = reads ? &storage(admission_.places[i].in) : nullptr;
    Storage* const out = writes ? &storage(admission_.places[i].out) : nullptr;
    if (out != nullptr && operand.kind != OperandKind::consume) {
      out->bytes = static_cast<std::size_t>(operand.type.bytes());
    }
    task.places.push_back({.kind = operand.kind,
                           .data = operand.data,
                           .in = in,
                           .out = out,
                           .reads = operand.reads,
                           .writes = operand.writes});
    task.views.push_back({.data = nullptr, .type = operand.type});
  }
}

void Backend::begin_fetch(const cluster::Admission::Fetch& order, Task& consumer) {
  unsettled_.fetch_add(1, std::memory_order_relaxed);
  Task& fetch = record(order.slot);
  fetch.kind = Task::Kind::fetch;
  fetch.node.prepare(core::DeviceId());
  Storage& target = storage(order.storage);
  target.bytes = order.bytes;
  try {
    target.data = pool_.allocate(order.bytes);
  } catch (const Error& error) {
    consumer.message = error.what();
    consumer.failed.store(true, std::memory_order_relaxed);
    // Nobody follows the fetch yet, so nobody can become ready by its end.
    std::vector<executor::Node*> nobody;
    fetch.node.finish(consumer.task, nobody);
    finished_here(fetch, consumer.task);
    return;
  }
  mover_.fetch({.slot = order.slot,
                .from = order.from,
                .data = order.data,
                .version = order.version,
                .into = std::span(target.data, order.bytes)});
}

core::DeviceId Backend::choose_device(const KernelDescription& kernel) const {
  if (devices_.size() == 1) return core::DeviceId(0);
  const bool skip_cores = prefer_accelerators_ && std::ranges::any_of(devices_, [&](const OwnedDevice& owned) {
                            return owned.device->kind() != device::DeviceKind::cpu && owned.device->can_run(kernel);
                          });
  std::vector<schedule::DeviceView> views;
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    const device::Device& device = *devices_[i].device;
    const bool is_cores = device.kind() == device::DeviceKind::cpu;
    views.push_back({.can_run = device.can_run(kernel) && !(is_cores && skip_cores),
                     .is_accelerator = !is_cores,
                     .lanes = device.lanes(),
                     .outstanding = outstanding_[i].load(std::memory_order_relaxed)});
  }
  const auto chosen = schedule::choose_device(views);
  return core::DeviceId(static_cast<core::DeviceId::Value>(chosen.value_or(0)));
}

}  // namespace penstock::backend
