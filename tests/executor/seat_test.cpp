#include "executor/seat.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace penstock::executor {
namespace {

TEST(Seat, StaysWithItsHolderWhileNobodyWantsIt) {
  Seat seat;

  EXPECT_FALSE(seat.wanted());
  EXPECT_FALSE(seat.pass());
}

TEST(Seat, GoesToTheOldestWish) {
  Seat seat;
  Seat::Wish first;
  Seat::Wish second;
  seat.wish(first);
  seat.wish(second);

  EXPECT_TRUE(seat.pass());
  seat.wait(first);  // would hang for the second
  EXPECT_TRUE(seat.wanted());
  EXPECT_TRUE(seat.pass());
  seat.wait(second);

  EXPECT_FALSE(seat.wanted());
  EXPECT_FALSE(seat.pass());
}

TEST(Seat, QueuesUpAgainAfterItWasEmpty) {
  Seat seat;
  for (int i = 0; i < 3; ++i) {
    Seat::Wish wish;
    seat.wish(wish);

    EXPECT_TRUE(seat.pass());
    seat.wait(wish);

    EXPECT_FALSE(seat.pass());
  }
}

TEST(Seat, ShowsTheNextHolderWhatTheLastOneWrote) {
  Seat seat;
  int written = 0;
  Seat::Wish wish;
  seat.wish(wish);

  std::jthread next([&] {
    seat.wait(wish);
    EXPECT_EQ(written, 1);
  });
  written = 1;
  EXPECT_TRUE(seat.pass());
}

}  // namespace
}  // namespace penstock::executor
