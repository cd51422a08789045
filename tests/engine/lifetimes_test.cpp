// Data that come and go, threads that submit together, domains that end.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "engine/program.hpp"

namespace penstock::engine {
namespace {

TEST(Data, LiveUntilTheTasksThatNameThemHaveEnded) {
  Gate gate;
  Program program;
  const core::DataId x = program.add(1000);
  std::atomic<I64> seen{0};
  program.submit({writes(x)}, [&](const Arrays& arrays) {
    gate.pass();
    std::ranges::fill(arrays[0], 5);
  });
  program.increment(x);
  program.submit({reads(x)}, [&](const Arrays& arrays) { seen = arrays[0][999]; });

  program.domain().release_data(x);
  for (int i = 0; i < 200; ++i) {  // which must not get the id of x
    const core::DataId other = program.add(1);
    EXPECT_NE(other, x);
    program.domain().release_data(other);
  }
  gate.open();
  program.domain().drain();

  EXPECT_EQ(seen, 6);
  EXPECT_EQ(program.data_bytes(), 0U);
}

TEST(Data, GiveTheirIdsToOthersWithVersionsThatCountOn) {
  constexpr int rounds = 20'000;
  Program program({.window_tasks = 100});
  std::set<core::DataId> ids;
  std::set<std::pair<core::DataId, core::Version>> firsts;

  for (int i = 0; i < rounds; ++i) {
    const core::DataId x = program.add(i % 5 + 1);
    ids.insert(x);
    EXPECT_TRUE(firsts.insert({x, program.domain().first_version(x)}).second);
    program.write(x, i);
    program.increment(x);
    if (i % 100 == 0) {
      EXPECT_EQ(program.read_all(x), std::vector<I64>(static_cast<std::size_t>(i % 5 + 1), i + 1));
      program.domain().drain();  // a task that a stopped worker holds would keep ids for as long
    }
    program.domain().release_data(x);
  }

  EXPECT_LT(ids.size(), 1000U);
}

TEST(Data, HaveNoValueWhenTheirIdIsUsedAgain) {
  Program program;
  std::set<core::DataId> seen;
  bool again = false;

  for (int i = 0; i < 1000 && !again; ++i) {
    const core::DataId x = program.add();
    again = !seen.insert(x).second;
    EXPECT_THROW(program.increment(x), Error);
    program.write(x, 1);
    program.domain().drain();
    program.domain().release_data(x);
  }

  EXPECT_TRUE(again);
}

TEST(Data, MayBeReleasedBeforeTheirViews) {
  Program program;
  const core::DataId x = program.add_filled(8);
  auto view = std::make_unique<View>(program, x);

  program.domain().release_data(x);
  for (int i = 0; i < 500; ++i) program.domain().release_data(program.add_filled(i));

  EXPECT_EQ(view->value(), 8);
  view.reset();
}

TEST(Data, MayBeReleasedUnwritten) {
  Program program;

  for (int i = 0; i < 1000; ++i) program.domain().release_data(program.add());
  const core::DataId x = program.add_filled(2);

  EXPECT_EQ(program.read(x), 2);
}

TEST(Threads, SubmitInOneOrder) {
  constexpr int threads = 4;
  constexpr I64 each = 2000;
  Program program;
  const core::DataId common = program.add_filled(0);
  std::array<core::DataId, threads> own{};
  for (core::DataId& data : own) data = program.add_filled(0);

  {
    std::vector<std::jthread> submitters;
    for (const core::DataId mine : own) {
      submitters.emplace_back([&program, common, mine] {
        for (I64 i = 0; i < each; ++i) {
          program.submit({updates(common), updates(mine)}, [](const Arrays& arrays) {
            ++arrays[0][0];
            ++arrays[1][0];
          });
        }
      });
    }
  }

  EXPECT_EQ(program.read(common), threads * each);
  for (const core::DataId mine : own) EXPECT_EQ(program.read(mine), each);
}

TEST(Threads, DoAllThatADomainCanAtOnce) {
  Program program({.workers = 2, .window_tasks = 32});
  std::atomic<int> wrong{0};

  {
    std::vector<std::jthread> submitters;
    for (I64 thread = 0; thread < 4; ++thread) {
      submitters.emplace_back([&, thread] {
        for (I64 i = 0; i < 300; ++i) {
          const core::DataId x = program.add(3);
          program.write(x, thread);
          {
            const View view(program, x);
            program.increment(x);
            if (view.value() != thread) ++wrong;
          }
          if (i % 10 == 0) program.domain().drain();
          if (program.read(x) != thread + 1) ++wrong;
          program.domain().release_data(x);
        }
      });
    }
  }

  EXPECT_EQ(wrong, 0);
}

/// The last task of a domain may still be on its way out when the program goes on.
TEST(Domains, MayEndAsSoonAsTheyAreDrained) {
  Program program({.window_tasks = 4});

  for (int round = 0; round < 2000; ++round) {
    const core::DataId x = program.add_filled(round);
    for (int i = 0; i < 6; ++i) program.increment(x);
    program.domain().drain();
    program.replace_domain({.window_tasks = 4});
  }

  EXPECT_TRUE(program.not_done().empty());
}

TEST(Domains, GiveBackAllTheirData) {
  Program program;
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 10; ++i) program.increment(program.add_filled(1, 1000));
    program.domain().drain();
    program.replace_domain();
  }

  EXPECT_EQ(program.data_bytes(), 0U);
}

TEST(Engine, CountsWhatItRan) {
  Program program;
  program.engine().measure();
  for (int i = 0; i < 50; ++i) program.submit({}, [](const Arrays& /*arrays*/) {});
  program.submit({writes(program.add())}, [](const Arrays& /*arrays*/) {}, {.cores = 3});
  program.domain().drain();

  EXPECT_EQ(program.engine().statistics().tasks, 51U);
  EXPECT_GT(program.engine().statistics().busy_ns, 0);
}

}  // namespace
}  // namespace penstock::engine
