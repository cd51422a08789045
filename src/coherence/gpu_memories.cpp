// Blocks, what of them is in host memory, and who waits for that.
#include "coherence/gpu_memories.hpp"

#include <algorithm>

#include "coherence/free_places.hpp"
#include "core/assert.hpp"

namespace penstock::coherence {

namespace {
constexpr int failures_most = 3;  // then a copy in a GPU's memory is as good as none
}  // namespace

void GpuMemories::add_gpu(std::size_t capacity) {
  PENSTOCK_ASSERT(blocks_.empty());
  gpus_.push_back({.memory = core::RangeAllocator<Frontier>(capacity, unit), .lru = {}, .queue = {}, .traffic = {}});
}

GpuMemories::Task& GpuMemories::task_at(SlotIndex slot) {
  if (tasks_.size() <= slot.value()) tasks_.resize(slot.value() + 1);
  return tasks_[slot.value()];
}

// --- blocks ---

BlockIndex GpuMemories::add(std::size_t bytes) {
  const BlockIndex index = take_place(blocks_, free_blocks_);
  Block& block = at(index);
  const std::uint64_t content = block.content + 1;  // counts on, so that late transfers of the one before are known
  block = Block();
  block.bytes = bytes;
  block.content = content;
  block.used = true;
  block.copies.resize(gpus_.size());
  return index;
}

void GpuMemories::drop(BlockIndex index) {
  Block& block = at(index);
  PENSTOCK_ASSERT(block.used && !block.dropped && block.waiters.empty());
  block.dropped = true;
  for (int gpu = 0; gpu < static_cast<int>(gpus_.size()); ++gpu) {
    copy(index, gpu).valid = false;
    let_go(index, gpu);
  }
  release_if_over(index);
}

void GpuMemories::release_if_over(BlockIndex index) {
  Block& block = at(index);
  if (!block.dropped || block.transfers > 0) return;
  block.used = false;
  block.dropped = false;
  free_blocks_.push_back(index);
  orders_.released(index);
}

void GpuMemories::made_on_host(BlockIndex block) { written(block, host_memory); }

/// All other copies are of what was there before.
void GpuMemories::written(BlockIndex index, int where) {
  Block& block = at(index);
  ++block.content;
  block.failures = 0;
  block.host_valid = where == host_memory;
  for (int gpu = 0; gpu < static_cast<int>(gpus_.size()); ++gpu) {
    if (gpu == where) continue;
    copy(index, gpu).valid = false;
    let_go(index, gpu);
  }
}

/// Gives back the memory of a copy that is of no use any more.
void GpuMemories::let_go(BlockIndex index, int gpu) {
  Copy& one = copy(index, gpu);
  if (!one.held || one.valid || one.pins > 0) return;
  Frontier after = one.users;
  after.add(one.ready);
  of(gpu).memory.free(one.offset, at(index).bytes, after);
  of(gpu).lru.erase(one.place);
  one.held = false;
  one.ready = {};
  one.users = {};
}

// --- transfers ---

/// All that is launched there and reads the block came after the transfer, which was needed because it was not there.
void GpuMemories::spoil(BlockIndex index, int gpu) {
  for (Task& task : tasks_) {
    if (!task.launched || task.gpu != gpu) continue;
    if (std::ranges::find(task.uses, index, &BlockUse::in) != task.uses.end()) task.spoiled = true;
  }
}

Point GpuMemories::order(BlockIndex index, int from, int to, const Frontier& after) {
  Block& block = at(index);
  const TransferIndex transfer = take_place(transfers_, free_transfers_);
  const auto offset = [&](int where) { return where == host_memory ? 0 : copy(index, where).offset; };
  const TransferOrder order{.transfer = transfer,
                            .block = index,
                            .from = from,
                            .to = to,
                            .from_offset = offset(from),
                            .to_offset = offset(to),
                            .bytes = block.bytes,
                            .after = after};
  const Point point = orders_.transfer(order);
  transfers_[transfer.value()] = {.block = index, .from = from, .to = to, .content = block.content, .point = point};
  ++block.transfers;
  Gpu& gpu = of(order.gpu());
  ++gpu.transfers;
  if (from != host_memory && to != host_memory) ++of(from).transfers;
  std::uint64_t& bytes = to == host_memory     ? gpu.traffic.bytes_out
                         : from == host_memory ? gpu.traffic.bytes_in
                                               : gpu.traffic.bytes_peer;
  bytes += block.bytes;
  return point;
}

void GpuMemories::transferred(TransferIndex index, bool well) {
  const Transfer transfer = transfers_[index.value()];
  free_transfers_.push_back(index);
  Block& block = at(transfer.block);
  const int gpu = transfer.to != host_memory ? transfer.to : transfer.from;
  const bool between_gpus = transfer.from != host_memory && transfer.to != host_memory;
  --block.transfers;
  --of(gpu).transfers;
  if (between_gpus) {
    --of(transfer.from).transfers;
    unpin(transfer.block, transfer.from);
  }
  if (transfer.to != host_memory) {
    Copy& made = copy(transfer.block, transfer.to);
    if (made.ready == transfer.point) made.ready = {};
    if (!well) spoil(transfer.block, transfer.to);
    if (!well && block.content == transfer.content) made.valid = false;
  } else if (block.coming == transfer.content && block.coming_from == transfer.from &&
             block.coming_at.point == transfer.point.point) {
    came_to_host(transfer.block, well);
  }
  release_if_over(transfer.block);
}

// --- host memory ---

/// Not while what was there before still comes from another GPU, on whose queue nothing can be ordered behind it.
bool GpuMemories::may_come_to_host(const Block& block, int from) const {
  return block.coming_from == host_memory || block.coming_from == from;
}

bool GpuMemories::bring_to_host(BlockIndex index) {
  Block& block = at(index);
  if (block.host_valid || comes_to_host(block)) return true;
  const auto from = std::ranges::find_if(block.copies, &Copy::valid);
  if (from == block.copies.end() || block.failures >= failures_most) return order_making_again(index);
  const int gpu = static_cast<int>(from - block.copies.begin());
  if (!may_come_to_host(block, gpu)) return true;  // its end wakes the waiters, who then order again
  const Point point = order(index, gpu, host_memory, from->ready);
  from->users.add(point);
  block.coming = block.content;
  block.coming_from = gpu;
  block.coming_at = point;
  return true;
}

bool GpuMemories::order_making_again(BlockIndex index) {
  Block& block = at(index);
  if (!may_come_to_host(block, remaking)) return true;  // as above
  if (!orders_.make_again(index)) return false;
  ++block.transfers;
  block.coming = block.content;
  block.coming_from = remaking;
  return true;
}

void GpuMemories::made_again(BlockIndex index, bool well) {
  --at(index).transfers;
  came_to_host(index, well);
  release_if_over(index);
}

void GpuMemories::came_to_host(BlockIndex index, bool well) {
  Block& block = at(index);
  block.coming_from = host_memory;
  block.failures = well ? 0 : block.failures + 1;
  if (well && block.content == block.coming) block.host_valid = true;
  wake_waiters(index);
}

/// True: all that the task reads is there. Otherwise it has been refused, or waits and will go_on().
template <class IsThere>
bool GpuMemories::seek(SlotIndex slot, const IsThere& is_there) {
  const auto is_missing = [&](const BlockUse& use) { return use.in != no_block && !is_there(use.in); };
  for (const BlockUse& use : task_at(slot).uses) {
    if (is_missing(use) && !bring_to_host(use.in)) {
      refuse(slot, Refusal::lost);
      return false;
    }
  }
  for (const BlockUse& use : task_at(slot).uses) {
    if (!is_missing(use)) continue;
    at(use.in).waiters.push_back(slot);
    ++task_at(slot).missing;
  }
  return task_at(slot).missing == 0;
}

void GpuMemories::wake_waiters(BlockIndex index) {
  const std::vector<SlotIndex> waiters = std::exchange(at(index).waiters, {});
  for (const SlotIndex waiter : waiters) {
    if (--task_at(waiter).missing == 0) go_on(waiter);
  }
}

void GpuMemories::run_on_host(SlotIndex slot, std::span<const BlockUse> uses) {
  Task& task = task_at(slot);
  task = Task();
  task.uses.assign(uses.begin(), uses.end());
  go_on(slot);
}

/// A task that waits for nothing just now.
void GpuMemories::go_on(SlotIndex slot) {
  const int gpu = task_at(slot).gpu;
  if (gpu != host_memory && of(gpu).gone) return refuse(slot, Refusal::gone);
  const auto is_there = [&](BlockIndex block) {
    return gpu == host_memory ? at(block).host_valid : has_source(block, gpu);
  };
  if (!seek(slot, is_there)) return;
  if (gpu != host_memory) return enqueue(slot);
  for (const BlockUse& use : task_at(slot).uses) {
    if (use.out != no_block) written(use.out, host_memory);
  }
  orders_.start_on_host(slot);
}

void GpuMemories::refuse(SlotIndex slot, Refusal why) {
  Task& task = task_at(slot);
  if (task.is_queued) dequeue(slot);
  if (task.gpu != host_memory) want(task, -1);
  orders_.refuse(slot, task.gpu, why);
}

}  // namespace penstock::coherence
