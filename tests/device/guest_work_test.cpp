// Tasks whose kernels use OpenMP, on several cores of the device.
#include <gmock/gmock.h>
#include <omp.h>

#include <array>
#include <atomic>
#include <latch>
#include <memory>
#include <set>
#include <stdexcept>
#include <vector>

#include "device/cpu/affinity.hpp"
#include "device/cpu/cpu_device.hpp"
#include "device/recorder.hpp"
#include "device/work_batch.hpp"

namespace penstock::device {
namespace {

using testing::SizeIs;

KernelDescription openmp_kernel(std::function<void(const TaskContext&)> body) {
  KernelDescription kernel = kernel_of(std::move(body));
  kernel.uses_openmp = true;
  return kernel;
}

/// One task on so many cores.
class Task {
 public:
  Task(const KernelDescription& kernel, int cores) : work_(kernel, static_cast<std::size_t>(cores)) {
    for (int panel = 0; panel < cores; ++panel) {
      Work& piece = work_[static_cast<std::size_t>(panel)];
      piece.panel = panel;
      piece.panel_count = cores;
    }
  }
  [[nodiscard]] std::span<Work* const> pieces() const { return work_.all(); }

 private:
  WorkBatch work_;
};

TEST(GuestWork, CallsTheBodyOnceWithATeamOfItsCores) {
  Recorder recorder;
  std::vector<int> seen;
  const KernelDescription kernel = openmp_kernel([&](const TaskContext& context) {
    seen = {context.panel, context.panel_count, omp_get_max_threads(), omp_in_parallel()};
    std::latch all(3);
#pragma omp parallel
    all.arrive_and_wait();  // would hang in a smaller team
  });
  const Task task(kernel, 3);
  CpuDevice device({.cores = {0, 1, 2, 3}, .pin = false}, recorder);

  device.start(task.pieces());

  ASSERT_TRUE(recorder.wait_for(device, 3));
  EXPECT_EQ(seen, (std::vector{0, 1, 3, 0}));
  std::set<int> lanes;
  std::set<const Work*> pieces;
  for (const Completion& completion : recorder.completions()) {
    EXPECT_FALSE(completion.failed);
    EXPECT_LT(completion.begin_ns, completion.end_ns);
    lanes.insert(completion.lane);
    pieces.insert(completion.work);
  }
  EXPECT_THAT(lanes, SizeIs(3));
  EXPECT_THAT(pieces, SizeIs(3));
}

TEST(GuestWork, IsNoneOnOneCore) {
  Recorder recorder;
  int threads = 0;
  bool on_worker = false;
  CpuDevice* own = nullptr;
  const KernelDescription kernel = openmp_kernel([&](const TaskContext& /*context*/) {
    threads = omp_get_max_threads();
    on_worker = own->workers().current() != nullptr;
  });
  const Task task(kernel, 1);
  CpuDevice device({.cores = {0, 1}, .pin = false}, recorder);
  own = &device;

  device.start(task.pieces());

  ASSERT_TRUE(recorder.wait_for(device, 1));
  EXPECT_EQ(threads, 1);
  EXPECT_TRUE(on_worker);
}

TEST(GuestWork, HasAsManyCoresAsThereAreWorkersAtMost) {
  for (const int workers : {1, 2}) {
    Recorder recorder;
    std::vector<int> threads;
    const KernelDescription kernel =
        openmp_kernel([&](const TaskContext& /*context*/) { threads.push_back(omp_get_max_threads()); });
    const Task task(kernel, 5);
    CpuDevice device({.cores = core::CoreSet(static_cast<std::size_t>(workers), 0), .pin = false}, recorder);

    device.start(task.pieces());

    ASSERT_TRUE(recorder.wait_for(device, 5));
    EXPECT_EQ(threads, std::vector{workers});
  }
}

TEST(GuestWork, TellsWhatItsBodyThrows) {
  Recorder recorder;
  const KernelDescription kernel =
      openmp_kernel([](const TaskContext& /*context*/) { throw std::runtime_error("no convergence"); });
  const Task first(kernel, 2);
  const Task second(kernel, 2);
  CpuDevice device({.cores = {0, 1}, .pin = false}, recorder);

  device.start(first.pieces());
  device.start(second.pieces());

  ASSERT_TRUE(recorder.wait_for(device, 4));
  for (const Completion& completion : recorder.completions()) {
    EXPECT_TRUE(completion.failed);
    EXPECT_EQ(completion.message, "no convergence");
  }
}

TEST(GuestWork, RunsNothingWhenItsOwnerRefuses) {
  Recorder recorder;
  recorder.on_prepare = [](Work& /*work*/) { return false; };
  std::atomic<bool> ran{false};
  const KernelDescription kernel = openmp_kernel([&](const TaskContext& /*context*/) { ran = true; });
  const Task task(kernel, 2);
  CpuDevice device({.cores = {0, 1}, .pin = false}, recorder);

  device.start(task.pieces());

  EXPECT_TRUE(recorder.wait_for(device, 2));
  EXPECT_FALSE(ran);
}

TEST(GuestWork, MayUseAllCoresOfTheDevice) {
  Recorder recorder;
  const core::CoreSet allowed = read_affinity();
  const core::CoreSet two{allowed.front(), allowed.back()};
  core::CoreSet seen;
  const KernelDescription kernel = openmp_kernel([&](const TaskContext& /*context*/) { seen = read_affinity(); });
  const Task task(kernel, 2);
  CpuDevice device({.cores = two, .pin = true}, recorder);

  device.start(task.pieces());

  ASSERT_TRUE(recorder.wait_for(device, 2));
  EXPECT_EQ(std::set(seen.begin(), seen.end()), std::set(two.begin(), two.end()));
}

/// Four workers, on whatever cores there are: teams of two and four threads among thousands of single tasks.
TEST(GuestWork, NeverHasMoreThreadsAtWorkThanThereAreWorkers) {
  constexpr std::size_t singles = 2000;
  constexpr std::size_t per_team = 50;
  constexpr int workers = 4;
  Recorder recorder;
  std::atomic<int> busy{0};
  std::atomic<int> most{0};
  const auto work = [&] {
    const int now = ++busy;
    for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
    }
    --busy;
  };
  std::atomic<int> wrong_teams{0};
  const auto team_of = [&](int cores) {
    return openmp_kernel([&, cores](const TaskContext& /*context*/) {
      std::atomic<int> threads{0};
#pragma omp parallel
      {
        ++threads;
        work();
      }
      if (threads != cores || omp_get_max_threads() != cores) ++wrong_teams;
    });
  };
  const KernelDescription single = kernel_of([&](const TaskContext& /*context*/) { work(); });
  const KernelDescription pair = team_of(2);
  const KernelDescription all = team_of(4);
  WorkBatch batch(single, singles);
  std::vector<std::unique_ptr<Task>> teams;
  for (std::size_t i = 0; i < singles / per_team; ++i) {
    teams.push_back(std::make_unique<Task>(i % 2 == 0 ? pair : all, i % 2 == 0 ? 2 : 4));
  }
  CpuDevice device({.cores = core::CoreSet(workers, 0), .pin = false}, recorder);

  std::size_t pieces = singles;
  for (std::size_t i = 0; i < teams.size(); ++i) {
    device.start(batch.part(i * per_team, per_team));
    device.start(teams[i]->pieces());
    pieces += teams[i]->pieces().size();
  }

  ASSERT_TRUE(recorder.wait_for(device, pieces));
  EXPECT_EQ(wrong_teams, 0);
  EXPECT_LE(most, workers);
  EXPECT_THAT(recorder.completions(), SizeIs(pieces));
}

TEST(CpuDevice, GivesItsSubstitutesTheCoreOfTheirLaneAndATeamOfOne) {
  Recorder recorder;
  const int core = read_affinity().front();
  std::latch other(1);
  CpuDevice* own = nullptr;
  core::CoreSet seen;
  int threads = 0;
  const KernelDescription waits = kernel_of([&](const TaskContext& /*context*/) {
    const executor::Workers::Away away(own->workers());
    other.wait();
  });
  const KernelDescription ends = kernel_of([&](const TaskContext& /*context*/) {
    seen = read_affinity();
    threads = omp_get_max_threads();
    other.count_down();
  });
  WorkBatch first(waits, 1);
  WorkBatch second(ends, 1);
  CpuDevice device({.cores = {core}, .pin = true}, recorder);
  own = &device;

  device.start(first.all());
  device.start(second.all());

  ASSERT_TRUE(recorder.wait_for(device, 2));
  EXPECT_EQ(seen, core::CoreSet{core});
  EXPECT_EQ(threads, 1);
}

}  // namespace
}  // namespace penstock::device
