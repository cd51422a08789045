#include "backend/placement.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/parameters.hpp"
#include "schedule/placement.hpp"

namespace penstock::backend {

using schedule::Fit;

namespace {

std::vector<std::string_view> names_of(std::span<const KernelDescription* const> kernels) {
  std::vector<std::string_view> names;
  for (const KernelDescription* const kernel : kernels) names.emplace_back(kernel->name);
  return names;
}

std::vector<schedule::IdleReasons::Device> for_reasons(std::span<const Placement::Device> devices) {
  std::vector<schedule::IdleReasons::Device> all;
  for (const Placement::Device& one : devices) {
    all.push_back({one.name, one.device->kind() == device::DeviceKind::cpu ? "CPU" : "CUDA"});
  }
  return all;
}

/// What it needs of a GPU's memory at once: each of its storages.
std::size_t bytes_of(const Task& task) {
  constexpr std::size_t unit = coherence::GpuMemories::unit;
  std::size_t bytes = 0;
  const auto count = [&](const Task::Place& place, const Storage* storage) {
    const auto has_it = [=](const Task::Place& other) { return other.in == storage || other.out == storage; };
    if (storage == nullptr || std::any_of(task.places.data(), &place, has_it)) return;
    bytes += (std::max(storage->bytes, unit) + unit - 1) / unit * unit;
  };
  for (const Task::Place& place : task.places) {
    count(place, place.in);
    if (place.out != place.in) count(place, place.out);
  }
  return bytes;
}

AccessMode mode_of(cluster::OperandKind kind) {
  switch (kind) {
    case cluster::OperandKind::read:
      return AccessMode::read;
    case cluster::OperandKind::write:
      return AccessMode::write;
    default:
      return AccessMode::read_write;
  }
}

}  // namespace

Placement::Placement(std::span<const KernelDescription* const> kernels, std::vector<Device> devices, GpuTasks& gpus)
    : gpus_(gpus), costs_(names_of(kernels)), reasons_(for_reasons(devices), names_of(kernels)) {
  for (Device& one : devices) {
    const schedule::KindId kind = costs_.kind(one.kind);
    devices_.push_back({.device = std::move(one), .kind = kind});
  }
}

std::optional<core::DeviceId> Placement::choose(Task& task) {
  const std::size_t bytes = bytes_of(task);
  const std::lock_guard lock(mutex_);
  task.work = workload(task);
  views_.assign(devices_.size(), {});
  for (std::size_t i = 0; i < devices_.size(); ++i) view(i, task, bytes);
  const auto fits = [](const schedule::DeviceView& view) { return view.is_accelerator && view.fit == Fit::fits; };
  if (keeps_cores_free_ && std::ranges::any_of(views_, fits)) views_[0].fit = Fit::kept_free;
  const std::optional<schedule::Choice> choice = schedule::choose_device(policy_, views_);
  if (!choice) {
    const bool is_too_large =
        std::ranges::any_of(views_, [](const schedule::DeviceView& view) { return view.fit == Fit::too_large; });
    task.lost = !is_too_large;
    task.message = why_none(is_too_large, bytes);
    return std::nullopt;
  }
  reasons_.placed(task.kernel_id, views_, *choice);
  State& chosen = devices_[choice->device];
  costs_.placed(task.kernel_id, chosen.kind, task.work);
  task.predicted_ns = views_[choice->device].run_ns.value_or(schedule::unknown_task_ns);
  ++chosen.outstanding;
  chosen.outstanding_ns += task.predicted_ns;
  for (const Task::Place& place : task.places) {
    if (place.out != nullptr) place.out->home = static_cast<int>(choice->device);
  }
  return core::DeviceId(static_cast<core::DeviceId::Value>(choice->device));
}

/// It is for GPUs only, then.
std::string Placement::why_none(bool is_too_large, std::size_t bytes) {
  if (!is_too_large) return "it runs on GPUs only, and those of its rank have failed";
  return "it runs on GPUs only, and its arrays need " + std::to_string(bytes) +
         " bytes there at once, more than a GPU of its rank has";
}

Fit Placement::fit(std::size_t index, const Task& task, std::size_t bytes) const {
  const device::Device& device = *devices_[index].device.device;
  if (device.can_run(*task.kernel)) {
    return index == 0 || gpus_.could_fit(static_cast<int>(index) - 1, bytes) ? Fit::fits : Fit::too_large;
  }
  if (index == 0) return Fit::no_body;
  return static_cast<const device::Accelerator&>(device).is_broken() ? Fit::failed : Fit::no_body;
}

void Placement::view(std::size_t index, const Task& task, std::size_t bytes) {
  const State& state = devices_[index];
  schedule::DeviceView& view = views_[index];
  view.fit = fit(index, task, bytes);
  view.is_accelerator = index > 0;
  view.lanes = state.device.device->lanes();
  view.outstanding = state.outstanding;
  view.free_at_ns = state.outstanding < view.lanes ? 0.0 : std::max(0.0, state.outstanding_ns / view.lanes);
  view.missing_bytes = static_cast<std::int64_t>(gpus_.missing_bytes(static_cast<int>(index), task));
  view.transfer_ns = static_cast<double>(view.missing_bytes) * state.moved_ns / state.moved_bytes;
  view.run_ns = costs_.predict_ns(task.kernel_id, state.kind, task.work);
  view.trials_left = costs_.trials_left(task.kernel_id, state.kind, task.work);
}

schedule::Workload Placement::workload(const Task& task) {
  types_.clear();
  accesses_.clear();
  double amount = 0;
  for (std::size_t i = 0; i < task.places.size(); ++i) {
    types_.push_back(task.views[i].type);
    accesses_.push_back({mode_of(task.places[i].kind), task.views[i].type});
    amount += static_cast<double>(task.views[i].type.bytes());
  }
  if (task.kernel->flops && core::decode_parameters(task.parameters, parameters_)) {
    amount = task.kernel->flops(accesses_, parameters_);
  }
  return schedule::workload_of(types_, task.parameters, task.cores, amount);
}

void Placement::ended(const Task& task, bool well) {
  const std::lock_guard lock(mutex_);
  State& state = devices_[task.device.value()];
  if (--state.outstanding == 0)
    state.outstanding_ns = 0;
  else
    state.outstanding_ns -= task.predicted_ns;
  if (!well) return;
  const auto panels = static_cast<std::int64_t>(std::max<std::size_t>(task.panels.size(), 1));
  costs_.learn(task.kernel_id, state.kind, task.work, task.busy_ns.load(std::memory_order_relaxed) / panels);
}

void Placement::transferred(int gpu, std::span<const device::TransferEnd> ends) {
  const std::lock_guard lock(mutex_);
  for (const device::TransferEnd& end : ends) {
    if (end.failed) continue;
    const bool in = end.transfer->direction == device::Transfer::Direction::in;
    State& state = devices_[in ? static_cast<std::size_t>(gpu) + 1 : 0];
    state.moved_bytes += static_cast<double>(end.transfer->bytes);
    state.moved_ns += static_cast<double>(end.end_ns - end.begin_ns);
  }
}

void Placement::recall(std::span<const schedule::CostEntry> entries) {
  const std::lock_guard lock(mutex_);
  costs_.recall(entries);
}

std::vector<schedule::CostEntry> Placement::costs() {
  const std::lock_guard lock(mutex_);
  return costs_.entries();
}

std::string Placement::why_idle(std::size_t device) {
  const std::lock_guard lock(mutex_);
  return reasons_.line(device);
}

}  // namespace penstock::backend
