// How a command becomes a task of this rank. All under the back-end's mutex.
#include <algorithm>
#include <utility>

#include <penstock/error.hpp>

#include "backend/backend.hpp"

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
  for (const cluster::Admission::Fetch& fetch : admission_.fetches) {
    Storage& target = storage(fetch.storage);
    target.bytes = fetch.bytes;
    if (gpu_tasks_) gpu_tasks_->attach(target);
  }
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
  Storage*& here = storages_[index.value()];
  if (here != nullptr) return *here;
  const std::lock_guard lock(storages_mutex_);
  if (idle_storages_.empty()) {
    here = &all_storages_.emplace_back();
  } else {
    here = idle_storages_.back();
    idle_storages_.pop_back();
  }
  return *here;
}

void Backend::fill(Task& task) {
  const bool touch = command_.kernel == cluster::touch_kernel;
  task.kind = touch ? Task::Kind::touch : Task::Kind::compute;
  task.ticket = command_.ticket;
  task.task = command_.task;
  task.attempt = command_.attempt;
  task.kernel_id = command_.kernel;
  task.kernel = touch ? nullptr : kernels_[command_.kernel.value()];
  task.cores = command_.cores;
  task.parameters.assign(command_.parameters.begin(), command_.parameters.end());
  task.name = command_.name;
  fill_operands(task);
  task.failed.store(false, std::memory_order_relaxed);
  task.busy_ns.store(0, std::memory_order_relaxed);
  task.preparation = Task::Preparation::none;
  task.cancelled = false;
  task.lost = false;
  task.message.clear();
  task.device = core::DeviceId();
  task.is_placed = false;
  if (!touch && placement_) place(task);
  task.node.prepare(task.device);
  fill_panels(task);
}

/// A task that no device of the rank can run has failed.
void Backend::place(Task& task) {
  const std::optional<core::DeviceId> device = placement_->choose(task);
  task.is_placed = device.has_value();
  task.device = device.value_or(core::DeviceId());
  if (!device) task.failed.store(true, std::memory_order_relaxed);
}

void Backend::fill_panels(Task& task) {
  // An accelerator takes the task as a whole.
  const bool touch = task.kind == Task::Kind::touch;
  const int panels = touch ? 0 : task.device == core::DeviceId(0) ? task.cores : 1;
  task.panels_left.store(panels, std::memory_order_relaxed);
  task.panels.resize(static_cast<std::size_t>(panels));
  for (int panel = 0; panel < panels; ++panel) {
    task.panels[static_cast<std::size_t>(panel)] = {.task = task.task,
                                                    .kernel = task.kernel,
                                                    .arrays = task.views,
                                                    .parameters = task.parameters,
                                                    .name = task.name.empty() ? nullptr : task.name.c_str(),
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
      out->data_id = operand.data;
      if (gpu_tasks_) gpu_tasks_->attach(*out);
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
  target.data_id = order.data;
  target.version = order.version;
  fetch.places.assign(1, {.kind = OperandKind::write,
                          .data = order.data,
                          .in = nullptr,
                          .out = &target,
                          .reads = {},
                          .writes = order.version});
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

}  // namespace penstock::backend
