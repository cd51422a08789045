/// Which memories of a rank hold which block, and what has to happen so that a task finds its operands where it runs:
/// transfers, room, write-back, and in which order on a GPU's queues. Pure: blocks, tasks and memory are numbers here;
/// the owner keeps the bytes, carries out the orders in the order in which they come, and calls all functions under one
/// mutex.
///
/// A block is the content of one storage of the rank. It is in host memory, in that of some GPUs, or both; a task that
/// writes it leaves it in one. What a GPU's queues have not done yet counts as done there: later work of the same GPU
/// is ordered behind it (Frontier), and memory is given to others while what was in it is still being written back.
///
/// A GPU launches ahead, among its tasks first the one whose operands it mostly holds. All operands of a task get room
/// at once or none does, so tasks never push each other's operands out. Room is made by dropping blocks that are
/// elsewhere too, the least recently used first, and those that a waiting task needs last; then by writing back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "coherence/frontier.hpp"
#include "coherence/replica_table.hpp"
#include "core/ids.hpp"
#include "core/range_allocator.hpp"

namespace penstock::coherence {

using BlockIndex = core::Id<struct BlockTag, std::uint32_t>;
using TransferIndex = core::Id<struct TransferTag, std::uint32_t>;
inline constexpr BlockIndex no_block{none};
inline constexpr int host_memory = -1;

/// Read: only `in`; write: only `out`; read-write: `in` is `out`, or is copied to it.
struct BlockUse {
  BlockIndex in = no_block;
  BlockIndex out = no_block;
};

/// Bytes to be moved. One end at least is a GPU's memory, `from` or `to`; queue and order are those of `gpu`.
struct TransferOrder {
  TransferIndex transfer;
  BlockIndex block;
  int from = host_memory;
  int to = host_memory;
  std::size_t from_offset = 0;  ///< in the GPU's memory
  std::size_t to_offset = 0;
  std::size_t bytes = 0;
  Frontier after = {};
  /// Whose queue: of the GPU that receives, or else of the one that sends.
  [[nodiscard]] int gpu() const { return to != host_memory ? to : from; }
};

struct LaunchOrder {
  SlotIndex task;
  int gpu = 0;
  struct Operand {
    std::size_t offset = 0;       ///< that the body sees
    std::size_t copied_from = 0;  ///< that is copied there first, if `copied_bytes` is not 0
    std::size_t copied_bytes = 0;
  };
  std::span<const Operand> operands;
  Frontier after = {};
};

enum class Refusal : std::uint8_t {
  too_large,  ///< its operands do not fit into the GPU's memory
  gone,       ///< the GPU is not used any more
  lost,       ///< an operand was only in the memory of a GPU that is gone
};

/// What the machine wants done, from inside its functions. None may call it back.
class GpuOrders {
 public:
  /// The token of the transfer, which is to be reported by transferred().
  virtual Point transfer(const TransferOrder& order) = 0;
  /// The token of the task, which is to be reported by ended().
  virtual Point launch(const LaunchOrder& order) = 0;
  /// All that it reads is in host memory.
  virtual void start_on_host(SlotIndex task) = 0;
  virtual void refuse(SlotIndex task, int gpu, Refusal why) = 0;
  /// A dropped block has no transfer under way any more: its host memory may go. The index is used again.
  virtual void released(BlockIndex block) = 0;
  /// What a block held is nowhere any more. True: it will be in host memory again, which is to be reported by
  /// made_again(); false: that cannot be.
  virtual bool make_again(BlockIndex block) = 0;

 protected:
  ~GpuOrders() = default;
};

struct GpuTraffic {
  std::uint64_t bytes_in = 0;    ///< from host memory
  std::uint64_t bytes_out = 0;   ///< to host memory
  std::uint64_t bytes_peer = 0;  ///< from other GPUs
  std::uint64_t evictions = 0;   ///< blocks that had to make room
};

class GpuMemories {
 public:
  /// What blocks are rounded up to: an alignment that kernels and copies like best.
  static constexpr std::size_t unit = 512;

  explicit GpuMemories(GpuOrders& orders) : orders_(orders) {}

  /// GPUs are numbered from 0. Before the first block.
  void add_gpu(std::size_t capacity);
  [[nodiscard]] std::size_t capacity(int gpu) const { return of(gpu).memory.capacity(); }
  [[nodiscard]] const GpuTraffic& traffic(int gpu) const { return of(gpu).traffic; }

  /// A block without content.
  BlockIndex add(std::size_t bytes);
  /// No task uses it any more.
  void drop(BlockIndex block);
  /// Whoever fills it in host memory has done so, or is the next to touch it.
  void made_on_host(BlockIndex block);
  [[nodiscard]] bool is_on_host(BlockIndex block) const { return at(block).host_valid; }
  /// Or what it held before is; nothing else may be ordered there meanwhile.
  [[nodiscard]] bool is_coming_to_host(BlockIndex block) const { return at(block).coming_from != host_memory; }
  /// Or will be, as far as the GPU's queues are concerned.
  [[nodiscard]] bool is_on_gpu(BlockIndex block, int gpu) const { return copy(block, gpu).valid; }
  /// Orders what is missing. After some transferred() or made_again() it is on the host, or this is to be called again.
  /// False: it was lost with a GPU.
  bool bring_to_host(BlockIndex block);

  /// The task may run, as far as other tasks are concerned. Ends in launch() or refuse(), ...
  void run_on_gpu(int gpu, SlotIndex task, std::span<const BlockUse> uses);
  /// ... or in start_on_host() or refuse(lost).
  void run_on_host(SlotIndex task, std::span<const BlockUse> uses);
  /// Launches, or refuses, the next task of the GPU's queue; false: none may be now. To be called until then whenever
  /// something has happened, each time after the tasks that the last launch made ready have been given.
  bool launch_next(int gpu);
  /// A launched task has, after the transfers that it follows. False: one of these has failed, so what the task has
  /// made is worth nothing.
  [[nodiscard]] bool ended(SlotIndex task);
  void transferred(TransferIndex transfer, bool well);
  void made_again(BlockIndex block, bool well);
  /// That a transfer under way moves.
  [[nodiscard]] BlockIndex block_of(TransferIndex transfer) const { return transfers_[transfer.value()].block; }
  /// What is under way there is still to be reported, as failed. Waiting tasks are refused. False: it was lost before.
  bool lose_gpu(int gpu);

 private:
  using Lru = std::list<BlockIndex>;
  static constexpr int remaking = -2;  // in place of a GPU
  struct Copy {
    std::size_t offset = 0;
    bool held = false;   // it has memory
    bool valid = false;  // that holds the content, or will once `ready` is passed
    Point ready;         // none: it has been seen to have ended
    Frontier users;      // that read it since
    int pins = 0;        // by launched tasks and transfers
    int wanted = 0;      // by tasks that wait
    Lru::iterator place;
  };
  struct Block {
    std::size_t bytes = 0;
    std::uint64_t content = 0;  // counts what was written
    bool used = false;
    bool dropped = false;
    bool host_valid = false;
    int transfers = 0;              // under way, with what is being made again
    std::uint64_t coming = 0;       // the content that comes to host memory, if some does
    int coming_from = host_memory;  // on which GPU's queue, or remaking, ...
    Point coming_at;                // ... and where there
    int failures = 0;               // of that, since the last that went well
    std::vector<Copy> copies;       // by GPU
    int lacked = 0;                 // of choose()
    std::vector<SlotIndex> waiters;
  };
  struct Task {
    int gpu = host_memory;     // where it is to run
    std::uint64_t number = 0;  // of arrival
    int missing = 0;           // blocks that it waits for to come to host memory
    int passed_over = 0;
    bool is_queued = false;
    bool launched = false;
    bool spoiled = false;  // by a transfer that failed
    Point point;
    std::vector<BlockUse> uses;
  };
  struct Queued {
    std::uint64_t number;
    SlotIndex task;
    friend auto operator<=>(const Queued&, const Queued&) = default;
  };
  struct Gpu {
    core::RangeAllocator<Frontier> memory;
    Lru lru;  // held, the least recently used first
    std::set<Queued> queue;
    int in_flight = 0;
    int transfers = 0;
    std::size_t pinned_bytes = 0;
    std::optional<std::size_t> room = {};  // of choose(), once it is known
    bool gone = false;
    GpuTraffic traffic;
  };
  struct Candidate {
    SlotIndex task;
    std::size_t cost = 0;         // in bytes
    BlockIndex lacks = no_block;  // the only block to be read that is missing, if there is one
  };
  struct Transfer {
    BlockIndex block;
    int from = host_memory;
    int to = host_memory;
    std::uint64_t content = 0;
    Point point;
  };

  [[nodiscard]] Gpu& of(int gpu) { return gpus_[static_cast<std::size_t>(gpu)]; }
  [[nodiscard]] const Gpu& of(int gpu) const { return gpus_[static_cast<std::size_t>(gpu)]; }
  [[nodiscard]] Block& at(BlockIndex block) { return blocks_[block.value()]; }
  [[nodiscard]] const Block& at(BlockIndex block) const { return blocks_[block.value()]; }
  [[nodiscard]] Copy& copy(BlockIndex block, int gpu) { return at(block).copies[static_cast<std::size_t>(gpu)]; }
  [[nodiscard]] const Copy& copy(BlockIndex block, int gpu) const {
    return at(block).copies[static_cast<std::size_t>(gpu)];
  }
  Task& task_at(SlotIndex slot);

  // gpu_memories.cpp: blocks and host memory
  void written(BlockIndex block, int where);
  void let_go(BlockIndex block, int gpu);
  void release_if_over(BlockIndex index);
  [[nodiscard]] bool comes_to_host(const Block& block) const {
    return block.coming_from != host_memory && block.coming == block.content;
  }
  [[nodiscard]] bool may_come_to_host(const Block& block, int from) const;
  bool order_making_again(BlockIndex block);
  void came_to_host(BlockIndex block, bool well);
  void spoil(BlockIndex block, int gpu);
  template <class IsThere>
  [[nodiscard]] bool seek(SlotIndex task, const IsThere& is_there);
  void wake_waiters(BlockIndex block);
  void go_on(SlotIndex task);
  void refuse(SlotIndex task, Refusal why);
  Point order(BlockIndex block, int from, int to, const Frontier& after);

  // gpu_launching.cpp: a GPU's queue and memory
  [[nodiscard]] bool may_launch(const Gpu& gpu) const;
  [[nodiscard]] SlotIndex choose(int gpu);
  [[nodiscard]] Candidate candidate(SlotIndex task, int gpu);
  [[nodiscard]] std::size_t room(int gpu);
  [[nodiscard]] bool has_source(BlockIndex block, int gpu) const;
  void want(const Task& task, int by);
  void enqueue(SlotIndex task);
  void dequeue(SlotIndex task);
  [[nodiscard]] int source_for(BlockIndex block, int gpu) const;
  [[nodiscard]] bool reserve(const Task& task);
  [[nodiscard]] bool take_room(BlockIndex block, int gpu);
  [[nodiscard]] bool evict_one(int gpu);
  void evict_all(int gpu);
  void pin(BlockIndex block, int gpu);
  void unpin(BlockIndex block, int gpu);
  void touch(BlockIndex block, int gpu);
  void bring_in(BlockIndex block, int gpu);
  void launch(SlotIndex slot);

  GpuOrders& orders_;
  std::vector<Gpu> gpus_;
  std::vector<Block> blocks_;
  std::vector<BlockIndex> free_blocks_;
  std::vector<Task> tasks_;  // by slot
  std::vector<Transfer> transfers_;
  std::vector<TransferIndex> free_transfers_;
  std::uint64_t arrived_ = 0;
  std::vector<LaunchOrder::Operand> operands_;  // of launch()
  std::vector<Candidate> candidates_;           // of choose()
};

}  // namespace penstock::coherence
