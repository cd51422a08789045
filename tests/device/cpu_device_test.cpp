#include "device/cpu/cpu_device.hpp"

#include <gmock/gmock.h>

#include <array>
#include <atomic>
#include <latch>
#include <set>

#include <penstock/error.hpp>

#include "device/cpu/affinity.hpp"
#include "device/recorder.hpp"
#include "device/work_batch.hpp"

namespace penstock::device {
namespace {

using testing::SizeIs;

const KernelDescription empty_kernel = kernel_of([](const TaskContext&) {});

TEST(CpuDevice, RefusesToBeMadeOfNoCores) {
  Recorder recorder;

  EXPECT_THROW(CpuDevice({.cores = {}, .pin = false}, recorder), Error);
}

TEST(CpuDevice, HasALaneForEachCoreAndGivesNoToken) {
  Recorder recorder;
  WorkBatch work(empty_kernel, 1);
  CpuDevice device({.cores = {0, 1, 2}, .pin = false}, recorder);

  const Token token = device.start(work.all());

  EXPECT_EQ(device.lanes(), 3);
  EXPECT_EQ(token.queue, 0U);
  EXPECT_FALSE(device.busy_polling());
}

TEST(CpuDevice, RunsOnlyKernelsWithABodyForCores) {
  Recorder recorder;
  CpuDevice device({.cores = {0}, .pin = false}, recorder);

  EXPECT_TRUE(device.can_run(empty_kernel));
  EXPECT_FALSE(device.can_run(KernelDescription{}));
}

TEST(CpuDevice, RunsAsManyBodiesAtOnceAsItHasLanes) {
  Recorder recorder;
  std::latch all_running(3);
  const KernelDescription kernel = kernel_of([&](const TaskContext&) { all_running.arrive_and_wait(); });
  WorkBatch work(kernel, 3);
  CpuDevice device({.cores = {0, 1, 2}, .pin = false}, recorder);

  device.start(work.all());

  ASSERT_TRUE(recorder.wait_for(device, 3));  // a single body cannot pass the latch alone
  std::set<int> lanes;
  for (const Completion& completion : recorder.completions()) lanes.insert(completion.lane);
  EXPECT_THAT(lanes, SizeIs(3));
}

TEST(CpuDevice, LeavesNothingStuckBehindALongTask) {
  Recorder recorder;
  std::atomic<int> ended{0};
  std::latch others_ended(1);
  const KernelDescription kernel = kernel_of([&](const TaskContext& context) {
    if (context.panel == 1)
      others_ended.wait();
    else if (++ended == 199)
      others_ended.count_down();
  });
  WorkBatch work(kernel, 200);
  work[0].panel = 1;
  CpuDevice device({.cores = {0, 1}, .pin = false}, recorder);

  device.start(work.all());

  EXPECT_TRUE(recorder.wait_for(device, 200));
}

TEST(CpuDevice, PinsEachWorkerToItsCore) {
  Recorder recorder;
  const int core = read_affinity().front();
  core::CoreSet seen;
  const KernelDescription kernel = kernel_of([&](const TaskContext&) { seen = read_affinity(); });
  WorkBatch work(kernel, 1);
  CpuDevice device({.cores = {core}, .pin = true}, recorder);

  device.start(work.all());

  ASSERT_TRUE(recorder.wait_for(device, 1));
  EXPECT_EQ(seen, core::CoreSet{core});
}

TEST(CpuDevice, WorksWithoutPinningWhereACoreIsNotAllowed) {
  Recorder recorder;
  WorkBatch work(empty_kernel, 1);
  CpuDevice device({.cores = {100'000}, .pin = true}, recorder);

  device.start(work.all());

  EXPECT_TRUE(recorder.wait_for(device, 1));
}

TEST(CpuDevice, RunsAChainOnOneLaneInTurnWithOtherWork) {
  constexpr std::size_t chain = 1000;
  Recorder recorder;
  WorkBatch work(empty_kernel, chain + 1);
  CpuDevice device({.cores = {0}, .pin = false}, recorder);
  std::array<Work*, 2> first_two{&work[0], &work[chain]};
  recorder.on_completed = [&](const Completion& completion) {
    const std::size_t index = work.index_of(completion.work);
    if (index + 1 < chain) device.start(work.one(index + 1));
  };

  device.start(first_two);

  ASSERT_TRUE(recorder.wait_for(device, chain + 1));
  const auto completions = recorder.completions();
  const auto other = std::ranges::find(completions, &work[chain], &Completion::work) - completions.begin();
  EXPECT_GT(other, 1);
  EXPECT_LE(other, executor::Workers::chain_most + 1);
}

TEST(CpuDevice, CallsIdleAfterItsLastCompletionAndBeforeItSleeps) {
  Recorder recorder;
  std::atomic<int> completed{0};
  std::atomic<int> handed_on{0};
  recorder.on_completed = [&](const Completion&) { ++completed; };
  recorder.on_idle = [&](int lane) {
    EXPECT_EQ(lane, 0);
    handed_on = completed.load();
    handed_on.notify_all();
  };
  WorkBatch work(empty_kernel, 10);
  CpuDevice device({.cores = {0}, .pin = false}, recorder);

  device.start(work.all());

  for (int seen = handed_on; seen != 10; seen = handed_on)
    handed_on.wait(seen);  // the time limit of the test bounds it
  EXPECT_EQ(completed, 10);
}

TEST(CpuDevice, RunsWorkThatIsStartedFromInsideIdle) {
  Recorder recorder;
  WorkBatch work(empty_kernel, 1);
  CpuDevice* started = nullptr;
  std::latch made(1);
  std::atomic<bool> done{false};
  recorder.on_idle = [&](int) {
    made.wait();
    if (!done.exchange(true)) started->start(work.all());
  };
  CpuDevice device({.cores = {0}, .pin = false}, recorder);
  started = &device;
  made.count_down();

  EXPECT_TRUE(recorder.wait_for(device, 1));
}

TEST(CpuDevice, WakesUpTenThousandTimes) {
  Recorder recorder;
  std::atomic<int> idle_calls{0};
  std::atomic<std::size_t> completed{0};
  recorder.on_idle = [&](int) { ++idle_calls; };
  recorder.on_completed = [&](const Completion&) {
    ++completed;
    completed.notify_all();
  };
  WorkBatch work(empty_kernel, 10'000);
  CpuDevice device({.cores = {0, 1, 2, 3}, .pin = false},
                   recorder);  // four lanes on fewer cores sleep without spinning

  for (std::size_t i = 0; i < 10'000; ++i) {
    device.start(work.one(i));
    completed.wait(i);  // lost wake-ups show as a test that does not end
  }

  EXPECT_EQ(completed, 10'000U);
  EXPECT_GT(idle_calls, 0);
}

TEST(CpuDevice, StopsTwiceWithoutHarm) {
  Recorder recorder;
  WorkBatch work(empty_kernel, 100);
  CpuDevice device({.cores = {0, 1}, .pin = false}, recorder);
  device.start(work.all());

  device.stop();
  device.stop();

  EXPECT_THAT(recorder.completions(), SizeIs(100));
}

TEST(CpuDevice, KeepsTwoDevicesOfOneProcessApart) {
  Recorder first_recorder;
  Recorder second_recorder;
  WorkBatch work(empty_kernel, 1000);
  WorkBatch echo(empty_kernel, 1000);
  CpuDevice second({.cores = {0}, .pin = false}, second_recorder);
  CpuDevice first({.cores = {0}, .pin = false}, first_recorder);
  first_recorder.on_completed = [&](const Completion& completion) {
    second.start(echo.one(work.index_of(completion.work)));  // from a worker, but of another device
  };

  first.start(work.all());

  EXPECT_TRUE(second_recorder.wait_for(second, 1000));
  EXPECT_TRUE(first_recorder.wait_for(first, 1000));
}

}  // namespace
}  // namespace penstock::device
