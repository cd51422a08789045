#include "executor/ranked_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "support/random.hpp"

namespace penstock::executor {
namespace {

TEST(RankedQueue, GivesNothingWhenItIsEmpty) {
  Job job{.priority = 3};
  RankedQueue queue;
  EXPECT_EQ(queue.pop(), nullptr);

  queue.push(&job);
  EXPECT_EQ(queue.size(), 1U);
  EXPECT_EQ(queue.pop(), &job);

  EXPECT_EQ(queue.pop(), nullptr);
  EXPECT_EQ(queue.size(), 0U);
}

TEST(RankedQueue, OrdersTheLargestAndTheSmallestPriority) {
  std::array<Job, 4> jobs{{{.priority = -1},
                           {.priority = std::numeric_limits<std::int32_t>::min()},
                           {.priority = std::numeric_limits<std::int32_t>::max()},
                           {.priority = 1}}};
  RankedQueue queue;

  for (Job& job : jobs) queue.push(&job);

  for (const std::size_t expected : {2U, 3U, 0U, 1U}) EXPECT_EQ(queue.pop(), &jobs[expected]);
}

TEST(RankedQueue, GivesWhatASortGivesWhateverIsPushedBetween) {
  support::Random random(17);
  std::vector<Job> jobs(2000);
  std::vector<Job*> waiting;  // by priority, then by age
  std::size_t pushed = 0;
  RankedQueue queue;

  for (int step = 0; step < 6000; ++step) {
    if (pushed < jobs.size() && random.chance(50)) {
      Job* const job = &jobs[pushed++];
      job->priority = static_cast<std::int32_t>(random.below(5)) - 2;
      const auto after = [&](const Job* other) { return other->priority < job->priority; };
      waiting.insert(std::ranges::find_if(waiting, after), job);
      queue.push(job);
    } else {
      Job* const expected = waiting.empty() ? nullptr : waiting.front();
      if (expected != nullptr) waiting.erase(waiting.begin());
      ASSERT_EQ(queue.pop(), expected) << step;
    }
    ASSERT_EQ(queue.size(), waiting.size());
  }
}

}  // namespace
}  // namespace penstock::executor
