#include "backend/gpu_tasks.hpp"

#include <algorithm>
#include <utility>

#include <penstock/error.hpp>

#include "core/parameters.hpp"

namespace penstock::backend {

using coherence::BlockIndex;
using coherence::Point;
using coherence::SlotIndex;

GpuTasks::GpuTasks(memory::HostPool& pool, std::span<device::Accelerator* const> gpus)
    : pool_(pool), gpus_(gpus.begin(), gpus.end()), machine_(*this) {
  for (device::Accelerator* const one : gpus_) machine_.add_gpu(one->memory().size());
}

void GpuTasks::attach(Storage& storage) {
  const std::lock_guard lock(mutex_);
  storage.block = machine_.add(storage.bytes);
  if (blocks_.size() <= storage.block.value()) blocks_.resize(storage.block.value() + 1);
  blocks_[storage.block.value()] = &storage;
}

void GpuTasks::drop(std::span<Storage* const> storages, Effects& effects) {
  const std::lock_guard lock(mutex_);
  for (const Storage* const storage : storages) machine_.drop(storage->block);
  hand_over(effects);
}

void GpuTasks::made_on_host(const Storage& storage) {
  const std::lock_guard lock(mutex_);
  machine_.made_on_host(storage.block);
}

void GpuTasks::run(Task& task, Effects& effects) {
  const std::lock_guard lock(mutex_);
  if (tasks_.size() <= task.slot.value()) tasks_.resize(task.slot.value() + 1);
  tasks_[task.slot.value()] = &task;
  uses_.clear();
  for (const Task::Place& place : task.places) {
    uses_.push_back({.in = place.in != nullptr ? place.in->block : coherence::no_block,
                     .out = place.out != nullptr ? place.out->block : coherence::no_block});
  }
  if (task.device == core::DeviceId(0))
    machine_.run_on_host(task.slot, uses_);
  else
    machine_.run_on_gpu(task.device.value() - 1, task.slot, uses_);
  hand_over(effects);
}

bool GpuTasks::launch_next(Effects& effects) {
  const std::lock_guard lock(mutex_);
  bool any = false;
  for (int number = 0; number < static_cast<int>(gpus_.size()); ++number) any = machine_.launch_next(number) || any;
  hand_over(effects);
  return any;
}

void GpuTasks::ended(int number, std::span<device::Completion> completions, Effects& effects) {
  const std::lock_guard lock(mutex_);
  for (device::Completion& completion : completions) {
    if (machine_.ended(static_cast<const Task*>(completion.work->owner)->slot) || completion.failed) continue;
    completion.failed = true;
    completion.message = "what it reads could not be brought to the GPU: " + transfer_failed_;
  }
  lose_if_broken(number);
  hand_over(effects);
}

void GpuTasks::transferred(int number, std::span<const device::TransferEnd> ends, Effects& effects) {
  const std::lock_guard lock(mutex_);
  for (const device::TransferEnd& end : ends) {
    if (end.failed) transfer_failed_ = end.message;
    machine_.transferred(coherence::TransferIndex(end.transfer->number), !end.failed);
  }
  lose_if_broken(number);
  hand_over(effects);
  came_to_host_.notify_all();
}

void GpuTasks::made_again(const Task& remake, bool well, Effects& effects) {
  const std::lock_guard lock(mutex_);
  Storage& storage = *remake.places.front().out;
  if (!well) storage.made = {};
  machine_.made_again(storage.block, well);
  std::erase_if(remakes_, [&](const Remake& one) { return &one.task == &remake; });
  hand_over(effects);
  came_to_host_.notify_all();
}

void GpuTasks::lose_if_broken(int number, Effects& effects) {
  const std::lock_guard lock(mutex_);
  lose_if_broken(number);
  hand_over(effects);
}

void GpuTasks::lose_if_broken(int number) {
  if (gpu(number).is_broken() && machine_.lose_gpu(number)) effects_.failed.push_back(number);
}

GpuTasks::Moved GpuTasks::moved(const device::Transfer& transfer) {
  const std::lock_guard lock(mutex_);
  return moved_[transfer.number];
}

void GpuTasks::prepare(device::Transfer& transfer) {
  Storage* storage = nullptr;
  {
    const std::lock_guard lock(mutex_);
    storage = blocks_[machine_.block_of(coherence::TransferIndex(transfer.number)).value()];
  }
  if (storage->data == nullptr) storage->data = pool_.allocate(storage->bytes);
  transfer.other = storage->data;
}

bool GpuTasks::bring_to_host(const Storage& storage, Effects& effects) {
  const std::lock_guard lock(mutex_);
  if (!machine_.bring_to_host(storage.block)) throw Error(ErrorCode::lost, why_lost());
  hand_over(effects);
  return machine_.is_on_host(storage.block);
}

void GpuTasks::wait_for_host(const Storage& storage) {
  std::unique_lock lock(mutex_);
  came_to_host_.wait(lock, [&] { return !machine_.is_coming_to_host(storage.block); });
}

/// Of the last that was.
std::string GpuTasks::why_lost() const {
  const std::string why = transfer_failed_.empty() ? "" : ": " + transfer_failed_;
  return "its value was only in the memory of a GPU, could not be had from there and cannot be made again" + why;
}

std::size_t GpuTasks::missing_bytes(int device, const Task& task) {
  const std::lock_guard lock(mutex_);
  std::size_t bytes = 0;
  for (const Task::Place& place : task.places) {
    if (place.in == nullptr || place.in->home == device) continue;
    const BlockIndex block = place.in->block;
    const bool is_there = device == 0 ? machine_.is_on_host(block) : machine_.is_on_gpu(block, device - 1);
    if (!is_there) bytes += place.in->bytes;
  }
  return bytes;
}

coherence::GpuTraffic GpuTasks::traffic(int number) {
  const std::lock_guard lock(mutex_);
  return machine_.traffic(number);
}

// --- what the machine orders; under the mutex ---

std::span<const device::Token> GpuTasks::tokens(const coherence::Frontier& after) {
  tokens_.clear();
  for (std::uint32_t queue = 1; queue <= coherence::Frontier::queues_most; ++queue) {
    const Point point = after.of(queue);
    if (point.point > 0) tokens_.push_back({point.queue, point.point});
  }
  return tokens_;
}

Point GpuTasks::transfer(const coherence::TransferOrder& order) {
  const std::size_t number = order.transfer.value();
  if (transfers_.size() <= number) transfers_.resize(number + 1);
  if (moved_.size() <= number) moved_.resize(number + 1);
  const Storage& storage = *blocks_[order.block.value()];
  moved_[number] = {storage.data_id, storage.version};
  const auto address = [&](int where, std::size_t offset) { return gpu(where).memory().data() + offset; };
  const bool in = order.to != coherence::host_memory;
  const bool between_gpus = in && order.from != coherence::host_memory;
  device::Transfer& transfer = transfers_[number];
  transfer = {.direction = in ? device::Transfer::Direction::in : device::Transfer::Direction::out,
              .own = in ? address(order.to, order.to_offset) : address(order.from, order.from_offset),
              .other = between_gpus ? address(order.from, order.from_offset) : nullptr,
              .peer = between_gpus ? gpu(order.from).number() : -1,
              .bytes = order.bytes,
              .number = order.transfer.value()};
  const device::Token token = gpu(order.gpu()).transfer(transfer, tokens(order.after));
  return {token.queue, token.point};
}

Point GpuTasks::launch(const coherence::LaunchOrder& order) {
  Task& task = *tasks_[order.task.value()];
  std::byte* const memory = gpu(order.gpu).memory().data();
  task.duplicates.clear();
  for (std::size_t i = 0; i < order.operands.size(); ++i) {
    const auto& operand = order.operands[i];
    task.views[i].data = memory + operand.offset;
    if (operand.copied_bytes == 0) continue;
    task.duplicates.push_back(
        {.to = memory + operand.offset, .from = memory + operand.copied_from, .bytes = operand.copied_bytes});
  }
  remember(task);
  device::Work* const work = task.panels.data();
  work->duplicates = task.duplicates;
  task.panels_left.fetch_add(1, std::memory_order_relaxed);  // its completion may come before the caller is through
  const device::Token token = gpu(order.gpu).start(std::span(&work, 1), tokens(order.after));
  effects_.launched.push_back({&task, {task.device, token.queue, token.point}});
  return {token.queue, token.point};
}

void GpuTasks::start_on_host(SlotIndex task) {
  remember(*tasks_[task.value()]);
  effects_.on_host.push_back(tasks_[task.value()]);
}

/// A task that begins: from now on what it writes was made by it.
void GpuTasks::remember(Task& task) {
  const std::shared_ptr<const Step> step = lineage_.remember(task);
  for (std::size_t i = 0; i < task.places.size(); ++i) {
    const Task::Place& place = task.places[i];
    if (place.out == nullptr) continue;
    place.out->made = {step, i};
    place.out->version = place.writes;
  }
}

bool GpuTasks::make_again(BlockIndex block) {
  Storage& storage = *blocks_[block.value()];
  if (storage.made.step == nullptr) return false;
  Remake& remake = remakes_.emplace_back();
  remake.kernel.name = "make again";
  remake.kernel.cpu = [this, made = storage.made](const TaskContext& context) {
    backend::make_again(made, pool_, context.arrays.front());
  };
  Task& task = remake.task;
  task.kind = Task::Kind::remake;
  task.device = core::DeviceId(0);
  task.kernel = &remake.kernel;
  task.places.push_back(
      {.kind = cluster::OperandKind::write, .data = {}, .in = nullptr, .out = &storage, .reads = {}, .writes = {}});
  task.views.push_back({.data = nullptr, .type = storage.made.step->operands[storage.made.operand].type});
  core::encode_parameters({}, task.parameters);
  task.panels.push_back(
      {.task = {}, .kernel = task.kernel, .arrays = task.views, .parameters = task.parameters, .owner = &task});
  effects_.remakes.push_back(&task);
  return true;
}

void GpuTasks::refuse(SlotIndex slot, int number, coherence::Refusal why) {
  Task& task = *tasks_[slot.value()];
  std::string message;
  if (why == coherence::Refusal::lost) {
    message = "of what it reads, " + why_lost();
  } else if (why == coherence::Refusal::too_large) {
    message =
        "its arrays do not fit into the " + std::to_string(machine_.capacity(number)) + " bytes of the GPU's memory";
  }
  effects_.refused.push_back({&task, why, std::move(message)});
}

void GpuTasks::released(BlockIndex block) {
  effects_.released.push_back(std::exchange(blocks_[block.value()], nullptr));
}

void GpuTasks::hand_over(Effects& effects) {
  const auto move = [](auto& from, auto& to) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
    from.clear();
  };
  move(effects_.launched, effects.launched);
  move(effects_.on_host, effects.on_host);
  move(effects_.remakes, effects.remakes);
  move(effects_.refused, effects.refused);
  move(effects_.released, effects.released);
  move(effects_.failed, effects.failed);
}

}  // namespace penstock::backend
