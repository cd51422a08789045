#include "coherence/rank_set.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace penstock::coherence {
namespace {

using core::RankId;

std::vector<int> members(const RankSet& set) {
  std::vector<int> found;
  set.for_each([&](RankId rank) { found.push_back(rank.value()); });
  return found;
}

TEST(RankSet, IsEmptyAtFirst) {
  const RankSet set;

  EXPECT_TRUE(members(set).empty());
  EXPECT_EQ(set.first(), core::no_rank);
  EXPECT_FALSE(set.contains(RankId(0)));
  EXPECT_FALSE(set.contains(RankId(9999)));
}

TEST(RankSet, VisitsItsMembersInAscendingOrder) {
  RankSet set;

  for (const int rank : {1000, 64, 63, 0, 127, 128, 63}) set.insert(RankId(rank));

  EXPECT_EQ(members(set), (std::vector{0, 63, 64, 127, 128, 1000}));
  EXPECT_EQ(set.first(), RankId(0));
}

TEST(RankSet, FindsTheFirstBeyondTheLowWord) {
  RankSet set;

  set.insert(RankId(200));

  EXPECT_EQ(set.first(), RankId(200));
  EXPECT_TRUE(set.contains(RankId(200)));
  EXPECT_FALSE(set.contains(RankId(200 - 64)));
  EXPECT_FALSE(set.contains(RankId(200 % 64)));
  EXPECT_FALSE(set.contains(RankId(264)));
}

TEST(RankSet, ErasesMembersAndNothingElse) {
  RankSet set;
  for (const int rank : {3, 67, 131}) set.insert(RankId(rank));

  for (const int rank : {67, 67, 4, 5000}) set.erase(RankId(rank));

  EXPECT_EQ(members(set), (std::vector{3, 131}));
}

}  // namespace
}  // namespace penstock::coherence
