#include "support/random.hpp"

#include <gtest/gtest.h>

#include <set>

namespace penstock::support {
namespace {

TEST(Random, GivesTheSameNumbersForTheSameSeed) {
  Random one(7);
  Random same(7);
  Random other(8);

  const std::uint64_t first = one.bits();

  EXPECT_EQ(first, same.bits());
  EXPECT_NE(first, other.bits());
}

TEST(Random, ReachesBothEndsOfARange) {
  Random random(1);
  std::set<std::uint64_t> seen;

  for (int i = 0; i < 200; ++i) seen.insert(random.between(3, 6));

  EXPECT_EQ(seen, (std::set<std::uint64_t>{3, 4, 5, 6}));
}

TEST(Random, TakesNoChancesAtTheExtremes) {
  Random random(2);

  for (int i = 0; i < 200; ++i) {
    EXPECT_FALSE(random.chance(0));
    EXPECT_TRUE(random.chance(100));
  }
}

}  // namespace
}  // namespace penstock::support
