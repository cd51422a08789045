#include "executor/job_ring.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "executor/job.hpp"
#include "support/interleavings.hpp"

namespace penstock::executor {
namespace {

std::vector<Job*> pop(JobRing<>& ring, std::size_t most) {
  std::vector<Job*> jobs(most);
  jobs.resize(ring.pop(jobs));
  return jobs;
}

TEST(JobRing, GivesBackInTheOrderOfPushing) {
  std::array<Job, 5> jobs{};
  JobRing ring(8);
  EXPECT_TRUE(pop(ring, 3).empty());

  for (Job& job : jobs) EXPECT_TRUE(ring.push(&job));
  EXPECT_EQ(ring.size(), 5U);

  EXPECT_EQ(pop(ring, 2), (std::vector{&jobs[0], &jobs[1]}));
  EXPECT_EQ(pop(ring, 9), (std::vector{&jobs[2], &jobs[3], &jobs[4]}));
  EXPECT_TRUE(pop(ring, 1).empty());
  EXPECT_EQ(ring.size(), 0U);
}

TEST(JobRing, RefusesWhatDoesNotFitAndGoesOnAfterwards) {
  std::array<Job, 4> jobs{};
  Job late;
  JobRing ring(4);
  for (int round = 0; round < 5; ++round) {
    for (Job& job : jobs) ASSERT_TRUE(ring.push(&job));
    ASSERT_FALSE(ring.push(&late));
    ASSERT_EQ(pop(ring, 1), std::vector{&jobs[0]});
    ASSERT_TRUE(ring.push(&late));

    ASSERT_EQ(pop(ring, 8), (std::vector{&jobs[1], &jobs[2], &jobs[3], &late}));
  }
}

TEST(JobRing, TakesNothingWhereNothingIsWanted) {
  Job job;
  JobRing ring(2);
  ASSERT_TRUE(ring.push(&job));

  EXPECT_TRUE(pop(ring, 0).empty());

  EXPECT_EQ(ring.size(), 1U);
}

/// Threads that push and take, a ring of `Capacity` slots that has been around once and a half.
template <int Threads, int Capacity>
class Scene {
 public:
  static constexpr int threads = Threads;

  Scene() {
    for (int i = 0; i < Capacity + Capacity / 2; ++i) {
      static_cast<void>(ring.push(&old));
      std::array<Job*, 1> one{};
      static_cast<void>(ring.pop(one));
    }
  }

  [[nodiscard]] std::string wrong() {
    for (std::size_t left = 1; left > 0;) left = take(0, Capacity);
    std::array<int, most> times{};
    for (const std::vector<Job*>& own : taken) {
      std::array<Job*, Threads> latest{};  // of each pusher
      for (Job* const job : own) {
        if (job < jobs.data() || job >= jobs.data() + jobs.size()) return "a job of long ago came again";
        const auto number = static_cast<std::size_t>(job - jobs.data());
        ++times[number];
        Job*& before = latest[number / each];
        if (job <= before) return "the order of a pusher is lost";
        before = job;
      }
    }
    for (std::size_t i = 0; i < most; ++i) {
      if (times[i] != (pushed[i] ? 1 : 0)) return "job " + std::to_string(i) + " came " + std::to_string(times[i]);
    }
    return ring.size() == 0 ? "" : "the ring is not empty";
  }

 protected:
  static constexpr std::size_t each = 16;
  static constexpr std::size_t most = Threads * each;

  void push(int thread) {
    const auto own = static_cast<std::size_t>(thread);
    const std::size_t number = own * each + next[own]++;
    pushed[number] = ring.push(&jobs[number]);
  }
  std::size_t take(int thread, std::size_t wanted) {
    std::vector<Job*> jobs_taken(wanted);
    jobs_taken.resize(ring.pop(jobs_taken));
    std::vector<Job*>& own = taken[static_cast<std::size_t>(thread)];
    own.insert(own.end(), jobs_taken.begin(), jobs_taken.end());
    return jobs_taken.size();
  }

  JobRing<support::Atomic> ring{Capacity};
  Job old;
  std::array<Job, most> jobs{};
  std::array<std::size_t, Threads> next{};
  std::array<bool, most> pushed{};
  std::array<std::vector<Job*>, Threads> taken;
};

struct TwoPushersAndATaker : Scene<3, 2> {
  void run(int thread) {
    if (thread < 2)
      push(thread);
    else
      take(thread, 2);
  }
};

TEST(JobRingInterleavings, GiveEachJobToOneTaker) {
  const support::Exploration all = support::explore_all<TwoPushersAndATaker>();

  EXPECT_FALSE(all.fault) << to_string(all);
  EXPECT_GT(all.schedules, 1000U);
}

struct APusherAndTwoTakers : Scene<3, 2> {
  APusherAndTwoTakers() {
    push(0);
    push(0);
  }
  void run(int thread) {
    if (thread == 0)
      push(0);
    else
      take(thread, 1);
  }
};

TEST(JobRingInterleavings, GiveEachJobOnceWhileTheRingIsFull) {
  const support::Exploration all = support::explore_all<APusherAndTwoTakers>();

  EXPECT_FALSE(all.fault) << to_string(all);
  EXPECT_GT(all.schedules, 1000U);
}

struct ManyRounds : Scene<5, 4> {
  void run(int thread) {
    for (std::size_t i = 0; i < 8; ++i) {
      if (thread % 2 == 0)
        push(thread);
      else
        take(thread, i % 4 + 1);
    }
  }
};

TEST(JobRingInterleavings, GiveEachJobOnceOverManyRounds) {
  const support::Exploration some = support::explore_randomly<ManyRounds>({.seed = 2, .schedules = 5000, .depth = 6});

  EXPECT_FALSE(some.fault) << to_string(some);
}

TEST(JobRing, LosesNothingBetweenRealThreads) {
  constexpr std::size_t each = 20'000;
  std::vector<Job> jobs(2 * each);
  std::vector<std::atomic<int>> times(jobs.size());
  std::atomic<std::size_t> left{jobs.size()};
  JobRing ring(64);

  {
    std::vector<std::jthread> threads;
    for (std::size_t pusher = 0; pusher < 2; ++pusher) {
      threads.emplace_back([&, pusher] {
        for (std::size_t i = pusher * each; i < (pusher + 1) * each; ++i) {
          while (!ring.push(&jobs[i])) std::this_thread::yield();
        }
      });
      threads.emplace_back([&] {
        std::array<Job*, 7> own{};
        while (left > 0) {
          const std::size_t count = ring.pop(own);
          for (std::size_t i = 0; i < count; ++i) ++times[static_cast<std::size_t>(own[i] - jobs.data())];
          left -= count;
          if (count == 0) std::this_thread::yield();
        }
      });
    }
  }

  for (std::size_t i = 0; i < times.size(); ++i) ASSERT_EQ(times[i], 1) << i;
}

}  // namespace
}  // namespace penstock::executor
