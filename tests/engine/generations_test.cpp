#include "engine/generations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "support/random.hpp"

namespace penstock::engine {
namespace {

struct Thing {
  int number = 0;
};

TEST(Generations, GiveNothingBackWhileTasksOfThisOneRun) {
  Generations<const Thing> generations;
  const Thing thing;
  std::vector<const Thing*> back;
  const auto reclaim = [&](const Thing& one) { back.push_back(&one); };
  const auto own = generations.current();
  generations.submitted();
  generations.retire(&thing);

  std::array<std::uint64_t, 2> ended{};
  for (int i = 0; i < 5; ++i) generations.turn(ended, reclaim);
  EXPECT_TRUE(back.empty());
  EXPECT_TRUE(generations.has_retired());

  ended[own] = 1;
  for (int i = 0; i < 5; ++i) generations.turn(ended, reclaim);
  EXPECT_EQ(back, std::vector{&thing});
  EXPECT_FALSE(generations.has_retired());
}

TEST(Generations, CountAllThatWasSubmitted) {
  Generations<const Thing> generations;

  for (int i = 0; i < 10; ++i) {
    generations.submitted();
    generations.turn({100, 100}, [](const Thing& /*one*/) {});  // ends more than there are: no turn
  }

  EXPECT_EQ(generations.submitted_in_all(), 10U);
}

/// Tasks that name things end in any order; nothing comes back that a task may still name, and all in the end.
TEST(Generations, KeepWhatATaskMayStillName) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    support::Random random(seed);
    Generations<Thing> generations;
    std::vector<Thing> things(300);
    std::set<Thing*> alive;
    std::set<Thing*> retired;
    struct Task {
      std::uint8_t generation;
      Thing* names;
    };
    std::vector<Task> running;
    std::array<std::uint64_t, 2> ended{};
    std::size_t next = 0;
    std::size_t back = 0;
    const auto reclaim = [&](Thing& thing) {
      ++back;
      ASSERT_EQ(retired.erase(&thing), 1U);
      ASSERT_TRUE(std::ranges::none_of(running, [&](const Task& task) { return task.names == &thing; })) << seed;
    };
    const auto end_one = [&] {
      const std::size_t which = random.below(running.size());
      ++ended[running[which].generation];
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(which));
    };

    while (next < things.size() || !alive.empty()) {
      if (next < things.size() && random.chance(30)) alive.insert(&things[next++]);
      if (!alive.empty() && random.chance(60)) {
        auto thing = alive.begin();
        std::advance(thing, random.below(alive.size()));
        running.push_back({generations.current(), *thing});
        generations.submitted();
        if (random.chance(40)) {
          generations.retire(*thing);
          retired.insert(*thing);
          alive.erase(thing);
        }
      }
      if (!running.empty() && random.chance(55)) end_one();
      if (random.chance(30)) generations.turn(ended, reclaim);
      ASSERT_EQ(generations.retired(), retired.size());
    }
    while (!running.empty()) end_one();
    for (int i = 0; i < 3; ++i) generations.turn(ended, reclaim);

    ASSERT_EQ(back, things.size());
  }
}

/// Tasks of a stream that never stands still: what is let go of comes back all the same.
TEST(Generations, GiveBackWhileTheStreamGoesOn) {
  Generations<const Thing> generations;
  const Thing thing;
  std::vector<std::uint8_t> running;
  std::array<std::uint64_t, 2> ended{};
  std::size_t most = 0;
  std::size_t back = 0;

  for (int i = 0; i < 10'000; ++i) {
    running.push_back(generations.current());
    generations.submitted();
    generations.retire(&thing);
    if (running.size() > 10) {  // eleven are in flight at any time
      ++ended[running.front()];
      running.erase(running.begin());
    }
    generations.turn(ended, [&](const Thing& /*one*/) { ++back; });
    most = std::max(most, generations.retired());
  }

  EXPECT_LE(most, 60U);
  EXPECT_GT(back, 9900U);
}

}  // namespace
}  // namespace penstock::engine
