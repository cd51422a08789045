// Jobs that wait inside their bodies, and give their worker's lane away meanwhile.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <latch>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <penstock/error.hpp>

#include "executor/team.hpp"
#include "support/random.hpp"

namespace penstock::executor {
namespace {

/// In a job: until `count` is down, while others work on the lane.
void wait_away(Team& team, std::latch& latch) {
  const Workers::Away away(team.workers());
  latch.wait();
}

Workers::Options lanes(int count) {
  return {.lanes_most = count, .idle = [](int /*lane*/) {}, .seed = std::nullopt};
}

TEST(Away, LetsTheOnlyWorkerRunWhatItsJobWaitsFor) {
  Team team(1);
  std::latch other(1);
  std::vector<int> order;
  team.push([&](Worker& /*worker*/) {
    team.share([&](Worker& /*own*/) {
      order.push_back(1);
      other.count_down();
    });
    wait_away(team, other);
    order.push_back(2);
  });

  team.begin();
  team.end();

  EXPECT_EQ(order, (std::vector{1, 2}));
}

TEST(Away, LeavesTheNextJobOfItsWorkerToTheOther) {
  Team team(1);
  std::latch other(1);
  bool was_next = false;
  team.push([&](Worker& worker) {
    Work& next = team.make([&](Worker& /*own*/) { other.count_down(); });
    team.push(next);
    was_next = worker.next == &next;
    wait_away(team, other);
  });

  team.begin();
  team.end();

  EXPECT_TRUE(was_next);
}

TEST(Away, IsNoWorkerOfTheTeamAndMayStillNotWaitForOthers) {
  Team team(1);
  std::array<bool, 6> was{};
  Worker* back = nullptr;
  team.push([&](Worker& worker) {
    std::latch other(1);
    team.share([&](Worker& own) {  // on the spare thread
      was[0] = team.workers().current() == &own && own.lane == 0;
      was[1] = Workers::is_worker();
      other.count_down();
    });
    {
      const Workers::Away away(team.workers());
      was[2] = team.workers().current() == nullptr;
      was[3] = Workers::is_worker();
      other.wait();
    }
    back = team.workers().current();
    was[4] = back == &worker;
    was[5] = Workers::is_worker();
  });

  team.begin();
  team.end();

  EXPECT_EQ(std::ranges::count(was, true), 6);
  EXPECT_FALSE(Workers::is_worker());
}

/// Job `depth` waits for job `depth` - 1, which it pushes, and so on; one that comes back finds its lane its own.
struct Nest {
  Team& team;
  std::atomic<int> back{0};
  std::atomic<int> together{0};  ///< lanes in use by jobs that are not away
  int lanes;

  Nest(Team& whole, int lane_count) : team(whole), lanes(lane_count) {}
  void wait(int depth, std::latch& done) {
    EXPECT_LE(++together, lanes);
    if (depth > 0) {
      std::latch below(1);
      team.push([this, depth, &below](Worker& /*worker*/) { wait(depth - 1, below); });
      --together;
      wait_away(team, below);
      EXPECT_LE(++together, lanes);
    }
    ++back;
    --together;
    done.count_down();
  }
};

TEST(Away, MayBeNestedFiveHundredTimes) {
  for (const int count : {1, 2}) {
    Team team(count);
    Nest nest(team, count);
    std::latch done(1);
    team.push([&](Worker& /*worker*/) { nest.wait(500, done); });

    team.begin();
    done.wait();
    team.end();

    EXPECT_EQ(nest.back, 501);
  }
}

TEST(Away, UsesItsSpareThreadsAgain) {
  Team team(1);
  std::set<std::thread::id> spares;
  team.begin();

  for (int i = 0; i < 200; ++i) {
    std::latch ended(1);
    team.push([&](Worker& /*worker*/) {
      std::latch other(1);
      team.push([&](Worker& /*own*/) {
        spares.insert(std::this_thread::get_id());
        other.count_down();
      });
      wait_away(team, other);
      ended.count_down();
    });
    ended.wait();
  }
  team.end();

  EXPECT_EQ(spares.size(), 1U);
}

TEST(Away, TellsItsSpareThreadsOfTheirLane) {
  std::atomic<int> told{-1};
  Workers::Options options = lanes(1);
  options.on_substitute = [&](int lane) { told = lane; };
  Team team(std::move(options));
  team.push([&](Worker& /*worker*/) {
    std::latch other(1);
    team.push([&](Worker& /*own*/) { other.count_down(); });
    wait_away(team, other);
  });

  team.begin();
  team.end();

  EXPECT_EQ(told, 0);
}

TEST(Away, SaysHowManyWaitWhenTheyAreTooMany) {
  constexpr int depth_most = 5;
  Workers::Options options = lanes(1);
  options.substitutes_most = 3;
  Team team(std::move(options));
  std::vector<std::unique_ptr<std::latch>> ended;
  for (int i = 0; i <= depth_most; ++i) ended.push_back(std::make_unique<std::latch>(1));
  std::vector<std::string> messages;
  std::function<void(std::size_t)> wait = [&](std::size_t depth) {
    if (depth < depth_most) {
      team.push([&, depth](Worker& /*worker*/) { wait(depth + 1); });
      try {
        wait_away(team, *ended[depth + 1]);
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::environment);
        messages.emplace_back(error.what());
      }
    }
    ended[depth]->count_down();
  };
  team.push([&](Worker& /*worker*/) { wait(0); });

  team.begin();
  ended[0]->wait();
  team.end();

  ASSERT_FALSE(messages.empty());
  EXPECT_EQ(messages[0], "4 tasks wait inside their bodies at once, more than the 3 that may");
}

TEST(Away, SeesTheEndOfATeamThatIsClosedMeanwhile) {
  Team team(2);
  std::latch begun(1);
  std::latch closed(1);
  std::latch last(1);
  bool ended = false;
  team.push([&](Worker& /*worker*/) {
    begun.count_down();
    {
      const Workers::Away away(team.workers());
      closed.wait();
      team.push([&](Worker& /*own*/) { last.count_down(); });  // another must still be there for it
      last.wait();
    }
    team.push([&](Worker& /*own*/) { ended = true; });
  });
  team.begin();
  begun.wait();

  team.workers().close();
  closed.count_down();
  team.end();

  EXPECT_TRUE(ended);
}

/// The spare thread sleeps, or is about to, when the program brings the job that is waited for.
TEST(Away, WakesTheSpareThreadForJobsOfTheProgram) {
  Team team(1);
  std::atomic<int> ended{0};
  team.begin();

  for (int i = 0; i < 1000; ++i) {
    std::latch begun(1);
    std::latch other(1);
    team.push([&](Worker& /*worker*/) {
      begun.count_down();
      wait_away(team, other);
      ++ended;
      ended.notify_one();
    });
    begun.wait();
    team.push([&](Worker& /*worker*/) { other.count_down(); });
    ended.wait(i);
  }
  team.end();

  EXPECT_EQ(ended, 1000);
}

/// A lane is woken for a job just when it is wanted back, and then does not take it: another lane must.
TEST(Away, LosesNoJobForWhichItsLaneWasWoken) {
  Team team(2);
  std::atomic<int> ended{0};
  team.begin();

  for (int i = 0; i < 1000; ++i) {
    std::latch begun(1);
    std::latch back(1);
    std::latch other(1);
    team.push([&](Worker& /*worker*/) {
      begun.count_down();
      wait_away(team, back);
      other.wait();  // and keeps the lane
      ++ended;
      ended.notify_one();
    });
    begun.wait();
    back.count_down();
    team.push([&](Worker& /*worker*/) { other.count_down(); });
    ended.wait(i);
  }
  team.end();

  EXPECT_EQ(ended, 1000);
}

/// Jobs that wait for some that were pushed before or after them, again and again.
class Rounds {
 public:
  static constexpr std::size_t jobs = 24;

  Rounds(int lanes, std::uint64_t seed) : team_(lanes), random_(seed), held_(static_cast<std::size_t>(lanes)) {
    team_.begin();
  }
  /// Each waits for a few of lower number; they are pushed in any order.
  void run() {
    std::vector<std::size_t> order(jobs);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = jobs; i-- > 1;) std::swap(order[i], order[random_.below(i + 1)]);
    for (std::size_t i = 0; i < jobs; ++i) {
      done_[i] = std::make_unique<std::latch>(1);
      waits_[i].clear();
      for (std::uint64_t more = random_.below(3); i > 0 && more > 0; --more) waits_[i].push_back(random_.below(i));
    }
    for (const std::size_t index : order) team_.share(work(index));
    for (const auto& latch : done_) latch->wait();
  }
  void end() { team_.end(); }
  [[nodiscard]] std::size_t ran() const { return std::accumulate(held_.begin(), held_.end(), std::size_t{0}, add); }

 private:
  struct alignas(64) Held {
    std::atomic<bool> by_a_thread{false};
    std::size_t jobs = 0;  ///< counted without a lock: the lane is one thread's
  };
  static std::size_t add(std::size_t sum, const Held& held) { return sum + held.jobs; }

  Work& work(std::size_t index) {
    if (works_.size() <= index) works_.resize(index + 1);
    if (works_[index] == nullptr) works_[index] = &team_.make([this, index](Worker& worker) { run(index, worker); });
    return *works_[index];
  }
  void run(std::size_t index, Worker& worker) {
    Held& held = held_[static_cast<std::size_t>(worker.lane)];
    EXPECT_FALSE(held.by_a_thread.exchange(true));
    for (const std::size_t other : waits_[index]) {
      held.by_a_thread = false;
      wait_away(team_, *done_[other]);
      EXPECT_FALSE(held.by_a_thread.exchange(true));
    }
    ++held.jobs;
    held.by_a_thread = false;
    done_[index]->count_down();
  }

  Team team_;
  support::Random random_;
  std::vector<Held> held_;
  std::vector<Work*> works_;
  std::array<std::unique_ptr<std::latch>, jobs> done_;
  std::array<std::vector<std::size_t>, jobs> waits_;
};

TEST(Away, NeverHasTwoThreadsOnALaneAndEndsAllThatWaits) {
  constexpr std::size_t count = 400;
  for (const int lane_count : {1, 2, 3}) {
    Rounds rounds(lane_count, 7);

    for (std::size_t i = 0; i < count; ++i) rounds.run();
    rounds.end();

    EXPECT_EQ(rounds.ran(), count * Rounds::jobs);
  }
}

}  // namespace
}  // namespace penstock::executor
