// What the memories of a rank with GPUs let happen: tasks that were launched, that may start on cores, or that cannot
// run where they were to.
#include <algorithm>
#include <cstdio>
#include <utility>

#include "backend/backend.hpp"

namespace penstock::backend {

using coherence::Refusal;

/// Leaves `effects` empty, and panels for the cores in `work`.
void Backend::carry_out(GpuTasks::Effects& effects, std::vector<device::Work*>& work,
                        std::vector<executor::Node*>& ready) {
  while (!effects.empty()) {
    GpuTasks::Effects now = std::exchange(effects, {});
    for (const auto& one : now.launched) launched(one, ready);
    for (Task* const task : now.on_host) start_panels(*task, work);
    for (Task* const task : now.remakes) start_panels(*task, work);
    for (const int gpu : now.failed) say_failed(gpu);
    for (auto& one : now.refused) refused(one, effects, ready);
    recycle(now.released);
  }
}

/// By pointers that stay: workers may be here still while the devices are ended, the cores first.
bool Backend::gpus_are_busy() const {
  return std::ranges::any_of(gpus_, [](const device::Accelerator* gpu) { return gpu->busy_polling(); });
}

bool Backend::launch_next(GpuTasks::Effects& effects, std::vector<device::Work*>& work,
                          std::vector<executor::Node*>& ready) {
  if (!gpu_tasks_->launch_next(effects)) return false;
  carry_out(effects, work, ready);
  return true;
}

void Backend::carry_out(GpuTasks::Effects& effects) {
  std::vector<device::Work*> work;
  std::vector<executor::Node*> ready;
  carry_out(effects, work, ready);
  if (!work.empty()) devices_[0].device->start(work);
  start(ready);
}

void Backend::launched(const GpuTasks::Effects::Launched& launched, std::vector<executor::Node*>& ready) {
  Task& task = *launched.task;
  task.node.enqueued(launched.point, ready);
  if (task.panels_left.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
  finish(task, links_[launched.point.device.value()].lane_of(0), ready);
  mover_.wake();  // the driver settles it, as in finish_touch()
}

/// Those that nothing was under way on, whose end would have told.
void Backend::look_for_failed_gpus() {
  GpuTasks::Effects effects;
  for (std::size_t i = 0; i < gpus_.size(); ++i) {
    if (gpus_[i]->is_broken()) gpu_tasks_->lose_if_broken(static_cast<int>(i), effects);
  }
  if (!effects.empty()) carry_out(effects);
}

void Backend::say_failed(int gpu) const {
  std::fprintf(stderr, "penstock: rank %d: GPU %d has failed and is not used any more\n", mover_.rank().value(),
               gpus_[static_cast<std::size_t>(gpu)]->number());
}

bool Backend::bring_to_host(const Storage& storage) {
  GpuTasks::Effects effects;
  const bool is_there = gpu_tasks_->bring_to_host(storage, effects);
  carry_out(effects);
  return is_there;
}

/// Elsewhere, where that is possible: what a GPU had no room for, cores may do, and what it lost with its queue,
/// another GPU too.
void Backend::refused(GpuTasks::Effects::Refused& refused, GpuTasks::Effects& effects,
                      std::vector<executor::Node*>& ready) {
  Task& task = *refused.task;
  if (refused.why == Refusal::lost || (refused.why == Refusal::too_large && !task.kernel->cpu)) {
    task.lost = refused.why == Refusal::lost;
    task.message = std::move(refused.message);
    task.failed.store(true, std::memory_order_relaxed);
    return end_unrun(task, ready);
  }
  placement_->ended(task, false);
  place(task);
  if (!task.is_placed) return end_unrun(task, ready);
  fill_panels(task);
  gpu_tasks_->run(task, effects);
}

void Backend::end_unrun(Task& task, std::vector<executor::Node*>& ready) {
  finish(task, lanes_->size() - 1, ready);
  mover_.wake();
}

void Backend::GpuLink::transferred(std::span<device::TransferEnd> ends) {
  GpuTasks::Effects effects;
  if (backend_.recorder_ != nullptr) backend_.record_copies(device_, ends);
  backend_.placement_->transferred(device_.value() - 1, ends);
  backend_.gpu_tasks_->transferred(device_.value() - 1, ends, effects);
  backend_.carry_out(effects);
}

}  // namespace penstock::backend
