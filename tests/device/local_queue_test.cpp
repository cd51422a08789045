#include "device/cpu/local_queue.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "device/device.hpp"

namespace penstock::device {
namespace {

TEST(LocalQueue, GivesBackInTheOrderOfPushing) {
  std::array<Work, 3> work;
  LocalQueue queue;

  for (Work& piece : work) queue.push(&piece);

  for (Work& piece : work) EXPECT_EQ(queue.pop(), &piece);
  EXPECT_EQ(queue.pop(), nullptr);
}

TEST(LocalQueue, TakesItsCapacityAgainAndAgain) {
  std::vector<Work> work(LocalQueue::capacity);
  LocalQueue queue;

  for (int round = 0; round < 3; ++round) {
    for (Work& piece : work) queue.push(&piece);
    EXPECT_FALSE(queue.empty());
    for (Work& piece : work) ASSERT_EQ(queue.pop(), &piece);
    EXPECT_TRUE(queue.empty());
  }
}

TEST(LocalQueue, GivesEachPieceToOneOfSeveralTakers) {
  constexpr std::size_t rounds = 2000;
  std::vector<Work> work(rounds * LocalQueue::capacity);
  std::vector<std::atomic<int>> taken(work.size());
  std::atomic<bool> filled{false};
  LocalQueue queue;
  const auto take_all = [&] {
    while (Work* piece = queue.pop()) ++taken[static_cast<std::size_t>(piece - work.data())];
  };

  {
    std::jthread thief([&] {
      while (!filled) take_all();
      take_all();
    });
    for (std::size_t round = 0; round < rounds; ++round) {
      for (std::size_t i = 0; i < LocalQueue::capacity; ++i) queue.push(&work[round * LocalQueue::capacity + i]);
      take_all();
    }
    filled = true;
  }

  for (std::size_t i = 0; i < taken.size(); ++i) ASSERT_EQ(taken[i], 1) << i;
}

}  // namespace
}  // namespace penstock::device
