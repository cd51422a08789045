// The two counts of the engine under all orders of their operations: a version's users, and what a task waits for.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "engine/use_count.hpp"
#include "executor/closable_stack.hpp"
#include "support/interleavings.hpp"

namespace penstock::engine {
namespace {

using Count = UseCount<support::Atomic>;

/// The domain takes the bias away, less the reads that it has counted; the producer and the readers take one each.
struct UsersOfAVersion {
  static constexpr int threads = 5;

  void run(int thread) {
    std::int64_t dropped = 1;
    if (thread == 0) {
      consumer = 1;
      dropped = Count::bias - (threads - 2);
    } else {
      ++used;
    }
    if (!users.drop(dropped)) return;
    ++reached;
    if (consumer == 1 && used == threads - 1) ++saw_all;
  }
  [[nodiscard]] std::string wrong() const {
    if (reached != 1) return std::to_string(reached) + " reached 0";
    return saw_all == 1 ? "" : "the last one did not see all";
  }

  Count users;
  int consumer = 0;
  int used = 0;
  int reached = 0;
  int saw_all = 0;
};

TEST(UseCount, ReachesZeroOnceAndThenTheConsumerIsSeen) {
  const support::Exploration all = support::explore_all<UsersOfAVersion>();

  EXPECT_FALSE(all.fault) << to_string(all);
  EXPECT_EQ(all.schedules, 120U);
}

TEST(UseCount, IsAboveZeroUntilTheBiasIsTaken) {
  UseCount<> users;

  EXPECT_FALSE(users.drop(1));
  EXPECT_FALSE(users.drop(1));
  EXPECT_TRUE(users.drop(UseCount<>::bias - 1));
}

TEST(UseCount, IsReachedByAUserThatComesLast) {
  UseCount<> users;

  EXPECT_FALSE(users.drop(UseCount<>::bias - 2));
  EXPECT_FALSE(users.drop(1));
  EXPECT_FALSE(users.drop(1));
  EXPECT_TRUE(users.drop(1));
}

/// A task that reads two versions while their producers end. Its count is written out here as the engine has it: a
/// guard, from which every release takes one, and the submitter the rest.
struct TaskOfTwoInputs {
  static constexpr int threads = 3;
  static constexpr int guard = 1 << 24;

  struct Link {
    Link* next = nullptr;
  };

  void run(int thread) {
    if (thread == 0) return submit();
    const auto own = static_cast<std::size_t>(thread - 1);
    made[own] = true;
    for (const Link* link = waiters[own].close(); link != nullptr; link = link->next) release(1);
  }
  void submit() {
    int predecessors = 0;
    for (std::size_t i = 0; i < 2; ++i) {
      if (!waiters[i].is_closed() && waiters[i].push(links[i])) ++predecessors;
    }
    if (predecessors == 0)
      start();
    else
      release(guard - predecessors);
  }
  void release(int count) {
    if (unmet.fetch_sub(count) == count) start();
  }
  void start() {
    ++started;
    if (!made[0] || !made[1]) too_early = true;
  }
  [[nodiscard]] std::string wrong() const {
    if (too_early) return "started before its inputs were made";
    return started == 1 ? "" : "started " + std::to_string(started) + " times";
  }

  std::array<executor::ClosableStack<Link, support::Atomic>, 2> waiters;
  std::array<Link, 2> links{};
  std::array<bool, 2> made{};
  support::Atomic<int> unmet{guard};
  int started = 0;
  bool too_early = false;
};

TEST(TaskCount, StartsATaskOnceWhenAllItsInputsAreMade) {
  const support::Exploration all = support::explore_all<TaskOfTwoInputs>();

  EXPECT_FALSE(all.fault) << to_string(all);
  EXPECT_GT(all.schedules, 100U);
}

}  // namespace
}  // namespace penstock::engine
