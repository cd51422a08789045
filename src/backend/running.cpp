// From ready to settled: starting tasks on devices, what their completion releases, and the settlement in batches.
#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

#include "backend/backend.hpp"

namespace penstock::backend {

using cluster::OperandKind;
using core::Outcome;
using core::TaskId;

namespace {

constexpr std::size_t message_most = 4096;

Task& task_of(executor::Node& node) { return *static_cast<Task*>(node.owner); }
Task& task_of(device::Work& work) { return *static_cast<Task*>(work.owner); }

}  // namespace

// --- starting ---

void Backend::start(std::vector<executor::Node*>& ready) {
  thread_local std::vector<device::Work*> work;
  thread_local GpuTasks::Effects effects;
  const bool is_looked_at = ready.empty() || gpus_are_busy();  // at the end there are none any more
  do {
    // By index: what ends or is queued here may append to `ready`.
    for (std::size_t i = 0; i < ready.size(); ++i) {
      Task& task = task_of(*ready[i]);
      if (task.kind == Task::Kind::touch) {
        finish_touch(task, ready);
      } else if (!gpu_tasks_) {
        start_panels(task, work);
      } else if (may_run(task)) {
        gpu_tasks_->run(task, effects);
        carry_out(effects, work, ready);
      } else {
        end_unrun(task, ready);
      }
    }
    ready.clear();
  } while (gpu_tasks_ && launch_next(effects, work, ready));
  if (!is_looked_at && gpus_are_busy()) mover_.wake();  // the driver, which then looks often
  if (work.empty()) return;
  devices_[0].device->start(work);
  work.clear();
}

/// On cores.
void Backend::start_panels(Task& task, std::vector<device::Work*>& work) {
  for (device::Work& panel : task.panels) work.push_back(&panel);
}

bool Backend::prepare_once(Task& task) {
  const std::lock_guard lock(task.preparing);
  if (task.preparation == Task::Preparation::none) {
    task.preparation = prepare(task) ? Task::Preparation::ready : Task::Preparation::refused;
  }
  return task.preparation == Task::Preparation::ready;
}

bool Backend::may_run(Task& task) {
  if (cancelled_.load(std::memory_order_relaxed)) task.cancelled = true;
  return !task.cancelled && !task.failed.load(std::memory_order_relaxed) && task.node.cause() == TaskId();
}

bool Backend::prepare(Task& task) {
  if (!may_run(task)) return false;
  if (gpu_tasks_ && task.device != core::DeviceId(0)) return true;
  try {
    for (std::size_t i = 0; i < task.places.size(); ++i) {
      const Task::Place& place = task.places[i];
      if (place.out != nullptr && place.out->data == nullptr) place.out->data = pool_.allocate(place.out->bytes);
      if (place.kind == OperandKind::copy) std::memcpy(place.out->data, place.in->data, place.in->bytes);
      task.views[i].data = place.out != nullptr ? place.out->data : place.in->data;
    }
  } catch (const std::exception& error) {
    task.message = error.what();
    task.failed.store(true, std::memory_order_relaxed);
    return false;
  }
  return true;
}

bool Backend::Link::prepare(device::Work& work) {
  Task& task = task_of(work);
  return task.panels.size() > 1 ? backend_.prepare_once(task) : backend_.prepare(task);
}

// --- completion ---

void Backend::Link::completed(std::span<device::Completion> completions) {
  thread_local std::vector<executor::Node*> ready;
  bool settle_now = false;
  std::size_t lane = 0;
  thread_local GpuTasks::Effects effects;
  const bool on_gpu = backend_.gpu_tasks_ && device_ != core::DeviceId(0);
  if (on_gpu) {
    count_busy(completions);
    backend_.gpu_tasks_->ended(device_.value() - 1, completions, effects);
  }
  for (device::Completion& completion : completions) {
    Task& task = task_of(*completion.work);
    if (task.kind == Task::Kind::remake) {
      backend_.gpu_tasks_->made_again(task, !completion.failed, effects);
      continue;
    }
    if (backend_.recorder_ != nullptr) backend_.record(task, device_, completion);
    task.busy_ns.fetch_add(completion.end_ns - completion.begin_ns, std::memory_order_relaxed);
    if (completion.failed && !task.failed.exchange(true, std::memory_order_relaxed)) {
      task.message = std::move(completion.message);
      if (task.message.size() > message_most) task.message.resize(message_most);  // it travels in a message
    }
    if (task.panels_left.fetch_sub(1, std::memory_order_acq_rel) > 1) continue;
    lane = lane_of(completion.lane);
    if (backend_.finish(task, lane, ready)) settle_now = true;
  }
  if (!effects.empty()) backend_.carry_out(effects);
  backend_.start(ready);
  if (settle_now) backend_.settle(lane);
}

/// What ran beside others counts once.
void Backend::Link::count_busy(std::span<const device::Completion> completions) {
  for (const device::Completion& completion : completions) {
    busy_ns_ += std::max<std::int64_t>(0, completion.end_ns - std::max(completion.begin_ns, busy_until_ns_));
    busy_until_ns_ = std::max(busy_until_ns_, completion.end_ns);
  }
}

bool Backend::finish(Task& task, std::size_t lane, std::vector<executor::Node*>& ready) {
  Finished finished{.task = &task, .cause = {}, .outcome = Outcome::done};
  if (task.failed.load(std::memory_order_relaxed)) {
    finished.outcome = task.lost ? Outcome::lost : Outcome::failed;
    finished.cause = task.task;
  } else if (task.node.cause() != TaskId()) {
    finished.outcome = Outcome::skipped;
    finished.cause = task.node.cause();
  } else if (task.cancelled) {
    finished.outcome = Outcome::cancelled;
    finished.cause = task.task;
  }
  if (task.is_placed) placement_->ended(task, finished.outcome == Outcome::done);
  task.node.finish(finished.cause, ready);
  return lanes_->add(lane, finished, task.busy_ns.load(std::memory_order_relaxed));
}

void Backend::finish_touch(Task& task, std::vector<executor::Node*>& ready) {
  if (cancelled_.load(std::memory_order_relaxed)) task.cancelled = true;
  finish(task, lanes_->size() - 1, ready);
  mover_.wake();  // settling calls the front-end, whose mutex this thread may hold: the driver does it
}

void Backend::finished_here(Task& task, TaskId cause) {
  static_cast<void>(lanes_->add(lanes_->size() - 1, {.task = &task, .cause = cause, .outcome = Outcome::done}, 0));
  mover_.wake();
}

void Backend::fetched(coherence::SlotIndex slot) {
  std::vector<executor::Node*> ready;
  Task* fetch = nullptr;
  {
    const std::lock_guard lock(mutex_);
    fetch = &tasks_[slot.value()];
  }
  if (gpu_tasks_) gpu_tasks_->made_on_host(*fetch->places.front().out);
  fetch->node.finish(TaskId(), ready);
  finished_here(*fetch, TaskId());
  start(ready);
}

// --- settlement ---

bool Backend::settle(std::size_t lane) {
  thread_local std::vector<Finished> finished;
  lanes_->take(lane, finished);
  if (finished.empty()) return false;
  thread_local std::vector<std::byte> item;
  thread_local std::vector<executor::Node*> ready;
  write_endings(finished, item);  // before the records may be used again
  cluster::Settled settled;
  std::vector<Storage*> freed;
  {
    const std::lock_guard lock(mutex_);
    for (const Finished& one : finished) machine_.settle(one.task->slot, one.cause, settled);
    release(settled, freed, ready);
  }
  free(freed);
  unsettled_.fetch_sub(static_cast<std::int64_t>(finished.size()), std::memory_order_relaxed);
  finished.clear();
  start(ready);
  if (!item.empty()) reports_.endings(item);
  return true;
}

void Backend::write_endings(std::span<const Finished> finished, std::vector<std::byte>& item) {
  item.clear();
  core::ByteWriter writer(item);
  const auto is_task = [](const Finished& one) { return one.task->kind != Task::Kind::fetch; };
  const auto count = static_cast<std::uint32_t>(std::ranges::count_if(finished, is_task));
  if (count == 0) return;
  write_tag(writer, cluster::Tag::endings);
  writer.put(count);
  for (const Finished& one : finished) {
    if (!is_task(one)) continue;
    const Task& task = *one.task;
    write(writer, cluster::EndingReport{.ticket = task.ticket,
                                        .busy_ns = task.busy_ns.load(std::memory_order_relaxed),
                                        .ending = {.task = task.task,
                                                   .attempt = task.attempt,
                                                   .outcome = one.outcome,
                                                   .rank = core::no_rank,
                                                   .device = task.device,
                                                   .cause = one.cause,
                                                   .message = task.message}});
  }
}

}  // namespace penstock::backend
