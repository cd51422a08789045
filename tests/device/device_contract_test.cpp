/// What every device promises, whatever it is made of.
#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <new>
#include <stdexcept>
#include <thread>

#include "core/parameters.hpp"
#include "device/cpu/cpu_device.hpp"
#include "device/fake_queue_device.hpp"
#include "device/recorder.hpp"
#include "device/work_batch.hpp"

namespace penstock::device {
namespace {

using testing::AllOf;
using testing::Each;
using testing::Field;
using testing::HasSubstr;
using testing::SizeIs;

struct DeviceCase {
  std::string name;
  std::function<std::unique_ptr<Device>(Completions&)> make;
};

DeviceCase cpu_case(int lanes) {
  return {"Cpu" + std::to_string(lanes), [lanes](Completions& completions) -> std::unique_ptr<Device> {
            core::CoreSet cores;
            for (int core = 0; core < lanes; ++core) cores.push_back(core);
            return std::make_unique<CpuDevice>(CpuDevice::Options{.cores = cores, .pin = false}, completions);
          }};
}

DeviceCase queue_case() {
  return {"FakeQueue", [](Completions& completions) -> std::unique_ptr<Device> {
            return std::make_unique<FakeQueueDevice>(completions);
          }};
}

class DeviceContract : public testing::TestWithParam<DeviceCase> {
 protected:
  Recorder recorder_;
  std::unique_ptr<Device> make() { return GetParam().make(recorder_); }
};

INSTANTIATE_TEST_SUITE_P(AllDevices, DeviceContract,
                         testing::Values(cpu_case(1), cpu_case(2), cpu_case(4), queue_case()),
                         [](const auto& instance) { return instance.param.name; });

TEST_P(DeviceContract, CompletesEachPieceExactlyOnce) {
  constexpr std::size_t count = 5000;
  std::vector<std::atomic<int>> runs(count);
  const KernelDescription kernel =
      kernel_of([&](const TaskContext& context) { ++runs[static_cast<std::size_t>(context.panel)]; });
  WorkBatch work(kernel, count);
  for (std::size_t i = 0; i < count; ++i) work[i].panel = static_cast<int>(i);
  auto device = make();

  for (std::size_t first = 0; first < count; first += 50) device->start(work.part(first, 50));
  ASSERT_TRUE(recorder_.wait_for(*device, count));
  device.reset();

  std::vector<int> completions(count);
  for (const Completion& completion : recorder_.completions()) ++completions[work.index_of(completion.work)];
  EXPECT_THAT(completions, Each(1));
  EXPECT_TRUE(std::ranges::all_of(runs, [](const std::atomic<int>& n) { return n == 1; }));
}

TEST_P(DeviceContract, NeverCallsCompletedFromInsideStart) {
  thread_local bool in_start = false;
  std::atomic<int> from_inside{0};
  const KernelDescription kernel = kernel_of([](const TaskContext&) {});
  WorkBatch work(kernel, 400);
  auto device = make();
  const auto start = [&](std::size_t index) {
    in_start = true;
    device->start(work.one(index));
    in_start = false;
  };
  recorder_.on_completed = [&](const Completion& completion) {
    if (in_start) ++from_inside;
    if (const std::size_t next = work.index_of(completion.work) + 200; next < 400) start(next);
  };

  for (std::size_t i = 0; i < 200; ++i) start(i);
  ASSERT_TRUE(recorder_.wait_for(*device, 400));

  EXPECT_EQ(from_inside, 0);
}

TEST_P(DeviceContract, TakesAChainFromInsideCompleted) {
  constexpr std::size_t count = 10'000;
  const KernelDescription kernel = kernel_of([](const TaskContext&) {});
  WorkBatch work(kernel, count);
  auto device = make();
  recorder_.on_completed = [&](const Completion& completion) {
    if (const std::size_t next = work.index_of(completion.work) + 1; next < count) device->start(work.one(next));
  };

  device->start(work.one(0));

  ASSERT_TRUE(recorder_.wait_for(*device, count));
  const auto completions = recorder_.completions();
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(work.index_of(completions[i].work), i);
}

TEST_P(DeviceContract, TakesABatchFromInsideCompleted) {
  const KernelDescription kernel = kernel_of([](const TaskContext&) {});
  WorkBatch work(kernel, 1001);
  auto device = make();
  recorder_.on_completed = [&](const Completion& completion) {
    if (work.index_of(completion.work) == 0) device->start(work.part(1, 1000));
  };

  device->start(work.one(0));

  EXPECT_TRUE(recorder_.wait_for(*device, 1001));
}

TEST_P(DeviceContract, TakesABatchOfNothing) {
  auto device = make();

  device->start({});

  EXPECT_FALSE(device->busy_polling());
}

TEST_P(DeviceContract, TurnsWhateverABodyThrowsIntoAFailure) {
  const KernelDescription kernel = kernel_of([](const TaskContext& context) {
    switch (context.panel) {
      case 0:
        throw std::runtime_error("no such luck");
      case 1:
        throw 42;
      case 2:
        throw std::bad_alloc();
      case 3:
        throw std::runtime_error("");
      case 4:
        throw "a pointer";
      default:
        return;
    }
  });
  WorkBatch work(kernel, 6);
  for (std::size_t i = 0; i < 6; ++i) work[i].panel = static_cast<int>(i);
  auto device = make();

  device->start(work.all());
  ASSERT_TRUE(recorder_.wait_for(*device, 6));

  std::map<std::size_t, Completion> by_index;
  for (const Completion& completion : recorder_.completions()) by_index[work.index_of(completion.work)] = completion;
  for (std::size_t i = 0; i < 5; ++i) EXPECT_TRUE(by_index[i].failed) << i;
  EXPECT_EQ(by_index[0].message, "no such luck");
  EXPECT_EQ(by_index[1].message, "unknown exception");
  EXPECT_EQ(by_index[2].message, "std::bad_alloc");
  EXPECT_EQ(by_index[3].message, "exception without a message");
  EXPECT_EQ(by_index[4].message, "a pointer");
  EXPECT_FALSE(by_index[5].failed);
  EXPECT_EQ(by_index[5].message, "");
}

TEST_P(DeviceContract, CompletesWithoutRunningWhatCannotBePrepared) {
  std::atomic<int> runs{0};
  const KernelDescription kernel = kernel_of([&](const TaskContext&) { ++runs; });
  WorkBatch work(kernel, 10);
  recorder_.on_prepare = [&](Work& piece) { return work.index_of(&piece) % 2 == 0; };
  auto device = make();

  device->start(work.all());

  ASSERT_TRUE(recorder_.wait_for(*device, 10));
  EXPECT_EQ(runs, 5);
  EXPECT_THAT(recorder_.completions(), Each(Field(&Completion::failed, false)));
}

TEST_P(DeviceContract, ShowsTheBodyWhatPrepareMadeReady) {
  std::vector<std::byte> memory(8);
  std::array<ArrayView, 1> views;
  std::atomic<bool> seen{false};
  const KernelDescription kernel =
      kernel_of([&](const TaskContext& context) { seen = context.arrays[0].data == memory.data(); });
  WorkBatch work(kernel, 1);
  recorder_.on_prepare = [&](Work& piece) {
    views[0] = {.data = memory.data(), .type = {.dtype = DType::f64, .shape = {1}}};
    piece.arrays = views;
    return true;
  };
  auto device = make();

  device->start(work.all());

  ASSERT_TRUE(recorder_.wait_for(*device, 1));
  EXPECT_TRUE(seen);
}

TEST_P(DeviceContract, GivesTheBodyItsParameters) {
  std::vector<Parameter> seen;
  const KernelDescription kernel =
      kernel_of([&](const TaskContext& context) { seen.assign(context.parameters.begin(), context.parameters.end()); });
  const std::vector<Parameter> given{true, std::int64_t{-3}, 2.5, std::string("text")};
  std::vector<std::byte> bytes;
  core::encode_parameters(given, bytes);
  WorkBatch work(kernel, 1);
  work[0].parameters = bytes;
  auto device = make();

  device->start(work.all());

  ASSERT_TRUE(recorder_.wait_for(*device, 1));
  EXPECT_EQ(seen, given);
}

TEST_P(DeviceContract, FailsWorkWithDamagedParameters) {
  const KernelDescription kernel = kernel_of([](const TaskContext&) {});
  const std::array<std::byte, 3> damaged{std::byte{3}, std::byte{9}, std::byte{0}};
  WorkBatch work(kernel, 1);
  work[0].parameters = damaged;
  auto device = make();

  device->start(work.all());

  ASSERT_TRUE(recorder_.wait_for(*device, 1));
  EXPECT_THAT(recorder_.completions(),
              Each(AllOf(Field(&Completion::failed, true), Field(&Completion::message, HasSubstr("damaged")))));
}

TEST_P(DeviceContract, RunsEveryPanelOnce) {
  std::array<std::atomic<int>, 7> parts{};
  std::atomic<bool> counts_right{true};
  const KernelDescription kernel = kernel_of([&](const TaskContext& context) {
    ++parts[static_cast<std::size_t>(context.panel)];
    if (context.panel_count != 7) counts_right = false;
  });
  WorkBatch work(kernel, 7);
  for (std::size_t i = 0; i < 7; ++i) {
    work[i].panel = static_cast<int>(i);
    work[i].panel_count = 7;
  }
  auto device = make();

  device->start(work.all());

  ASSERT_TRUE(recorder_.wait_for(*device, 7));
  EXPECT_TRUE(std::ranges::all_of(parts, [](const std::atomic<int>& n) { return n == 1; }));
  EXPECT_TRUE(counts_right);
}

TEST_P(DeviceContract, FinishesWhatWasStartedBeforeItEnds) {
  const KernelDescription kernel = kernel_of([](const TaskContext&) {});
  WorkBatch work(kernel, 2000);
  auto device = make();
  recorder_.on_completed = [&, started = device.get()](const Completion& completion) {
    if (const std::size_t next = work.index_of(completion.work) + 1000; next < 2000) started->start(work.one(next));
  };

  device->start(work.part(0, 1000));
  device.reset();

  EXPECT_THAT(recorder_.completions(), SizeIs(2000));
}

TEST_P(DeviceContract, TakesWorkFromManyThreads) {
  constexpr std::size_t threads = 4;
  constexpr std::size_t each = 1000;
  std::atomic<std::size_t> runs{0};
  const KernelDescription kernel = kernel_of([&](const TaskContext&) { ++runs; });
  WorkBatch work(kernel, threads * each);
  auto device = make();

  {
    std::vector<std::jthread> starters;
    for (std::size_t thread = 0; thread < threads; ++thread) {
      starters.emplace_back([&, thread] {
        for (std::size_t i = 0; i < each; ++i) device->start(work.one(thread * each + i));
      });
    }
  }

  ASSERT_TRUE(recorder_.wait_for(*device, threads * each));
  EXPECT_EQ(runs, threads * each);
}

TEST_P(DeviceContract, ReportsLanesAndTimesThatMakeSense) {
  const KernelDescription kernel = kernel_of([](const TaskContext&) {});
  WorkBatch work(kernel, 500);
  auto device = make();

  device->start(work.all());

  ASSERT_TRUE(recorder_.wait_for(*device, 500));
  for (const Completion& completion : recorder_.completions()) {
    EXPECT_GT(completion.begin_ns, 0);
    EXPECT_LE(completion.begin_ns, completion.end_ns);
    EXPECT_GE(completion.lane, 0);
    EXPECT_LE(completion.lane, device->lanes());
  }
}

}  // namespace
}  // namespace penstock::device
