#include "executor/local_queue.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "executor/job.hpp"

namespace penstock::executor {
namespace {

TEST(LocalQueue, GivesBackInTheOrderOfPushing) {
  std::array<Job, 3> jobs;
  LocalQueue queue;

  for (Job& job : jobs) queue.push(&job);

  for (Job& job : jobs) EXPECT_EQ(queue.pop(), &job);
  EXPECT_EQ(queue.pop(), nullptr);
}

TEST(LocalQueue, TakesItsCapacityAgainAndAgain) {
  std::vector<Job> jobs(LocalQueue::capacity);
  LocalQueue queue;

  for (int round = 0; round < 3; ++round) {
    for (Job& job : jobs) queue.push(&job);
    EXPECT_FALSE(queue.empty());
    for (Job& job : jobs) ASSERT_EQ(queue.pop(), &job);
    EXPECT_TRUE(queue.empty());
  }
}

TEST(LocalQueue, GivesEachPieceToOneOfSeveralTakers) {
  constexpr std::size_t rounds = 2000;
  std::vector<Job> jobs(rounds * LocalQueue::capacity);
  std::vector<std::atomic<int>> taken(jobs.size());
  std::atomic<bool> filled{false};
  LocalQueue queue;
  const auto take_all = [&] {
    while (Job* job = queue.pop()) ++taken[static_cast<std::size_t>(job - jobs.data())];
  };

  {
    std::jthread thief([&] {
      while (!filled) take_all();
      take_all();
    });
    for (std::size_t round = 0; round < rounds; ++round) {
      for (std::size_t i = 0; i < LocalQueue::capacity; ++i) queue.push(&jobs[round * LocalQueue::capacity + i]);
      take_all();
    }
    filled = true;
  }

  for (std::size_t i = 0; i < taken.size(); ++i) ASSERT_EQ(taken[i], 1) << i;
}

}  // namespace
}  // namespace penstock::executor
