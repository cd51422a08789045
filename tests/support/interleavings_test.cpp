#include "support/interleavings.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <set>

namespace penstock::support {
namespace {

/// `Threads` threads of `Operations` operations each; notes in which order they came.
template <int Threads, int Operations>
struct Counting {
  static constexpr int threads = Threads;
  static inline std::set<Schedule> seen;

  void run(int thread) {
    for (int i = 0; i < Operations; ++i) {
      sum.fetch_add(1);
      order.push_back(thread);
    }
  }
  [[nodiscard]] std::string wrong() const {
    seen.insert(order);
    return sum.load() == Threads * Operations ? "" : "an operation was lost";
  }

  Atomic<int> sum{0};
  Schedule order;
};

TEST(Interleavings, RunsEveryScheduleOnce) {
  EXPECT_EQ((explore_all<Counting<1, 6>>().schedules), 1U);
  EXPECT_EQ((explore_all<Counting<2, 3>>().schedules), 20U);
  EXPECT_EQ((explore_all<Counting<2, 6>>().schedules), 924U);
  EXPECT_EQ((explore_all<Counting<3, 2>>().schedules), 90U);
  EXPECT_EQ((explore_all<Counting<3, 3>>().schedules), 1680U);

  EXPECT_EQ((Counting<3, 3>::seen.size()), 1680U);
}

/// A counter that is read and written in two operations.
struct LostUpdate {
  static constexpr int threads = 2;

  void run(int /*thread*/) {
    const int before = value.load();
    value.store(before + 1);
  }
  [[nodiscard]] std::string wrong() const { return value.load() == 2 ? "" : "the sum is " + to_text(value.load()); }
  static std::string to_text(int number) { return std::to_string(number); }

  Atomic<int> value{0};
};

TEST(Interleavings, FindsALostUpdateAndRunsItAgain) {
  const Exploration found = explore_all<LostUpdate>();

  ASSERT_TRUE(found.fault);
  EXPECT_EQ(found.fault->schedule, (Schedule{0, 1, 0, 1}));
  EXPECT_EQ(to_string(found), "2 schedules; with {0 1 0 1}: the sum is 1");
  EXPECT_EQ(replay<LostUpdate>(found.fault->schedule).fault->what, "the sum is 1");
  EXPECT_FALSE(replay<LostUpdate>({0, 0, 1, 1}).fault);
}

/// Goes wrong only where thread 0's fifth operation comes between the fifth and the sixth of thread 1, while thread 2
/// has done exactly three of its own: a bug of depth 4 or so among a great many schedules.
struct Needle {
  static constexpr int threads = 4;

  void run(int thread) {
    for (int i = 0; i < 20; ++i) {
      const auto own = static_cast<std::size_t>(thread);
      done[own].fetch_add(1);
      if (thread == 0 && done[0].load() == 5 && done[1].load() == 5 && done[2].load() == 3) hit = true;
    }
  }
  [[nodiscard]] std::string wrong() const { return hit ? "hit" : ""; }

  std::array<Atomic<int>, 4> done{};
  bool hit = false;
};

TEST(Interleavings, FindsARareOrderByRandomPriorities) {
  const Exploration found = explore_randomly<Needle>({.seed = 3, .schedules = 100'000, .depth = 4});

  ASSERT_TRUE(found.fault) << to_string(found);
  EXPECT_TRUE(replay<Needle>(found.fault->schedule).fault);
  EXPECT_EQ((explore_randomly<Needle>({.seed = 3, .schedules = 100'000, .depth = 4}).fault->schedule),
            found.fault->schedule);
}

TEST(Interleavings, RunsAsManyRandomSchedulesAsAsked) {
  const Exploration some = explore_randomly<Counting<3, 20>>({.seed = 1, .schedules = 500, .depth = 5});

  EXPECT_FALSE(some.fault);
  EXPECT_EQ(some.schedules, 500U);
  EXPECT_GT((Counting<3, 20>::seen.size()), 100U);
}

/// Waits for the other thread, which scenarios must not.
struct Waiting {
  static constexpr int threads = 2;

  void run(int thread) {
    if (thread == 1) return flag.store(true);
    while (!flag.load()) {
    }
  }
  [[nodiscard]] std::string wrong() const { return flag.load() ? "" : "not set"; }

  Atomic<bool> flag{false};
};

TEST(Interleavings, BreaksOffARunThatDoesNotEnd) {
  const Exploration found = explore_all<Waiting>();

  ASSERT_TRUE(found.fault);
  EXPECT_EQ(found.fault->what, "does not end");
}

struct Idle {
  static constexpr int threads = 3;
  void run(int thread) {
    if (thread == 1) one.store(1);
  }
  [[nodiscard]] std::string wrong() const { return one.load() == 1 ? "" : "not run"; }
  Atomic<int> one{0};
};

TEST(Interleavings, AllowsThreadsWithoutOperations) {
  const Exploration all = explore_all<Idle>();

  EXPECT_FALSE(all.fault);
  EXPECT_EQ(all.schedules, 1U);
}

TEST(InterleavingsAtomic, DoesWhatTheStandardOneDoes) {
  const auto results = []<class Number>(Number number) {
    std::array<int, 12> seen{};
    std::size_t next = 0;
    seen[next++] = number->load();
    number->store(7);
    seen[next++] = number->exchange(9);
    seen[next++] = number->fetch_add(3);
    seen[next++] = number->fetch_sub(2);
    int expected = 4;
    seen[next++] = number->compare_exchange_strong(expected, 1) ? 1 : 0;
    seen[next++] = expected;
    seen[next++] = number->compare_exchange_strong(expected, 1) ? 1 : 0;
    seen[next++] = number->load();
    return seen;
  };
  std::atomic<int> standard{5};
  Atomic<int> own{5};

  EXPECT_EQ(results(&own), results(&standard));
}

}  // namespace
}  // namespace penstock::support
