#include "executor/workers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <latch>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "executor/team.hpp"

namespace penstock::executor {
namespace {

TEST(Workers, RunEachJobOnce) {
  Team team(3);
  std::vector<std::atomic<int>> ran(5000);
  team.begin();

  for (std::atomic<int>& count : ran) team.push([&](Worker& /*worker*/) { ++count; });
  team.end();

  for (const std::atomic<int>& count : ran) ASSERT_EQ(count, 1);
}

TEST(Workers, RunWhatIsLeftWhenTheyAreClosed) {
  Team team(2);
  std::atomic<int> ran{0};
  for (int i = 0; i < 100; ++i) {
    team.push([&](Worker& /*worker*/) {
      ++ran;
      team.push([&](Worker& /*worker*/) { ++ran; });
    });
  }
  team.workers().close();

  team.workers().work(0);

  EXPECT_EQ(ran, 200);
  EXPECT_EQ(team.workers().waiting(), 0U);
}

TEST(Workers, GiveOneWorkerItsJobsInOrder) {
  Team team(1);
  std::vector<int> order;
  for (int i = 0; i < 1000; ++i) team.push([&order, i](Worker& /*worker*/) { order.push_back(i); });

  team.begin();
  team.end();

  EXPECT_EQ(order.size(), 1000U);
  EXPECT_TRUE(std::ranges::is_sorted(order));
}

/// A job that hands on to the next of `length` and notes what the worker does.
struct Chain {
  Team& team;
  std::vector<Work*> links;
  std::vector<int> lanes;
  std::vector<std::thread::id> threads;

  Chain(Team& whole, int length, std::int32_t priority = 0) : team(whole) {
    for (int i = 0; i < length; ++i) {
      links.push_back(&team.make([this](Worker& worker) { step(worker); }, priority));
    }
  }
  void step(Worker& worker) {
    lanes.push_back(worker.lane);
    threads.push_back(std::this_thread::get_id());
    if (lanes.size() < links.size()) team.push(*links[lanes.size()]);
  }
};

TEST(Workers, KeepAChainOnOneWorker) {
  Team team(2);
  Chain chain(team, 5000);
  team.push(*chain.links.front());
  team.begin();
  team.end();

  ASSERT_EQ(chain.lanes.size(), 5000U);
  EXPECT_EQ(std::ranges::count(chain.lanes, chain.lanes.front()), 5000);
  EXPECT_EQ(std::ranges::count(chain.threads, chain.threads.front()), 5000);
}

TEST(Workers, LetOthersPassAChainEverySoOften) {
  Team team(1);
  Chain chain(team, 1000);
  std::vector<std::size_t> passed;
  team.push(*chain.links.front());
  for (int i = 0; i < 3; ++i) team.push([&](Worker& /*worker*/) { passed.push_back(chain.lanes.size()); });

  team.begin();
  team.end();

  ASSERT_EQ(passed.size(), 3U);
  EXPECT_EQ(passed[0], 1U + Workers::chain_most);  // the one that was pushed, and those that it handed on
  EXPECT_EQ(chain.lanes.size(), 1000U);
}

TEST(Workers, LetAnUrgentJobPassAChainAtOnce) {
  Team team(1);
  Chain chain(team, 500);
  std::size_t passed = 0;
  team.push([&](Worker& /*worker*/) {
    team.push(*chain.links.front());
    team.share(team.make([&](Worker& /*own*/) { passed = chain.lanes.size(); }, 1));
  });

  team.begin();
  team.end();

  EXPECT_EQ(passed, 0U);
  EXPECT_EQ(chain.lanes.size(), 500U);
}

TEST(Workers, LetAnUrgentJobPassAChainInItsMiddle) {
  Team team(1);
  std::vector<int> order;
  Work& urgent = team.make([&](Worker& /*worker*/) { order.push_back(-1); }, 9);
  std::function<void(int)> hand_on = [&](int number) {
    team.push([&, number](Worker& /*worker*/) {
      order.push_back(number);
      if (number == 5) team.share(urgent);
      if (number < 20) hand_on(number + 1);
    });
  };
  hand_on(0);

  team.begin();
  team.end();

  ASSERT_EQ(order.size(), 22U);
  EXPECT_EQ(order[6], -1);
}

TEST(Workers, GiveUrgentJobsFirstAndThoseOfTheBackgroundLast) {
  Team team(1);
  std::vector<int> order;
  for (int i = 0; i < 100; ++i) team.push([&](Worker& /*worker*/) { order.push_back(0); });
  for (const int priority : {-2, 5, -1, 7, 5}) {
    team.push([&order, priority](Worker& /*worker*/) { order.push_back(priority); }, priority);
  }

  team.begin();
  team.end();

  ASSERT_EQ(order.size(), 105U);
  EXPECT_EQ((std::vector(order.begin(), order.begin() + 3)), (std::vector{7, 5, 5}));
  EXPECT_EQ((std::vector(order.end() - 2, order.end())), (std::vector{-1, -2}));
}

TEST(Workers, PassByAJobOfTheBackgroundThatTheyWereHanded) {
  Team team(1);
  std::vector<int> order;
  team.push([&](Worker& /*worker*/) {
    team.push([&](Worker& /*own*/) { order.push_back(-1); }, -1);
    team.push([&](Worker& /*own*/) { order.push_back(0); });
  });

  team.begin();
  team.end();

  EXPECT_EQ(order, (std::vector{0, -1}));
}

/// Workers that were handed jobs keep one; the others run the rest meanwhile.
TEST(Workers, ShareWhatAJobReleasesButOne) {
  Team team(2);
  std::latch both(2);
  team.push([&](Worker& /*worker*/) {
    std::array<Job*, 2> jobs{};
    for (Job*& job : jobs) job = &team.make([&](Worker& /*own*/) { both.arrive_and_wait(); });
    team.workers().push(jobs);
  });

  team.begin();
  team.end();

  EXPECT_TRUE(both.try_wait());
}

TEST(Workers, KeepNothingOfWhatIsShared) {
  Team team(2);
  std::latch other(1);
  team.push([&](Worker& /*worker*/) {
    team.share(team.make([&](Worker& /*own*/) { other.count_down(); }));
    other.wait();  // would hang if this worker had kept the job
  });

  team.begin();
  team.end();

  EXPECT_TRUE(other.try_wait());
}

/// Counts the calls of workers; holds nothing back.
class Counter final : public Supplier {
 public:
  [[nodiscard]] bool holds_back() const override { return false; }
  void offer() override {}
  [[nodiscard]] bool idle() override {
    ++idle_;
    return false;
  }
  [[nodiscard]] int times_idle() const { return idle_; }

 private:
  std::atomic<int> idle_{0};
};

TEST(Workers, CallWhoWantsToKnowThatTheyAreIdle) {
  std::atomic<int> idle{0};
  Counter supplier;
  Team team(2, [&](int lane) {
    EXPECT_TRUE(lane == 0 || lane == 1);
    ++idle;
  });
  team.workers().attach(supplier);
  team.begin();

  while (idle < 2 || supplier.times_idle() < 2) std::this_thread::yield();
  team.end();

  EXPECT_GE(idle, 2);
}

/// Holds jobs back until a worker asks for them, which it does before it sleeps.
class Miser final : public Supplier {
 public:
  explicit Miser(Team& team) : team_(team) {}
  void keep(Work& work) {
    kept_ = &work;
    holds_.store(true);
  }
  [[nodiscard]] bool holds_back() const override { return holds_.load(); }
  void offer() override {}  // refuses as long as it may
  [[nodiscard]] bool idle() override {
    if (holds_.exchange(false)) team_.share(*kept_);
    return false;
  }

 private:
  Team& team_;
  Work* kept_ = nullptr;
  std::atomic<bool> holds_{false};
};

TEST(Workers, GetWhatIsHeldBackBeforeTheySleep) {
  Team team(1);
  Miser miser(team);
  std::latch ran(1);
  miser.keep(team.make([&](Worker& /*worker*/) { ran.count_down(); }));
  team.workers().attach(miser);

  team.begin();
  ran.wait();
  team.end();

  EXPECT_FALSE(miser.holds_back());
}

TEST(Workers, RunWhatIsPushedByTheCallThatTheyAreIdle) {
  std::vector<int> order;
  Team* whole = nullptr;
  Team team(1, [&](int /*lane*/) {
    if (order.size() < 10) whole->push([&](Worker& /*worker*/) { order.push_back(1); });
  });
  whole = &team;

  team.begin();
  team.end();

  EXPECT_EQ(order.size(), 10U);
}

TEST(Workers, KnowTheirOwnThreadsOnly) {
  Team team(1);
  Team other(1);
  Worker* inside = nullptr;
  Worker stranger;
  Worker* of_another = &stranger;
  bool same = false;
  team.push([&](Worker& worker) {
    inside = team.workers().current();
    same = inside == &worker;
    of_another = other.workers().current();
  });

  team.begin();
  team.end();

  EXPECT_TRUE(same);
  EXPECT_EQ(of_another, nullptr);
  EXPECT_EQ(team.workers().current(), nullptr);
}

TEST(Workers, MayBePushedToFromManyThreads) {
  Team team(2);
  std::atomic<int> ran{0};
  std::array<std::vector<Work*>, 4> works;
  for (std::vector<Work*>& own : works) {
    for (int i = 0; i < 2000; ++i) own.push_back(&team.make([&](Worker& /*worker*/) { ++ran; }, i % 3 - 1));
  }
  team.begin();

  {
    std::vector<std::jthread> pushers;
    for (const std::vector<Work*>& own : works) {
      pushers.emplace_back([&] {
        for (Work* const work : own) team.push(*work);
      });
    }
  }
  team.end();

  EXPECT_EQ(ran, 8000);
}

std::vector<int> order_with(std::optional<std::uint64_t> seed) {
  Team team(
      1, [](int /*lane*/) {}, seed);
  std::vector<int> order;
  for (int i = 0; i < 200; ++i) {
    team.push([&team, &order, i](Worker& /*worker*/) {
      order.push_back(i);
      team.push([&order, i](Worker& /*own*/) { order.push_back(1000 + i); });
    });
  }
  team.begin();
  team.end();
  return order;
}

TEST(Workers, RepeatARandomOrderForItsSeed) {
  const std::vector<int> first = order_with(5);

  EXPECT_EQ(first.size(), 400U);
  EXPECT_EQ(order_with(5), first);
  EXPECT_NE(order_with(6), first);
  EXPECT_NE(order_with(std::nullopt), first);
}

}  // namespace
}  // namespace penstock::executor
