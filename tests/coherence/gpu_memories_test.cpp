// The memories of a rank with GPUs, against simulated GPUs: queues that run in any order which their tokens allow, and
// memory that is only as good as that order.
#include "coherence/gpu_memories.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <variant>
#include <vector>

namespace penstock::coherence {
namespace {

constexpr std::uint32_t kernel_queues = 2;
constexpr std::uint32_t queue_in = 3;
constexpr std::uint32_t queue_out = 4;
constexpr std::size_t unit = 512;

using Content = std::uint64_t;  // what a task makes, from what it reads

Content mixed(Content seed, Content value) { return (seed ^ value) * 0x9e3779b97f4a7c15U + 1; }

/// GPUs, and the host memory of blocks. Orders are noted; step() runs one that may run.
class Simulation final : public GpuOrders {
 public:
  struct Item {
    std::optional<TransferOrder> transfer;
    std::optional<SlotIndex> task;
    std::vector<LaunchOrder::Operand> operands;
    std::vector<BlockUse> uses;
    Frontier after;
    int gpu = 0;
    std::uint32_t queue = 0;
  };
  struct Gpu {
    std::map<std::size_t, Content> memory;
    std::map<std::uint32_t, std::deque<Item>> queues;
    std::map<std::uint32_t, std::uint64_t> given;
    std::map<std::uint32_t, std::uint64_t> done;
    bool broken = false;
  };

  explicit Simulation(std::uint64_t seed, std::vector<std::size_t> capacities) : random(seed), gpus(capacities.size()) {
    for (const std::size_t capacity : capacities) memories.add_gpu(capacity);
  }

  Point transfer(const TransferOrder& order) override {
    return add(order.gpu(), order.to != host_memory ? queue_in : queue_out,
               {.transfer = order, .task = {}, .operands = {}, .uses = {}, .after = order.after});
  }
  Point launch(const LaunchOrder& order) override {
    launched.push_back(order.task);
    return add(order.gpu, 1 + static_cast<std::uint32_t>(random() % kernel_queues),
               {.transfer = {},
                .task = order.task,
                .operands = {order.operands.begin(), order.operands.end()},
                .uses = uses[order.task.value()],
                .after = order.after});
  }
  void start_on_host(SlotIndex task) override { on_host.push_back(task); }
  void refuse(SlotIndex task, int /*gpu*/, Refusal why) override { refused.emplace_back(task, why); }
  void released(BlockIndex block) override { host.erase(block.value()); }

  Point add(int gpu, std::uint32_t queue, Item item) {
    Gpu& home = gpus[static_cast<std::size_t>(gpu)];
    item.gpu = gpu;
    item.queue = queue;
    home.queues[queue].push_back(std::move(item));
    return {queue, ++home.given[queue]};
  }

  /// False: nothing is under way.
  bool step() {
    std::vector<std::pair<Gpu*, std::uint32_t>> ready;
    bool any = !on_host.empty();
    for (Gpu& gpu : gpus) {
      for (auto& [queue, items] : gpu.queues) {
        if (items.empty()) continue;
        any = true;
        if (may_run(gpu, items.front())) ready.emplace_back(&gpu, queue);
      }
    }
    if (!any) return false;
    const std::size_t count = ready.size() + (on_host.empty() ? 0 : 1);
    EXPECT_GT(count, 0U) << "orders wait for each other";
    if (count == 0) return false;
    const std::size_t pick = random() % count;
    if (pick == ready.size()) {
      const SlotIndex task = on_host.front();
      on_host.pop_front();
      run_on_host(task);
      return true;
    }
    run(*ready[pick].first, ready[pick].second);
    return true;
  }

  Content& host_of(BlockIndex block) { return host[block.value()]; }

  std::mt19937_64 random;
  std::vector<Gpu> gpus;
  std::map<std::uint32_t, Content> host;
  std::map<std::uint32_t, std::vector<BlockUse>> uses;  // by task
  std::map<std::uint32_t, Content> seeds;               // by task
  std::vector<SlotIndex> launched;
  std::deque<SlotIndex> on_host;
  std::vector<SlotIndex> ended;
  std::vector<std::pair<SlotIndex, Refusal>> refused;
  GpuMemories memories{*this};

 private:
  static bool may_run(Gpu& gpu, const Item& item) {
    for (std::uint32_t queue = 1; queue <= queue_out; ++queue) {
      if (item.after.of(queue).point > gpu.done[queue]) return false;
    }
    return true;
  }

  void run(Gpu& gpu, std::uint32_t queue) {
    const Item item = std::move(gpu.queues[queue].front());
    gpu.queues[queue].pop_front();
    ++gpu.done[queue];
    if (item.transfer) {
      const TransferOrder& order = *item.transfer;
      const auto at = [&](int where, std::size_t offset) -> Content& {
        return where == host_memory ? host_of(order.block) : gpus[static_cast<std::size_t>(where)].memory[offset];
      };
      if (!gpu.broken) at(order.to, order.to_offset) = at(order.from, order.from_offset);
      return memories.transferred(order.transfer, !gpu.broken);
    }
    Content made = seeds[item.task->value()];
    for (const auto& operand : item.operands) {
      if (operand.copied_bytes > 0) gpu.memory[operand.offset] = gpu.memory[operand.copied_from];
    }
    for (std::size_t i = 0; i < item.operands.size(); ++i) {
      if (item.uses[i].in != no_block) made = mixed(made, gpu.memory[item.operands[i].offset]);
    }
    for (std::size_t i = 0; i < item.operands.size(); ++i) {
      if (item.uses[i].out != no_block) gpu.memory[item.operands[i].offset] = mixed(made, i);
    }
    ended.push_back(*item.task);
    memories.ended(*item.task);
  }

  void run_on_host(SlotIndex task) {
    Content made = seeds[task.value()];
    const std::vector<BlockUse>& own = uses[task.value()];
    for (const BlockUse& use : own) {
      if (use.in != no_block) made = mixed(made, host_of(use.in));
    }
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (own[i].out != no_block) host_of(own[i].out) = mixed(made, i);
    }
    ended.push_back(task);
  }
};

/// Tasks in program order over some data; each runs when those it depends on have ended or are launched on its GPU.
class RandomProgram {
 public:
  RandomProgram(std::uint64_t seed, int gpus, int data, std::size_t units_of_memory)
      : random_(seed),
        gpus_(gpus),
        simulation_(seed, std::vector<std::size_t>(static_cast<std::size_t>(gpus), units_of_memory * unit)),
        data_(static_cast<std::size_t>(data)) {
    for (Datum& datum : data_) {
      datum.bytes = unit * (1 + random_() % 3);
      datum.block = simulation_.memories.add(datum.bytes);
      simulation_.memories.made_on_host(datum.block);
      simulation_.host_of(datum.block) = datum.expected = random_();
    }
  }

  void run(int tasks) {
    for (int i = 0; i < tasks; ++i) {
      while (random_() % 3 > 0 && advance()) {
      }
      submit(i);
    }
    while (advance()) {
    }
    ASSERT_TRUE(pending_.empty());
    ASSERT_TRUE(simulation_.refused.empty());
    for (Datum& datum : data_) {
      simulation_.memories.bring_to_host(datum.block);
      while (simulation_.step()) {
      }
      ASSERT_TRUE(simulation_.memories.is_on_host(datum.block));
      ASSERT_EQ(simulation_.host_of(datum.block), datum.expected);
    }
  }
  [[nodiscard]] GpuMemories& memories() { return simulation_.memories; }

 private:
  struct Datum {
    BlockIndex block;
    std::size_t bytes = 0;
    Content expected = 0;
    std::optional<std::uint32_t> producer;
    std::vector<std::uint32_t> readers;
  };
  struct Pending {
    std::uint32_t task;
    int gpu;
    std::vector<std::uint32_t> must_be_launched = {};  // or have ended
    std::vector<std::uint32_t> must_have_ended = {};
  };

  void submit(int number) {
    const auto task = static_cast<std::uint32_t>(number);
    Pending pending{.task = task, .gpu = static_cast<int>(random_() % static_cast<unsigned>(gpus_ + 1)) - 1};
    simulation_.seeds[task] = random_();
    std::vector<std::size_t> chosen;
    const std::size_t operands = 1 + random_() % 3;
    while (chosen.size() < operands) {
      const std::size_t datum = random_() % data_.size();
      if (std::ranges::find(chosen, datum) == chosen.end()) chosen.push_back(datum);
    }
    Content made = simulation_.seeds[task];
    std::vector<BlockUse> uses;
    std::vector<BlockIndex> replaced;
    std::vector<bool> writes;
    for (const std::size_t index : chosen) {
      Datum& datum = data_[index];
      const auto kind = random_() % 4;  // read, write, consume, copy
      writes.push_back(kind != 0);
      BlockUse use;
      if (kind != 1) {
        use.in = datum.block;
        made = mixed(made, datum.expected);
        after(pending, datum.producer);
      }
      if (kind == 0) datum.readers.push_back(task);
      if (kind == 2) {
        for (const std::uint32_t reader : datum.readers) pending.must_have_ended.push_back(reader);
        use.out = datum.block;
      }
      if (kind == 1 || kind == 3) {
        dying_.push_back({datum.block, task, datum.producer, datum.readers});
        use.out = simulation_.memories.add(datum.bytes);
      }
      uses.push_back(use);
    }
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      if (!writes[i]) continue;
      Datum& datum = data_[chosen[i]];
      datum.block = uses[i].out;
      datum.expected = mixed(made, i);
      datum.producer = task;
      datum.readers.clear();
    }
    simulation_.uses[task] = uses;
    pending_.push_back(std::move(pending));
  }

  void after(Pending& pending, std::optional<std::uint32_t> producer) {
    if (producer) pending.must_be_launched.push_back(*producer);
  }
  [[nodiscard]] bool has_ended(std::uint32_t task) const {
    return std::ranges::find(simulation_.ended, SlotIndex(task)) != simulation_.ended.end();
  }
  [[nodiscard]] bool is_launched_on(std::uint32_t task, int gpu) const {
    return gpu >= 0 && gpu_of_.at(task) == gpu &&
           std::ranges::find(simulation_.launched, SlotIndex(task)) != simulation_.launched.end();
  }

  /// Gives a task that may run to the machine, lets old versions die, and has something happen.
  bool advance() {
    bool any = false;
    for (auto one = pending_.begin(); one != pending_.end();) {
      gpu_of_[one->task] = one->gpu;
      const bool ready = std::ranges::all_of(one->must_have_ended, [&](auto task) { return has_ended(task); }) &&
                         std::ranges::all_of(one->must_be_launched, [&](auto task) {
                           return has_ended(task) || is_launched_on(task, one->gpu);
                         });
      if (!ready) {
        ++one;
        continue;
      }
      const Pending now = *one;
      one = pending_.erase(one);
      any = true;
      const auto& uses = simulation_.uses[now.task];
      if (now.gpu < 0)
        simulation_.memories.run_on_host(SlotIndex(now.task), uses);
      else
        simulation_.memories.run_on_gpu(now.gpu, SlotIndex(now.task), uses);
    }
    std::erase_if(dying_, [&](const Dying& dying) {
      const bool over = has_ended(dying.successor) && (!dying.producer || has_ended(*dying.producer)) &&
                        std::ranges::all_of(dying.readers, [&](auto task) { return has_ended(task); });
      if (over) simulation_.memories.drop(dying.block);
      return over;
    });
    for (int gpu = 0; gpu < gpus_; ++gpu) any = simulation_.memories.launch_next(gpu) || any;
    return simulation_.step() || any;
  }

  struct Dying {
    BlockIndex block;
    std::uint32_t successor;
    std::optional<std::uint32_t> producer;
    std::vector<std::uint32_t> readers;
  };
  std::mt19937_64 random_;
  int gpus_;
  Simulation simulation_;
  std::vector<Datum> data_;
  std::vector<Pending> pending_;
  std::vector<Dying> dying_;
  std::map<std::uint32_t, int> gpu_of_;
};

TEST(GpuMemories, KeepRandomProgramsRightWhateverTheOrderOnTheQueues) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const int gpus = 1 + static_cast<int>(seed % 4);
    const std::size_t units = 18 + seed / 4 % 16;  // 18: what one task may need
    RandomProgram program(seed, gpus, 12, units);

    program.run(150);

    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace penstock::coherence
