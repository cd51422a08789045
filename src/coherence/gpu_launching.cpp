// A GPU's queue: which task is launched next, where its operands get room, and what has to go for them.
#include <algorithm>
#include <tuple>

#include "coherence/gpu_memories.hpp"
#include "core/assert.hpp"

namespace penstock::coherence {

namespace {

constexpr int launched_least = 4;      // enough to hide transfers and the host's part behind kernels
constexpr int launched_most = 32;      // of short tasks, while they leave half of the memory to others
constexpr std::size_t looked_at = 64;  // tasks among which the one is chosen whose operands are there
constexpr int passed_over_most = 256;  // then a task is next

}  // namespace

void GpuMemories::run_on_gpu(int gpu, SlotIndex slot, std::span<const BlockUse> uses) {
  Task& task = task_at(slot);
  task = Task();
  task.gpu = gpu;
  task.number = ++arrived_;
  task.uses.assign(uses.begin(), uses.end());
  want(task, 1);
  go_on(slot);
}

void GpuMemories::enqueue(SlotIndex slot) {
  Task& task = task_at(slot);
  task.is_queued = true;
  of(task.gpu).queue.insert({task.number, slot});
}

void GpuMemories::dequeue(SlotIndex slot) {
  Task& task = task_at(slot);
  task.is_queued = false;
  of(task.gpu).queue.erase({task.number, slot});
}

bool GpuMemories::ended(SlotIndex slot) {
  Task& task = task_at(slot);
  PENSTOCK_ASSERT(task.launched);
  task.launched = false;
  const int gpu = task.gpu;
  --of(gpu).in_flight;
  for (const BlockUse& use : task.uses) {
    if (use.in != no_block) unpin(use.in, gpu);
    if (use.out == no_block) continue;
    Copy& made = copy(use.out, gpu);
    if (made.ready == task.point) made.ready = {};
    unpin(use.out, gpu);
  }
  return !task.spoiled;
}

bool GpuMemories::lose_gpu(int index) {
  Gpu& gpu = of(index);
  if (gpu.gone) return false;
  gpu.gone = true;
  for (Block& block : blocks_) {
    if (block.used) block.copies[static_cast<std::size_t>(index)].valid = false;
  }
  while (!gpu.queue.empty()) refuse(gpu.queue.begin()->task, Refusal::gone);
  return true;
}

// --- choosing ---

bool GpuMemories::has_source(BlockIndex block, int gpu) const {
  return copy(block, gpu).valid || source_for(block, gpu) != gpu;
}

bool GpuMemories::launch_next(int index) {
  if (!may_launch(of(index))) return false;
  const SlotIndex slot = choose(index);
  const auto lacks_source = [&](const BlockUse& use) { return use.in != no_block && !has_source(use.in, index); };
  if (std::ranges::any_of(task_at(slot).uses, lacks_source)) {  // not any more
    dequeue(slot);
    go_on(slot);
    return true;
  }
  if (!reserve(task_at(slot))) {
    // What is under way will make room. If nothing is, there may be room enough, in pieces.
    if (of(index).in_flight > 0 || of(index).transfers > 0) return false;
    evict_all(index);
    if (!reserve(task_at(slot))) {
      if (!of(index).lru.empty()) return false;  // what is left comes to host memory from another GPU still
      refuse(slot, Refusal::too_large);
      return true;
    }
  }
  launch(slot);
  return true;
}

bool GpuMemories::may_launch(const Gpu& gpu) const {
  if (gpu.queue.empty() || gpu.gone || gpu.in_flight >= launched_most) return false;
  return gpu.in_flight < launched_least || gpu.pinned_bytes <= gpu.memory.capacity() / 2;
}

/// First what costs fewest bytes of transfer; then what brings a block that most of the others lack alone, so that they
/// cost nothing (after M. Gonthier, L. Marchal and S. Thibault, "Memory-aware scheduling of tasks sharing data on
/// multiple GPUs with dynamic runtime systems", 2022); then in order.
SlotIndex GpuMemories::choose(int index) {
  const std::set<Queued>& queue = of(index).queue;
  const Queued& first = *queue.begin();
  if (task_at(first.task).passed_over >= passed_over_most) return first.task;
  candidates_.clear();
  of(index).room.reset();
  for (const Queued& one : queue) {
    if (candidates_.size() == looked_at) break;
    candidates_.push_back(candidate(one.task, index));
    if (candidates_.back().cost == 0) break;  // none is better
    if (candidates_.back().lacks != no_block) ++at(candidates_.back().lacks).lacked;
  }
  const auto key = [&](const Candidate& one) {
    return std::pair(one.cost, one.lacks != no_block ? -at(one.lacks).lacked : 0);
  };
  const SlotIndex chosen = std::ranges::min_element(candidates_, {}, key)->task;
  for (const Candidate& one : candidates_) {
    if (one.lacks != no_block) at(one.lacks).lacked = 0;
  }
  if (chosen != first.task) ++task_at(first.task).passed_over;
  return chosen;
}

/// Once memory is short, what is written in place costs twice, as it would have to come and go again: then what has
/// been begun is gone on with. As long as there is room, more is begun, which shares what is read.
GpuMemories::Candidate GpuMemories::candidate(SlotIndex slot, int gpu) {
  Candidate made{.task = slot};
  int read_only = 0;
  const auto has_room = [&](std::size_t bytes) { return bytes <= of(gpu).memory.free_bytes() || bytes <= room(gpu); };
  for (const BlockUse& use : tasks_[slot.value()].uses) {
    if (use.in == no_block || copy(use.in, gpu).valid) continue;
    const bool comes_and_goes = use.out == use.in && !has_room(made.cost + at(use.in).bytes);
    made.cost += at(use.in).bytes * (comes_and_goes ? 2 : 1);
    if (use.out == use.in) continue;
    made.lacks = use.in;
    ++read_only;
  }
  if (read_only != 1) made.lacks = no_block;
  return made;
}

/// What is free, or held for nobody who waits or runs.
std::size_t GpuMemories::room(int index) {
  Gpu& gpu = of(index);
  if (gpu.room) return *gpu.room;
  std::size_t bytes = gpu.memory.free_bytes();
  for (const BlockIndex held : gpu.lru) {
    const Copy& one = copy(held, index);
    if (one.wanted == 0 && one.pins == 0) bytes += gpu.memory.rounded(at(held).bytes);
  }
  gpu.room = bytes;
  return bytes;
}

void GpuMemories::want(const Task& task, int by) {
  for (const BlockUse& use : task.uses) {
    if (use.in != no_block) copy(use.in, task.gpu).wanted += by;
  }
}

/// Where a GPU can have a block from by an order of its own: a GPU, host_memory, or itself when nowhere now.
int GpuMemories::source_for(BlockIndex index, int gpu) const {
  const Block& block = at(index);
  if (block.host_valid || (comes_to_host(block) && block.coming_from == gpu)) return host_memory;
  for (std::size_t other = 0; other < block.copies.size(); ++other) {
    if (block.copies[other].valid && block.copies[other].ready.queue == 0) return static_cast<int>(other);
  }
  return gpu;
}

// --- room ---

void GpuMemories::pin(BlockIndex index, int gpu) {
  if (++copy(index, gpu).pins == 1) of(gpu).pinned_bytes += of(gpu).memory.rounded(at(index).bytes);
}

void GpuMemories::unpin(BlockIndex index, int gpu) {
  if (--copy(index, gpu).pins > 0) return;
  of(gpu).pinned_bytes -= of(gpu).memory.rounded(at(index).bytes);
  let_go(index, gpu);
}

void GpuMemories::touch(BlockIndex index, int gpu) {
  Gpu& home = of(gpu);
  home.lru.splice(home.lru.end(), home.lru, copy(index, gpu).place);
}

/// Memory for all operands, pinned, or for none.
bool GpuMemories::reserve(const Task& task) {
  const int gpu = task.gpu;
  std::vector<BlockIndex> pinned;
  for (const BlockUse& use : task.uses) {
    for (const BlockIndex block : {use.in, use.out}) {
      if (block == no_block) continue;
      pin(block, gpu);
      pinned.push_back(block);
    }
  }
  const Gpu& home = of(gpu);
  bool is_there = home.pinned_bytes <= home.memory.capacity();
  for (std::size_t i = 0; is_there && i < pinned.size(); ++i) is_there = take_room(pinned[i], gpu);
  if (is_there) return true;
  for (const BlockIndex block : pinned) unpin(block, gpu);
  return false;
}

bool GpuMemories::take_room(BlockIndex index, int gpu) {
  Copy& one = copy(index, gpu);
  if (one.held) return true;
  auto range = of(gpu).memory.allocate(at(index).bytes);
  while (!range) {
    if (!evict_one(gpu)) return false;
    range = of(gpu).memory.allocate(at(index).bytes);
  }
  one.offset = range->offset;
  one.held = true;
  one.valid = false;
  one.ready = {};
  one.users = range->tag;  // whoever writes it goes after them
  one.place = of(gpu).lru.insert(of(gpu).lru.end(), index);
  return true;
}

/// False: all that is there is in use.
bool GpuMemories::evict_one(int gpu) {
  Gpu& home = of(gpu);
  const auto is_dirty = [&](BlockIndex index) {
    const Block& block = at(index);
    const auto valid = std::ranges::count_if(block.copies, &Copy::valid);
    return !block.host_valid && !comes_to_host(block) && valid < 2;
  };
  BlockIndex victim = no_block;
  BlockIndex older = no_block;  // that nobody waits for, and that only stays because it is dirty
  std::tuple<bool, bool> cost{true, true};
  for (const BlockIndex index : home.lru) {
    const Copy& one = copy(index, gpu);
    const std::tuple own{one.wanted > 0, is_dirty(index)};
    if (one.pins > 0 || (std::get<1>(own) && !may_come_to_host(at(index), gpu))) continue;
    if (older == no_block && own == std::tuple(false, true)) older = index;
    if (victim != no_block && own >= cost) continue;
    victim = index;
    cost = own;
    if (own == std::tuple(false, false)) break;
  }
  if (victim == no_block) return false;
  ++home.traffic.evictions;
  // Results that are in nobody's way any more would drive out what is still read: they are next, once written back.
  if (older != no_block) bring_to_host(older);
  if (std::get<1>(cost)) bring_to_host(victim);
  copy(victim, gpu).valid = false;
  let_go(victim, gpu);
  return true;
}

void GpuMemories::evict_all(int gpu) {
  while (evict_one(gpu)) {
  }
}

// --- launching ---

void GpuMemories::bring_in(BlockIndex index, int gpu) {
  Block& block = at(index);
  Copy& one = copy(index, gpu);
  const int from = source_for(index, gpu);
  Frontier after = one.users;
  if (from == host_memory) {
    if (!block.host_valid) after.add(block.coming_at);
  } else {
    pin(index, from);
    touch(index, from);
  }
  one.ready = order(index, from, gpu, after);
  one.users = {};
  one.valid = true;
}

void GpuMemories::launch(SlotIndex slot) {
  Task& task = task_at(slot);
  const int gpu = task.gpu;
  dequeue(slot);
  want(task, -1);
  for (const BlockUse& use : task.uses) {
    if (use.in != no_block && !copy(use.in, gpu).valid) bring_in(use.in, gpu);
  }
  LaunchOrder order{.task = slot, .gpu = gpu, .operands = {}};
  operands_.clear();
  for (const BlockUse& use : task.uses) {
    if (use.in != no_block) order.after.add(copy(use.in, gpu).ready);
    if (use.out != no_block) {
      order.after.merge(copy(use.out, gpu).users);
      order.after.add(copy(use.out, gpu).ready);
    }
    const bool is_copied = use.in != no_block && use.out != no_block && use.in != use.out;
    operands_.push_back({.offset = copy(use.out != no_block ? use.out : use.in, gpu).offset,
                         .copied_from = is_copied ? copy(use.in, gpu).offset : 0,
                         .copied_bytes = is_copied ? at(use.in).bytes : 0});
  }
  order.operands = operands_;
  task.point = orders_.launch(order);
  task.launched = true;
  task.spoiled = false;
  ++of(gpu).in_flight;
  for (const BlockUse& use : task.uses) {
    if (use.in != no_block && use.in != use.out) {
      copy(use.in, gpu).users.add(task.point);
      touch(use.in, gpu);
    }
    if (use.out == no_block) continue;
    Copy& made = copy(use.out, gpu);
    made.valid = true;
    made.ready = task.point;
    made.users = {};
    touch(use.out, gpu);
    written(use.out, gpu);
  }
}

}  // namespace penstock::coherence
