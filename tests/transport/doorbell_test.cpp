#include "transport/doorbell.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace penstock::transport {

namespace {

using namespace std::chrono_literals;

TEST(Doorbell, RemembersARingForTheNextWaitOnly) {
  Doorbell bell;
  bell.ring();
  bell.ring();

  const bool first = bell.wait(100s);
  const bool second = bell.wait(1us);

  EXPECT_TRUE(first);
  EXPECT_FALSE(second);
}

TEST(Doorbell, SleepsUntilItsLimitWhenNobodyRings) {
  Doorbell bell;
  const auto begin = std::chrono::steady_clock::now();

  const bool rung = bell.wait(2ms);

  EXPECT_FALSE(rung);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 2ms);
}

TEST(Doorbell, LosesNoRingOfManyThreads) {
  // Each ring announces a count; a lost one would leave the last count unseen and the wait asleep.
  constexpr int rings = 20'000;
  Doorbell bell;
  std::atomic<int> announced = 0;
  const auto ring_often = [&] {
    for (int nth = 0; nth < rings; ++nth) {
      ++announced;
      bell.ring();
    }
  };
  std::jthread first(ring_often);
  std::jthread second(ring_often);

  bool lost = false;
  while (!lost && announced < 2 * rings) lost = !bell.wait(30s);

  EXPECT_FALSE(lost);
}

}  // namespace

}  // namespace penstock::transport
