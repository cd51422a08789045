#include "executor/guests.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <initializer_list>
#include <latch>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <penstock/error.hpp>

#include "executor/team.hpp"

namespace penstock::executor {
namespace {

/// A gang that does what the test says, and notes the rest.
struct TestGang final : Gang {
  explicit TestGang(
      int cores, std::function<void()> what = [] {})
      : Gang(cores), body(std::move(what)) {}

  bool prepare(Worker& worker) override {
    prepared_on = worker.lane;
    return runs;
  }
  void run() override { body(); }
  void refuse(const std::string& why) override { ADD_FAILURE() << why; }
  void unpark(Worker& worker, int index) override {
    const std::lock_guard lock(mutex);
    lanes.insert(worker.lane);
    indices.insert(index);
  }
  void finish(Worker& worker) override {
    if (then) then(worker);
    finished.count_down();
  }

  std::function<void()> body;
  std::function<void(Worker&)> then;
  bool runs = true;
  int prepared_on = -1;
  std::mutex mutex;  ///< guards what follows
  std::set<int> lanes;
  std::set<int> indices;
  std::latch finished{1};
};

Workers::Options lanes(
    int count, std::function<void(int)> on_guest = [](int /*cores*/) {}) {
  Workers::Options options{.lanes_most = count, .idle = [](int /*lane*/) {}, .seed = std::nullopt};
  options.on_guest = std::move(on_guest);
  return options;
}

TEST(Guests, RunTheBodyOnceWhileAsManyWorkersAreParked) {
  Team team(3);
  int ran = 0;
  bool is_worker = false;
  const Worker* current = nullptr;
  TestGang gang(2, [&] {
    ++ran;
    is_worker = Workers::is_worker();
    current = team.workers().current();
  });
  team.push([&](Worker& /*worker*/) { team.workers().begin(gang); });

  team.begin();
  gang.finished.wait();
  team.end();

  EXPECT_EQ(ran, 1);
  EXPECT_TRUE(is_worker);
  EXPECT_EQ(current, nullptr);
  EXPECT_EQ(gang.indices, (std::set{0, 1}));
  EXPECT_EQ(gang.lanes.size(), 2U);
  EXPECT_TRUE(gang.lanes.contains(gang.prepared_on));
}

TEST(Guests, RunNothingWhenNothingIsToRun) {
  Team team(2);
  bool ran = false;
  TestGang gang(2, [&] { ran = true; });
  gang.runs = false;
  team.push([&](Worker& /*worker*/) { team.workers().begin(gang); });

  team.begin();
  gang.finished.wait();
  team.end();

  EXPECT_FALSE(ran);
  EXPECT_EQ(gang.indices, (std::set{0, 1}));
}

TEST(Guests, LeaveTheOtherWorkersAtWork) {
  Team team(3);
  std::latch passed(1);
  TestGang gang(2, [&] {
    team.share([&](Worker& /*worker*/) { passed.count_down(); });
    passed.wait();
  });
  team.push([&](Worker& /*worker*/) { team.workers().begin(gang); });

  team.begin();
  gang.finished.wait();
  team.end();

  EXPECT_TRUE(passed.try_wait());
}

/// Which guests ran gangs of these numbers of cores, one after the other, and what they were told to enter.
struct Served {
  std::vector<std::thread::id> by;
  std::vector<int> entered;

  explicit Served(std::initializer_list<int> numbers_of_cores) {
    Team team(lanes(4, [&](int cores) { entered.push_back(cores); }));
    team.begin();
    for (const int cores : numbers_of_cores) {
      TestGang gang(cores, [&] { by.push_back(std::this_thread::get_id()); });
      team.push([&](Worker& /*worker*/) { team.workers().begin(gang); });
      gang.finished.wait();
    }
  }
};

TEST(Guests, AreKeptForTheirNumberOfCores) {
  const Served served({2, 3, 2, 3, 3, 2});

  EXPECT_EQ(served.entered, (std::vector{2, 3}));
  EXPECT_NE(served.by[0], served.by[1]);
  EXPECT_EQ(served.by[2], served.by[0]);
  EXPECT_EQ(served.by[3], served.by[1]);
  EXPECT_EQ(served.by[4], served.by[1]);
  EXPECT_EQ(served.by[5], served.by[0]);
}

/// Not more than twice the threads that there are workers are kept.
TEST(Guests, ChangeTheirNumberOfCoresWhenManyAreKept) {
  const Served served({2, 3, 4, 3, 4});

  EXPECT_EQ(served.entered, (std::vector{2, 3, 4}));
  EXPECT_EQ(served.by[2], served.by[0]);
  EXPECT_EQ(served.by[3], served.by[1]);
  EXPECT_EQ(served.by[4], served.by[0]);
}

TEST(Guests, HaveNoMoreThreadsAtWorkThanThereAreWorkers) {
  constexpr int count = 4;
  constexpr int singles = 4000;
  constexpr int gang_count = 400;
  Team team(lanes(count), 2);
  std::atomic<int> busy{0};
  std::atomic<int> ran{0};
  const auto work = [&](int threads) {
    EXPECT_LE(busy += threads, count);
    ++ran;
    busy -= threads;
  };
  std::vector<std::unique_ptr<TestGang>> gangs;
  for (int i = 0; i < gang_count; ++i) {
    gangs.push_back(std::make_unique<TestGang>(2 + i % 3, [&work, cores = 2 + i % 3] { work(cores); }));
  }
  team.begin();

  for (const auto& gang : gangs) {
    for (int i = 0; i < singles / gang_count; ++i) team.push([&](Worker& /*worker*/) { work(1); });
    team.push([&](Worker& /*worker*/) { team.workers().begin(*gang); });
  }
  for (const auto& gang : gangs) gang->finished.wait();
  team.end();

  EXPECT_EQ(ran, singles + gang_count);
}

TEST(Guests, AssembleBeforeTheJobsThatWait) {
  Team team(2);
  std::atomic<int> ran{0};
  int ran_before = -1;
  std::latch begun(1);
  TestGang gang(2, [&] { ran_before = ran; });
  team.push([&](Worker& /*worker*/) {
    team.workers().begin(gang);
    begun.count_down();
  });
  for (int i = 0; i < 1000; ++i) {
    team.push([&](Worker& /*worker*/) {
      begun.wait();
      ++ran;
    });
  }

  team.begin();
  team.end();

  EXPECT_GE(ran_before, 0);
  EXPECT_LE(ran_before, 2);
  EXPECT_EQ(ran, 1000);
}

/// Gangs of as many cores as there are workers, each begun by the one before, beside jobs that push others.
struct GangsAndStreams {
  static constexpr std::size_t gang_count = 300;
  static constexpr std::size_t streams = 4;

  Team team;
  std::vector<std::unique_ptr<TestGang>> gangs;
  std::atomic<std::size_t> gangs_ended{0};
  std::atomic<std::size_t> singles{0};
  std::vector<std::size_t> seen = std::vector<std::size_t>(streams);     // gangs, by the last job of each stream
  std::vector<std::size_t> longest = std::vector<std::size_t>(streams);  // gangs between two of its jobs

  explicit GangsAndStreams(int workers) : team(workers) {
    for (std::size_t i = 0; i < gang_count; ++i) {
      gangs.push_back(std::make_unique<TestGang>(workers));
      gangs.back()->then = [this, i](Worker& /*worker*/) {
        ++gangs_ended;
        if (i + 1 < gang_count) begin(i + 1);
      };
    }
    for (std::size_t number = 0; number < streams; ++number) stream(number);
    begin(0);
    team.begin();
    gangs.back()->finished.wait();
    team.end();
  }
  void begin(std::size_t index) {
    team.push([this, index](Worker& /*worker*/) { team.workers().begin(*gangs[index]); });
  }
  void stream(std::size_t number) {
    team.share([this, number](Worker& /*worker*/) {
      const std::size_t now = gangs_ended;
      longest[number] = std::max(longest[number], now - seen[number]);
      seen[number] = now;
      ++singles;
      if (now < gang_count) stream(number);
    });
  }
};

TEST(Guests, LetSingleJobsAndAChainOfGangsBothProgress) {
  for (const int workers : {1, 2}) {
    const GangsAndStreams run(workers);

    EXPECT_GE(run.singles, GangsAndStreams::gang_count / Workers::chain_most);
    EXPECT_LE(std::ranges::max(run.longest), 2U * Workers::chain_most);
  }
}

TEST(Guests, MayBeWaitedForInAJob) {
  Team team(2);
  std::atomic<int> ran{0};
  team.begin();

  for (int i = 0; i < 200; ++i) {
    TestGang gang(2, [&] { ++ran; });
    std::latch ended(1);
    team.push([&](Worker& /*worker*/) {
      team.workers().begin(gang);
      {
        const Workers::Away away(team.workers());
        gang.finished.wait();
      }
      ended.count_down();
    });
    ended.wait();
  }
  team.end();

  EXPECT_EQ(ran, 200);
}

/// Two workers, and the body on both of them waits for a job, or for another gang on both.
TEST(Guests, GiveTheirWorkersAwayWhileTheirBodiesWait) {
  Team team(2);
  std::atomic<int> busy{0};
  TestGang inner(2, [&] {
    EXPECT_LE(busy += 2, 2);
    busy -= 2;
  });
  TestGang outer(2, [&] {
    EXPECT_TRUE(team.workers().is_at_work());
    std::latch single(1);
    team.workers().begin(inner);
    team.share([&](Worker& /*worker*/) {
      EXPECT_LE(++busy, 2);
      --busy;
      single.count_down();
    });
    {
      const Workers::Away away(team.workers());
      EXPECT_FALSE(team.workers().is_at_work());
      EXPECT_TRUE(Workers::is_worker());
      inner.finished.wait();
      single.wait();
    }
    EXPECT_TRUE(team.workers().is_at_work());
    EXPECT_LE(busy += 2, 2);
    busy -= 2;
  });
  team.push([&](Worker& /*worker*/) { team.workers().begin(outer); });

  team.begin();
  outer.finished.wait();
  team.end();

  EXPECT_EQ(outer.indices, (std::set{0, 1}));
}

/// Gangs whose bodies wait, several times, for single jobs, all at once on the same workers.
TEST(Guests, MayWaitInManyBodiesAtOnce) {
  constexpr int count = 4;
  Team team(count);
  std::atomic<int> busy{0};
  std::atomic<int> most{0};
  const auto work = [&](int threads) {
    const int now = busy += threads;
    for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
    }
    busy -= threads;
  };
  std::vector<std::unique_ptr<TestGang>> gangs;
  for (int i = 0; i < 100; ++i) {
    const int cores = 2 + i % 3;
    gangs.push_back(std::make_unique<TestGang>(cores, [&team, &work, cores] {
      for (int times = 0; times < 3; ++times) {
        work(cores);
        std::latch single(1);
        team.share([&](Worker& /*worker*/) {
          work(1);
          single.count_down();
        });
        const Workers::Away away(team.workers());
        single.wait();
      }
      work(cores);
    }));
  }
  team.begin();

  for (const auto& gang : gangs) team.push([&](Worker& /*worker*/) { team.workers().begin(*gang); });
  for (const auto& gang : gangs) gang->finished.wait();
  team.end();

  EXPECT_LE(most, count);
}

TEST(Guests, SayThatTheirWorkersCannotBeGivenAway) {
  Workers::Options options = lanes(2);
  options.substitutes_most = 1;
  Team team(std::move(options));
  std::string message;
  bool goes_on = false;
  TestGang gang(2, [&] {
    try {
      const Workers::Away away(team.workers());
    } catch (const Error& error) {
      message = error.what();
    }
    goes_on = team.workers().is_at_work();
  });
  team.push([&](Worker& /*worker*/) { team.workers().begin(gang); });

  team.begin();
  gang.finished.wait();
  team.end();

  EXPECT_EQ(message, "2 tasks wait inside their bodies at once, more than the 1 that may");
  EXPECT_TRUE(goes_on);
}

/// Whose cores are free.
TEST(Guests, DoWithoutWorkersThatHaveGoneHome) {
  Team team(3);
  int ran = 0;
  TestGang gang(3, [&] { ++ran; });
  team.workers().close();
  team.workers().work(1);
  team.workers().work(2);
  team.push([&](Worker& /*worker*/) { team.workers().begin(gang); });

  team.workers().work(0);

  EXPECT_EQ(ran, 1);
  EXPECT_EQ(gang.indices, (std::set{0, 1, 2}));
}

TEST(Guests, EndWhatIsBegunWhileTheTeamIsClosed) {
  for (int i = 0; i < 100; ++i) {
    std::atomic<int> ran{0};
    TestGang first(4, [&] { ++ran; });
    TestGang second(3, [&] { ++ran; });
    Team team(4);
    std::latch begun(1);
    std::latch closed(1);
    team.push([&](Worker& /*worker*/) {
      begun.count_down();
      closed.wait();
      team.workers().begin(first);
      team.workers().begin(second);
    });
    team.begin();
    begun.wait();

    closed.count_down();
    team.end();

    ASSERT_EQ(ran, 2);
  }
}

}  // namespace
}  // namespace penstock::executor
