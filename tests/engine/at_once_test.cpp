// Short tasks that submit() runs before it returns.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "engine/program.hpp"

namespace penstock::engine {
namespace {

using core::Outcome;
using core::TaskId;

TEST(AtOnce, AreThoseWhoseDataAreThere) {
  Program program({.all_short = true});
  const core::DataId x = program.add();
  const core::DataId y = program.add();
  std::thread::id ran_by;

  program.write(x, 1);
  program.increment(x);
  program.submit({reads(x), writes(y)}, [&](const Arrays& arrays) {
    arrays[1][0] = arrays[0][0] + 40;
    ran_by = std::this_thread::get_id();
  });

  EXPECT_EQ(program.domain().in_flight().tasks, 0U);
  EXPECT_EQ(program.domain().in_flight().bytes, 0);
  EXPECT_EQ(ran_by, std::this_thread::get_id());
  EXPECT_EQ(program.read_all(y), std::vector<I64>{42});
}

TEST(AtOnce, TheOthersWaitForWhatTheyNeed) {
  Gate gate;
  Program program({.all_short = true});
  const core::DataId x = program.add();
  const core::DataId y = program.add();
  program.submit({writes(x)}, [&](const Arrays& arrays) { arrays[0][0] = 1; }, {.priority = 1});
  program.wait(x);
  program.submit({updates(x)},
                 [&](const Arrays& arrays) {
                   gate.pass();
                   ++arrays[0][0];
                 },
                 {.priority = 1});  // so it is a worker's
  gate.await();

  program.submit({reads(x), writes(y)}, [](const Arrays& arrays) { arrays[1][0] = arrays[0][0]; });
  program.increment(x);

  EXPECT_EQ(program.domain().in_flight().tasks, 3U);
  gate.open();
  EXPECT_EQ(program.read_all(y), std::vector<I64>{2});
  EXPECT_EQ(program.read_all(x), std::vector<I64>{3});
}

TEST(AtOnce, LeaveWhatSomebodyLooksAtAsItIs) {
  Program program({.all_short = true});
  const core::DataId x = program.add_filled(1);
  Version& seen = program.domain().pin(x, true);
  Version& awaited = program.domain().pin(x, false);

  program.increment(x);
  program.write(x, 7);

  ASSERT_TRUE(program.domain().wait_for(seen));
  EXPECT_EQ(*reinterpret_cast<const I64*>(seen.data), 1);
  EXPECT_EQ(program.read_all(x), std::vector<I64>{7});
  program.domain().unpin(seen, true);
  program.domain().unpin(awaited, false);
}

TEST(AtOnce, CopyWhatTheyReadBesides) {
  Program program({.all_short = true});
  const core::DataId x = program.add_filled(5);

  program.submit({reads(x), updates(x)}, [](const Arrays& arrays) { arrays[1][0] += 10 * arrays[0][0]; });
  program.submit({writes(x), reads(x)}, [](const Arrays& arrays) { arrays[0][0] = arrays[1][0] + 1; });

  EXPECT_EQ(program.read_all(x), std::vector<I64>{56});
}

TEST(AtOnce, FailAsOthersDo) {
  Program program({.all_short = true});
  const core::DataId x = program.add_filled(1);

  const TaskId failed = program.submit({updates(x)}, [](const Arrays& /*arrays*/) { throw std::runtime_error("no"); },
                                       {.name = "the one", .place = {"file", 12}});
  const TaskId skipped = program.increment(x);

  EXPECT_EQ(program.wait(x), failed);
  program.domain().drain();
  ASSERT_NE(program.ended(failed), nullptr);
  EXPECT_EQ(program.ended(failed)->message, "no");
  EXPECT_EQ(program.ended(failed)->name, "the one");
  EXPECT_EQ(program.ended(failed)->line, 12U);
  ASSERT_NE(program.ended(skipped), nullptr);
  EXPECT_EQ(program.ended(skipped)->outcome, Outcome::skipped);
  program.write(x, 3);
  EXPECT_EQ(program.read_all(x), std::vector<I64>{3});
}

TEST(AtOnce, MayWaitForOtherDataButNotForTheirOwn) {
  Program program({.all_short = true});
  const core::DataId x = program.add_filled(1);
  const core::DataId y = program.add();
  std::string refused;

  program.submit({updates(x)}, [&](const Arrays& /*arrays*/) {
    Version& own = program.domain().pin(x, false);
    try {
      static_cast<void>(program.domain().wait_for(own));
    } catch (const Error& error) {
      refused = error.what();
    }
    program.domain().unpin(own, false);
  });
  program.submit({writes(y)}, [&](const Arrays& arrays) { arrays[0][0] = program.read_all(x)[0] + 1; });

  EXPECT_EQ(refused, "a task waits for an array that it writes itself");
  EXPECT_EQ(program.read_all(y), std::vector<I64>{2});
}

/// The waiting thread is told by the one that submits; nobody else could.
TEST(AtOnce, TellThreadsThatWait) {
  Program program({.workers = 1, .all_short = true});
  for (int round = 0; round < 200; ++round) {
    const core::DataId x = program.add();
    std::atomic<bool> begun{false};
    std::atomic<bool> go_on{false};
    std::thread waiting([&] {
      begun.wait(false);
      go_on = true;
      go_on.notify_one();
      program.domain().drain();
    });
    program.submit({writes(x)}, [&](const Arrays& arrays) {
      begun = true;
      begun.notify_one();
      go_on.wait(false);
      arrays[0][0] = 1;
    });
    waiting.join();
    EXPECT_EQ(program.read_all(x), std::vector<I64>{1});
    program.domain().release_data(x);
  }
}

TEST(AtOnce, OfSeveralThreadsEachComeOnce) {
  constexpr int threads = 3;
  constexpr int each = 2'000;
  Program program({.all_short = true});
  const core::DataId common = program.add_filled(0);
  std::vector<core::DataId> own;
  for (int i = 0; i < threads; ++i) own.push_back(program.add_filled(0));
  {
    std::vector<std::jthread> submitters;
    for (int i = 0; i < threads; ++i) {
      submitters.emplace_back([&, i] {
        for (int j = 0; j < each; ++j) {
          program.increment(common);
          program.submit({reads(common), updates(own[static_cast<std::size_t>(i)])},
                         [](const Arrays& arrays) { arrays[1][0] += arrays[0][0] > 0 ? 1 : 0; });
        }
      });
    }
  }

  EXPECT_EQ(program.read_all(common), std::vector<I64>{threads * each});
  for (const core::DataId x : own) EXPECT_EQ(program.read_all(x), std::vector<I64>{each});
}

TEST(AtOnce, EndsWhereTasksHaveBecomeLong) {
  Program program({.workers = 1});
  program.prove_short();
  std::atomic<int> by_others{0};
  const auto here = std::this_thread::get_id();
  const Body takes_time = [&](const Arrays& /*arrays*/) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(20);
    while (std::chrono::steady_clock::now() < end) {
    }
    if (std::this_thread::get_id() != here) ++by_others;
  };

  for (int i = 0; i < 1'000; ++i) program.submit({}, takes_time);
  program.domain().drain();

  EXPECT_GT(by_others, 500);
}

}  // namespace
}  // namespace penstock::engine
