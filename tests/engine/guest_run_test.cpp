// Tasks on several cores whose kernels use OpenMP: one body for a team of threads.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <latch>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "engine/program.hpp"

namespace penstock::engine {
namespace {

using core::Outcome;
using core::TaskId;

Extras team_of(std::uint16_t cores) { return {.cores = cores, .uses_openmp = true}; }

TEST(GuestRun, CallsTheBodyOnceOnAThreadOfItsOwn) {
  Program program({.workers = 3});
  const core::DataId x = program.add_filled(1, 2);
  bool is_worker = false;
  const executor::Worker* current = nullptr;

  program.submit(
      {updates(x)},
      [&](const Arrays& arrays) {
        arrays[0][0] += arrays.panel() + 1;
        arrays[0][1] += arrays.panel_count();
        is_worker = executor::Workers::is_worker();
        current = program.engine().workers().current();
      },
      team_of(3));

  EXPECT_EQ(program.read_all(x), (std::vector<I64>{2, 2}));
  EXPECT_TRUE(is_worker);
  EXPECT_EQ(current, nullptr);
}

TEST(GuestRun, IsNoneOnOneCore) {
  for (const int workers : {1, 2}) {
    Program program({.workers = workers});
    const core::DataId x = program.add_filled(0);
    bool on_worker = false;

    program.submit(
        {updates(x)},
        [&](const Arrays& arrays) {
          ++arrays[0][0];
          on_worker = program.engine().workers().current() != nullptr;
        },
        team_of(workers == 1 ? 4 : 1));

    EXPECT_EQ(program.read(x), 1);
    EXPECT_TRUE(on_worker);
  }
}

TEST(GuestRun, ParksAsManyWorkers) {
  Program program({.workers = 3});
  std::latch passed(1);

  program.submit(
      {}, [&](const Arrays& /*arrays*/) { passed.wait(); }, team_of(2));
  program.submit({}, [&](const Arrays& /*arrays*/) { passed.count_down(); });  // by the third
  program.domain().drain();

  EXPECT_TRUE(passed.try_wait());
}

TEST(GuestRun, SharesItsMemoryWithTheTasksAround) {
  constexpr int rounds = 500;
  Program program({.workers = 4});
  const core::DataId x = program.add_filled(0);
  const core::DataId y = program.add_filled(0);

  for (int i = 0; i < rounds; ++i) {
    const auto cores = static_cast<std::uint16_t>(2 + i % 4);
    program.submit(
        {updates(x)}, [](const Arrays& arrays) { ++arrays[0][0]; }, team_of(cores));
    program.increment(x);
    program.submit(
        {reads(x), updates(y)}, [](const Arrays& arrays) { arrays[1][0] += arrays[0][0]; }, team_of(cores));
    program.increment(y);
  }

  EXPECT_EQ(program.read(x), 2 * rounds);
  EXPECT_EQ(program.read(y), rounds * (rounds + 1) + rounds);
}

TEST(GuestRun, FailsWithWhatItsBodyThrows) {
  Program program;
  const core::DataId x = program.add();

  const TaskId task = program.submit(
      {writes(x)}, [](const Arrays& /*arrays*/) { throw std::runtime_error("no"); }, team_of(2));
  const TaskId after = program.submit(
      {updates(x)}, [](const Arrays& /*arrays*/) {}, team_of(2));
  program.domain().drain();

  ASSERT_EQ(program.not_done().size(), 2U);
  EXPECT_EQ(program.ended(task)->outcome, Outcome::failed);
  EXPECT_EQ(program.ended(task)->message, "no");
  EXPECT_EQ(program.ended(after)->outcome, Outcome::skipped);
  EXPECT_EQ(program.ended(after)->cause, task);
}

/// On all workers, for a task on all workers and for one on one.
TEST(GuestRun, MayWaitForOtherTasks) {
  for (const int workers : {2, 3}) {
    Program program({.workers = workers});
    const core::DataId x = program.add_filled(2);
    const core::DataId y = program.add_filled(0);
    const Extras whole = team_of(static_cast<std::uint16_t>(workers));
    std::latch submitted(1);

    program.submit(
        {updates(y)},
        [&](const Arrays& arrays) {
          submitted.wait();
          arrays[0][0] = program.read(x);
        },
        whole);
    program.submit(
        {updates(x)}, [](const Arrays& arrays) { arrays[0][0] *= 10; }, whole);
    program.increment(x);
    submitted.count_down();

    EXPECT_EQ(program.read(y), 21);
  }
}

TEST(GuestRun, EndsAmongThousandsOfOtherTasks) {
  constexpr int rounds = 300;
  Program program({.workers = 4});
  std::atomic<int> busy{0};
  std::atomic<int> most{0};
  std::atomic<int> ran{0};
  const auto work = [&](int threads) {
    const int now = busy += threads;
    for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
    }
    ++ran;
    busy -= threads;
  };

  for (int i = 0; i < rounds; ++i) {
    for (int j = 0; j < 10; ++j) program.submit({}, [&](const Arrays& /*arrays*/) { work(1); });
    const int cores = i % 2 == 0 ? 2 : 4;
    program.submit(
        {}, [&, cores](const Arrays& /*arrays*/) { work(cores); }, team_of(static_cast<std::uint16_t>(cores)));
  }
  program.domain().drain();

  EXPECT_EQ(ran, rounds * 11);
  EXPECT_LE(most, 5);  // the workers, and the program, which may run tasks of its own accord
}

}  // namespace
}  // namespace penstock::engine
