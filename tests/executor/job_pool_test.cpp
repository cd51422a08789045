#include "executor/job_pool.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <span>
#include <thread>
#include <vector>

namespace penstock::executor {
namespace {

class JobPoolOfTwo : public testing::Test {
 protected:
  std::array<Job, 100> jobs_{};
  JobPool pool_{2};

  void SetUp() override { pool_.open(2); }
  void push(std::size_t first, std::size_t count) {
    std::vector<Job*> batch;
    for (std::size_t i = first; i < first + count; ++i) batch.push_back(&jobs_[i]);
    pool_.push(batch);
  }
};

TEST_F(JobPoolOfTwo, GivesASingleLaneEverythingInOrder) {
  push(0, 100);

  for (std::size_t i = 0; i < 100; ++i) ASSERT_EQ(pool_.take(0), &jobs_[i]);
  EXPECT_EQ(pool_.take(0), nullptr);
}

TEST_F(JobPoolOfTwo, LetsALaneTakeWhatAnotherHasTakenAhead) {
  push(0, 100);

  ASSERT_NE(pool_.take(0), nullptr);  // lane 0 has taken some ahead and is busy now
  std::size_t taken = 1;
  while (pool_.take(1) != nullptr) ++taken;

  EXPECT_EQ(taken, 100U);
}

TEST_F(JobPoolOfTwo, DoesNotSleepWhileAnotherLaneHoldsWork) {
  push(0, 8);
  ASSERT_NE(pool_.take(0), nullptr);
  while (pool_.has_waiting(1)) ASSERT_NE(pool_.take(1), nullptr);

  EXPECT_TRUE(pool_.sleep(1));
}

TEST_F(JobPoolOfTwo, WakesASleeperForWork) {
  Job* taken = nullptr;

  {
    std::jthread worker([&] {
      while (taken == nullptr && pool_.sleep(1)) taken = pool_.take(1);
    });
    push(0, 1);
  }

  EXPECT_EQ(taken, &jobs_[0]);
}

TEST_F(JobPoolOfTwo, SendsSleepersHomeWhenClosed) {
  bool stays = true;

  {
    std::jthread worker([&] {
      while (stays) stays = pool_.sleep(1);
    });
    pool_.close();
  }

  EXPECT_FALSE(stays);
}

TEST_F(JobPoolOfTwo, GivesOutWhatWasPushedBeforeItWasClosed) {
  push(0, 1);
  pool_.close();

  EXPECT_TRUE(pool_.sleep(0));
  EXPECT_EQ(pool_.take(0), &jobs_[0]);
  EXPECT_FALSE(pool_.sleep(0));
}

TEST_F(JobPoolOfTwo, GivesUrgentJobsFirstAndThoseOfTheBackgroundLast) {
  jobs_[1].priority = -1;
  jobs_[2].priority = 5;
  jobs_[3].priority = 7;
  jobs_[4].priority = 5;
  push(0, 5);

  for (const std::size_t expected : {3U, 2U, 4U, 0U, 1U}) EXPECT_EQ(pool_.take(0), &jobs_[expected]);
  EXPECT_EQ(pool_.take(0), nullptr);
}

TEST_F(JobPoolOfTwo, GivesUrgentJobsBeforeWhatALaneHasTakenAhead) {
  push(0, 50);
  ASSERT_EQ(pool_.take(0), &jobs_[0]);
  jobs_[50].priority = 1;
  push(50, 1);

  EXPECT_TRUE(pool_.has_better(0));
  EXPECT_EQ(pool_.take(0), &jobs_[50]);
}

std::vector<const Job*> shuffled(std::span<Job> jobs, std::uint64_t seed) {
  JobPool pool(1, seed);
  pool.open(1);
  for (Job& job : jobs) {
    Job* const one = &job;
    pool.push({&one, 1});
  }
  std::vector<const Job*> order;
  while (const Job* job = pool.take(0)) order.push_back(job);
  return order;
}

TEST_F(JobPoolOfTwo, GivesTheSameRandomOrderForTheSameSeed) {
  const auto first = shuffled(jobs_, 7);

  EXPECT_EQ(first.size(), jobs_.size());
  EXPECT_EQ(std::set(first.begin(), first.end()).size(), jobs_.size());
  EXPECT_EQ(first, shuffled(jobs_, 7));
  EXPECT_NE(first, shuffled(jobs_, 8));
}

}  // namespace
}  // namespace penstock::executor
