// The memories of a rank with GPUs, against simulated GPUs: queues that run in any order which their tokens allow, and
// memory that is only as good as that order.
#include "coherence/gpu_memories.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
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
  bool make_again(BlockIndex block) override {
    if (made.contains(block.value())) remade.push_back(block);
    return made.contains(block.value());
  }

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
    bool any = !on_host.empty() || !remade.empty();
    for (Gpu& gpu : gpus) {
      for (auto& [queue, items] : gpu.queues) {
        if (items.empty()) continue;
        any = true;
        if (may_run(gpu, items.front())) ready.emplace_back(&gpu, queue);
      }
    }
    if (!any) return false;
    const std::size_t count = ready.size() + on_host.size() + remade.size();
    EXPECT_GT(count, 0U) << "orders wait for each other";
    if (count == 0) return false;
    const std::size_t pick = random() % count;
    if (pick >= ready.size() + on_host.size()) {
      finish_making_again();
      return true;
    }
    if (pick >= ready.size()) {
      const SlotIndex task = on_host.front();
      on_host.pop_front();
      run_on_host(task);
      return true;
    }
    run(*ready[pick].first, ready[pick].second);
    return true;
  }

  Content& host_of(BlockIndex block) { return host[block.value()]; }

  /// From now on all that is under way there fails.
  void break_gpu(int gpu) {
    gpus[static_cast<std::size_t>(gpu)].broken = true;
    EXPECT_TRUE(memories.lose_gpu(gpu));
  }
  [[nodiscard]] bool is_quiet(int gpu) const {
    const auto touches = [&](const Item& item) {
      return item.gpu == gpu ? item.task.has_value() : item.transfer && item.transfer->from == gpu;
    };
    return std::ranges::none_of(gpus, [&](const Gpu& one) {
      return std::ranges::any_of(one.queues,
                                 [&](const auto& queue) { return std::ranges::any_of(queue.second, touches); });
    });
  }

  std::mt19937_64 random;
  std::vector<Gpu> gpus;
  std::map<std::uint32_t, Content> host;
  std::map<std::uint32_t, Content> made;  // by block: what a task left there, to be made again
  std::deque<BlockIndex> remade;
  bool fails_to_make = false;
  std::map<std::uint32_t, std::vector<BlockUse>> uses;  // by task
  std::map<std::uint32_t, Content> seeds;               // by task
  std::vector<SlotIndex> launched;
  std::deque<SlotIndex> on_host;
  std::vector<SlotIndex> ended;
  std::vector<SlotIndex> spoiled;
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
      const bool well = !gpu.broken && (order.from < 0 || !gpus[static_cast<std::size_t>(order.from)].broken);
      if (well) at(order.to, order.to_offset) = at(order.from, order.from_offset);
      return memories.transferred(order.transfer, well);
    }
    Content mix = seeds[item.task->value()];
    for (const auto& operand : item.operands) {
      if (operand.copied_bytes > 0) gpu.memory[operand.offset] = gpu.memory[operand.copied_from];
    }
    for (std::size_t i = 0; i < item.operands.size(); ++i) {
      if (item.uses[i].in != no_block) mix = mixed(mix, gpu.memory[item.operands[i].offset]);
    }
    for (std::size_t i = 0; i < item.operands.size(); ++i) {
      if (item.uses[i].out == no_block) continue;
      made[item.uses[i].out.value()] = gpu.memory[item.operands[i].offset] = mixed(mix, i);
    }
    ended.push_back(*item.task);
    if (!memories.ended(*item.task)) spoiled.push_back(*item.task);
  }

  void finish_making_again() {
    const BlockIndex block = remade.front();
    remade.pop_front();
    if (!fails_to_make) host_of(block) = made.at(block.value());
    if (fails_to_make) made.erase(block.value());
    memories.made_again(block, !fails_to_make);
  }

  void run_on_host(SlotIndex task) {
    Content mix = seeds[task.value()];
    const std::vector<BlockUse>& own = uses[task.value()];
    for (const BlockUse& use : own) {
      if (use.in != no_block) mix = mixed(mix, host_of(use.in));
    }
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (own[i].out != no_block) made[own[i].out.value()] = host_of(own[i].out) = mixed(mix, i);
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
      simulation_.made[datum.block.value()] = datum.expected;
    }
  }

  void run(int tasks) {
    for (int i = 0; i < tasks; ++i) {
      while (random_() % 3 > 0 && advance()) {
      }
      if (i > breaks_after_) break_one();
      submit(i);
    }
    while (advance()) {
    }
    ASSERT_TRUE(pending_.empty());
    ASSERT_TRUE(simulation_.refused.empty());
    ASSERT_TRUE(simulation_.spoiled.empty());
    for (Datum& datum : data_) {
      ASSERT_TRUE(simulation_.memories.bring_to_host(datum.block));
      while (simulation_.step()) {
      }
      ASSERT_TRUE(simulation_.memories.is_on_host(datum.block));
      ASSERT_EQ(simulation_.host_of(datum.block), datum.expected);
    }
  }
  /// One GPU breaks, some time after so many tasks, while nothing runs there.
  void break_after(int tasks) { breaks_after_ = tasks; }
  [[nodiscard]] int broken() const { return broken_; }

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

  void break_one() {
    const int gpu = static_cast<int>(random_() % static_cast<unsigned>(gpus_));
    if (broken_ >= 0 || !simulation_.is_quiet(gpu)) return;
    broken_ = gpu;
    simulation_.break_gpu(gpu);
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
    any = simulation_.step() || any;
    return run_elsewhere() || any;
  }

  /// On cores, what a GPU that broke was to run.
  bool run_elsewhere() {
    const auto refused = std::exchange(simulation_.refused, {});
    for (const auto& [task, why] : refused) {
      EXPECT_EQ(why, Refusal::gone);
      gpu_of_[task.value()] = -1;
      simulation_.memories.run_on_host(task, simulation_.uses[task.value()]);
    }
    return !refused.empty();
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
  int breaks_after_ = std::numeric_limits<int>::max();
  int broken_ = -1;
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

TEST(GpuMemories, KeepRandomProgramsRightWhenAGpuBreaks) {
  int broken = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomProgram program(seed, 1 + static_cast<int>(seed % 3), 12, 18 + seed / 4 % 16);
    program.break_after(static_cast<int>(seed % 100));

    program.run(150);

    if (testing::Test::HasFailure()) return;
    if (program.broken() >= 0) ++broken;
  }
  EXPECT_GT(broken, 300);
}

/// One GPU, and a task on it that has made a block from another one.
struct Lost : testing::Test {
  Lost() : from(simulation.memories.add(unit)), made(simulation.memories.add(unit)) {
    simulation.memories.made_on_host(from);
    simulation.uses[0] = {{.in = from, .out = made}};
    simulation.memories.run_on_gpu(0, SlotIndex(0), simulation.uses[0]);
    EXPECT_TRUE(simulation.memories.launch_next(0));
  }
  void finish() {
    while (simulation.step()) {
    }
  }

  Simulation simulation{1, {8 * unit}};
  BlockIndex from;
  BlockIndex made;
};

TEST_F(Lost, ATaskIsSpoiledByATransferThatFails) {
  simulation.gpus[0].broken = true;

  finish();

  EXPECT_EQ(simulation.spoiled, std::vector{SlotIndex(0)});
}

TEST_F(Lost, ATaskIsRefusedWhenWhatItReadsCannotBeMadeAgain) {
  finish();
  simulation.made.clear();
  simulation.break_gpu(0);

  simulation.uses[1] = {{.in = made}};
  simulation.memories.run_on_host(SlotIndex(1), simulation.uses[1]);

  EXPECT_EQ(simulation.refused, (std::vector{std::pair(SlotIndex(1), Refusal::lost)}));
  EXPECT_FALSE(simulation.memories.bring_to_host(made));
}

TEST_F(Lost, ATaskIsRefusedWhenMakingAgainFails) {
  finish();
  simulation.fails_to_make = true;
  simulation.break_gpu(0);
  simulation.uses[1] = {{.in = made}};
  simulation.memories.run_on_host(SlotIndex(1), simulation.uses[1]);
  EXPECT_TRUE(simulation.refused.empty());

  finish();

  EXPECT_EQ(simulation.refused, (std::vector{std::pair(SlotIndex(1), Refusal::lost)}));
}

TEST_F(Lost, ACopyThatNeverComesIsMadeAgain) {
  finish();
  simulation.gpus[0].broken = true;  // which nobody says
  simulation.uses[1] = {{.in = made}};
  simulation.memories.run_on_host(SlotIndex(1), simulation.uses[1]);

  finish();

  EXPECT_TRUE(simulation.refused.empty());
  EXPECT_EQ(simulation.ended.back(), SlotIndex(1));
  EXPECT_EQ(simulation.host_of(made), simulation.made.at(made.value()));
}

}  // namespace
}  // namespace penstock::coherence
