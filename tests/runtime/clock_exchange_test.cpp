#include "runtime/clock_exchange.hpp"

#include <gtest/gtest.h>

namespace penstock::runtime {

namespace {

constexpr std::int64_t second = 1'000'000'000;

core::Instant at(std::int64_t ns) { return {ns}; }

TEST(ClockExchange, FindsTheDistanceOfTwoClocks) {
  ClockExchange exchange;
  const auto ping = exchange.ask(at(1'000));
  ASSERT_TRUE(ping);

  // The other clock shows 500 more, and the way takes 100 each.
  const auto sample = exchange.hear({ping->asked_ns, 1'100 + 500}, at(1'200));

  ASSERT_TRUE(sample);
  EXPECT_EQ(sample->at_ns, 1'100);
  EXPECT_EQ(sample->offset_ns, 500);
  EXPECT_EQ(sample->round_trip_ns, 200);
}

TEST(ClockExchange, HasOneQuestionUnderWay) {
  ClockExchange exchange;
  ASSERT_TRUE(exchange.ask(at(0)));

  EXPECT_TRUE(exchange.asking());
  EXPECT_FALSE(exchange.ask(at(10 * second)));

  EXPECT_TRUE(exchange.hear({0, 7}, at(10 * second)));
  EXPECT_FALSE(exchange.asking());
}

TEST(ClockExchange, TakesNoAnswerToAnotherQuestion) {
  ClockExchange exchange;
  EXPECT_FALSE(exchange.hear({5, 6}, at(10)));
  ASSERT_TRUE(exchange.ask(at(20)));

  EXPECT_FALSE(exchange.hear({5, 6}, at(30)));
  EXPECT_TRUE(exchange.asking());
}

TEST(ClockExchange, AsksOftenAtFirstAndThenOnceASecond) {
  ClockExchange exchange;
  std::int64_t now = 0;
  const auto ask = [&] {
    const auto ping = exchange.ask(at(now));
    return ping && exchange.hear({ping->asked_ns, 0}, at(now));
  };
  int questions = 0;
  for (; now < 1'000; ++now) questions += ask() ? 1 : 0;

  EXPECT_EQ(questions, 8);
  now = second / 2;
  EXPECT_FALSE(ask());
  now = 2 * second;
  EXPECT_TRUE(ask());
  EXPECT_FALSE(ask());
}

}  // namespace

}  // namespace penstock::runtime
