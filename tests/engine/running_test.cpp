// How tasks run: panels, priorities, orders, one after the other, with long records.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <latch>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "engine/program.hpp"
#include "support/random.hpp"

namespace penstock::engine {
namespace {

using core::Outcome;
using core::TaskId;

/// The program submits a few tasks and turns to something else, at moments when workers fall asleep, or look around.
TEST(Running, NeedsNoFurtherCallOfTheProgram) {
  for (const int workers : {1, 2}) {
    support::Random random(4);
    std::atomic<std::uint64_t> ran{0};
    Program program({.workers = workers});
    const Body count = [&](const Arrays& /*arrays*/) { ++ran; };

    for (std::uint64_t submitted = 0; submitted < 10'000;) {
      for (std::uint64_t more = random.between(1, 3); more > 0; --more, ++submitted) program.submit({}, count);
      const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      while (ran < submitted) {
        ASSERT_LT(std::chrono::steady_clock::now(), deadline) << submitted - ran << " tasks were left lying";
        std::this_thread::yield();
      }
      const auto until = std::chrono::steady_clock::now() + std::chrono::nanoseconds(random.below(30'000));
      while (std::chrono::steady_clock::now() < until) {
      }
    }
  }
}

TEST(Panels, EachRunsOnce) {
  for (const std::uint16_t cores : std::array<std::uint16_t, 4>{2, 3, 8, 300}) {
    Program program;
    const core::DataId x = program.add(cores);
    program.write(x, 0);

    program.submit({updates(x)},
                   [cores](const Arrays& arrays) {
                     if (arrays.panel_count() == cores) ++arrays[0][static_cast<std::size_t>(arrays.panel())];
                   },
                   {.cores = cores});

    EXPECT_EQ(program.read_all(x), std::vector<I64>(cores, 1));
  }
}

TEST(Panels, RunTogether) {
  std::latch all(3);
  Program program({.workers = 3});
  const core::DataId x = program.add(3);

  program.submit({writes(x)},
                 [&](const Arrays& arrays) {
                   all.arrive_and_wait();
                   arrays[0][static_cast<std::size_t>(arrays.panel())] = 1;
                 },
                 {.cores = 3});

  EXPECT_EQ(program.read_all(x), std::vector<I64>(3, 1));
}

TEST(Panels, ShareTheirMemoryWithTheTasksAround) {
  constexpr std::uint16_t cores = 4;
  Program program;
  const core::DataId x = program.add_filled(0, cores);
  const Body add = [](const Arrays& arrays) { ++arrays[0][static_cast<std::size_t>(arrays.panel())]; };

  for (int i = 0; i < 500; ++i) {
    program.submit({updates(x)}, add, {.cores = cores});
    program.increment(x);
  }

  EXPECT_EQ(program.read_all(x), std::vector<I64>(cores, 1000));
}

TEST(Panels, FailAsOneTaskWhereOneFails) {
  constexpr std::uint16_t cores = 6;
  Program program;
  const core::DataId x = program.add(cores);
  std::atomic<int> ran{0};

  const TaskId task = program.submit({writes(x)},
                                     [&](const Arrays& arrays) {
                                       ++ran;
                                       if (arrays.panel() == 4) throw std::runtime_error("panel 4");
                                     },
                                     {.cores = cores});
  const TaskId after = program.increment(x);
  program.domain().drain();

  EXPECT_EQ(ran, cores);
  ASSERT_EQ(program.not_done().size(), 2U);
  EXPECT_EQ(program.ended(task)->message, "panel 4");
  EXPECT_EQ(program.ended(after)->cause, task);
}

TEST(Panels, TellOneFailureWhereAllFail) {
  Program program;
  const TaskId task = program.submit(
      {writes(program.add())},
      [](const Arrays& arrays) { throw std::runtime_error("panel " + std::to_string(arrays.panel())); }, {.cores = 16});
  program.domain().drain();

  ASSERT_EQ(program.not_done().size(), 1U);
  EXPECT_EQ(program.ended(task)->message.substr(0, 6), "panel ");
}

TEST(Panels, AreSkippedWithTheirTask) {
  Program program;
  const core::DataId x = program.add();
  std::atomic<bool> ran{false};
  const TaskId root = program.fail(x);

  const TaskId task = program.submit({updates(x)}, [&](const Arrays& /*arrays*/) { ran = true; }, {.cores = 4});
  program.domain().drain();

  EXPECT_FALSE(ran);
  EXPECT_EQ(program.ended(task)->outcome, Outcome::skipped);
  EXPECT_EQ(program.ended(task)->cause, root);
}

TEST(Priorities, LetUrgentTasksPassAThousandOthers) {
  Gate gate;
  Program program({.workers = 1});
  std::vector<int> order;
  program.submit({}, [&](const Arrays& /*arrays*/) { gate.pass(); });
  gate.await();
  for (int i = 0; i < 1000; ++i) program.submit({}, [&](const Arrays& /*arrays*/) { order.push_back(0); });
  for (const int priority : {-1, 3, 9, 3}) {
    program.submit({}, [&order, priority](const Arrays& /*arrays*/) { order.push_back(priority); },
                   {.priority = priority});
  }

  gate.open();
  program.domain().drain();

  ASSERT_EQ(order.size(), 1004U);
  EXPECT_EQ((std::vector(order.begin(), order.begin() + 3)), (std::vector{9, 3, 3}));
  EXPECT_EQ(order.back(), -1);
}

TEST(Priorities, HoldForTasksThatBecomeReadyLater) {
  Gate gate;
  Program program({.workers = 1});
  const core::DataId x = program.add();
  std::vector<int> order;
  program.submit({writes(x)}, [&](const Arrays& /*arrays*/) { gate.pass(); });
  gate.await();
  for (int i = 0; i < 50; ++i) program.submit({reads(x)}, [&](const Arrays& /*arrays*/) { order.push_back(0); });
  program.submit({reads(x)}, [&](const Arrays& /*arrays*/) { order.push_back(1); }, {.priority = 1});

  gate.open();
  program.domain().drain();

  ASSERT_EQ(order.size(), 51U);
  EXPECT_EQ(std::ranges::find(order, 1) - order.begin(), 0);
}

std::vector<int> order_with(std::optional<std::uint64_t> seed) {
  Gate gate;
  Program program({.workers = 1, .seed = seed});
  std::vector<int> order;
  program.submit({}, [&](const Arrays& /*arrays*/) { gate.pass(); });
  gate.await();
  std::array<core::DataId, 8> data{};
  for (core::DataId& one : data) one = program.add_filled(0);
  for (std::size_t i = 0; i < 400; ++i) {
    const auto access = i % 3 == 0 ? updates(data[i % 8]) : reads(data[i % 8]);
    program.submit({access}, [&order, i](const Arrays& /*arrays*/) { order.push_back(static_cast<int>(i)); });
  }
  gate.open();
  program.domain().drain();
  return order;
}

TEST(Order, OfOneWorkerIsRepeatedByItsSeed) {
  const std::vector<int> first = order_with(21);

  EXPECT_EQ(first.size(), 400U);
  EXPECT_EQ(order_with(21), first);
  EXPECT_NE(order_with(22), first);
}

TEST(Serial, RunsEachTaskInsideItsSubmission) {
  Program program({.serial = true});
  const core::DataId x = program.add();
  std::vector<int> order;
  std::vector<std::thread::id> threads;

  for (int i = 0; i < 100; ++i) {
    program.submit({i == 0 ? writes(x) : updates(x)},
                   [&](const Arrays& /*arrays*/) {
                     order.push_back(i);
                     threads.push_back(std::this_thread::get_id());
                   },
                   {.priority = i % 3 - 1});
    ASSERT_EQ(order.size(), static_cast<std::size_t>(i) + 1);
    ASSERT_EQ(program.domain().in_flight().tasks, 0U);
  }

  EXPECT_TRUE(std::ranges::is_sorted(order));
  EXPECT_EQ(std::ranges::count(threads, std::this_thread::get_id()), 100);
}

TEST(Serial, RunsATaskOnSeveralCoresAsOnePanel) {
  Program program({.serial = true});
  std::vector<int> panels;

  program.submit({}, [&](const Arrays& arrays) { panels.push_back(arrays.panel_count()); }, {.cores = 4});

  EXPECT_EQ(panels, std::vector{1});
}

TEST(Serial, FailsAndSkipsAsOtherwise) {
  Program program({.serial = true});
  const core::DataId x = program.add();

  const TaskId root = program.fail(x);
  const TaskId after = program.increment(x);
  EXPECT_EQ(program.wait(x), root);
  program.write(x, 4);

  EXPECT_EQ(program.ended(after)->cause, root);
  EXPECT_EQ(program.read(x), 4);
}

TEST(Serial, GivesThreadsTheirTurn) {
  Program program({.window_tasks = 2, .serial = true});
  const core::DataId x = program.add_filled(0);
  std::atomic<int> inside{0};
  std::atomic<int> wrong{0};
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 3; ++thread) {
      threads.emplace_back([&] {
        for (int i = 0; i < 300; ++i) {
          program.submit({updates(x)}, [&](const Arrays& arrays) {
            if (inside.fetch_add(1) != 0) ++wrong;
            ++arrays[0][0];
            --inside;
          });
        }
      });
    }
  }

  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(program.read(x), 900);
}

/// A thread that waits for a version has a pin on it for a moment.
TEST(Serial, AnUpdateDoesNotWaitForAThreadThatWaits) {
  for (const bool renames : {true, false}) {
    Program program({.renames = renames, .serial = true});
    const core::DataId x = program.add_filled(1);
    Version& version = program.domain().pin(x, false);

    program.increment(x);
    program.write(x, 3);

    EXPECT_TRUE(program.domain().wait_for(version));
    program.domain().unpin(version, false);
    EXPECT_EQ(program.read(x), 3);
  }
}

/// Of a long name the beginning.
TEST(Records, HoldNamesAndParametersOfAnyLength) {
  Program program({.workers = 3});
  std::atomic<int> wrong{0};
  std::vector<std::string> names;
  for (const std::size_t length : {0U, 1U, 7U, 60U, 100U, 119U, 120U, 121U, 500U, 5000U})
    names.emplace_back(length, 'n');

  std::vector<TaskId> tasks;
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (const std::size_t length : {0U, 1U, 50U, 110U, 5000U, 200'000U}) {
      const std::string text(length, static_cast<char>('a' + i));
      const Parameter parameter = text;
      tasks.push_back(program.submit({writes(program.add())},
                                     [&wrong, text](const Arrays& arrays) {
                                       const std::span<const Parameter> all = arrays.context().parameters;
                                       if (all.size() != 2 || std::get<std::string>(all[1]) != text) ++wrong;
                                       throw std::runtime_error("done");
                                     },
                                     {.name = names[i], .parameters = {&parameter, 1}}));
    }
  }
  program.domain().drain();

  EXPECT_EQ(wrong, 0);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const std::string name = program.ended(tasks[i])->name;
    const std::string& whole = names[i / 6];
    EXPECT_EQ(name, whole.substr(0, name.size()));
    EXPECT_GE(name.size(), std::min<std::size_t>(whole.size(), 200));
  }
}

}  // namespace
}  // namespace penstock::engine
