#include "schedule/placement.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace penstock::schedule {
namespace {

using core::RankId;

constexpr double ms = 1e6;

// --- has_credit ----------------------------------------------------------------------------------

struct CreditCase {
  int cores;
  int in_hand;
  double in_hand_ns;
  bool expected;
};

class HasCredit : public ::testing::TestWithParam<CreditCase> {};

TEST_P(HasCredit, FollowsTheTable) {
  const CreditCase& row = GetParam();

  EXPECT_EQ(has_credit(row.cores, row.in_hand, row.in_hand_ns), row.expected);
}

INSTANTIATE_TEST_SUITE_P(Table, HasCredit,
                         ::testing::Values(CreditCase{1, 0, 0.0, true},          // idle
                                           CreditCase{1, 1, 1000 * ms, true},    // one more than it runs, however long
                                           CreditCase{1, 2, 1000 * ms, false},   // long ones: no more than that
                                           CreditCase{4, 7, 1e12, true},         //
                                           CreditCase{4, 8, 1e12, false},        //
                                           CreditCase{1, 2, 4.99 * ms, true},    // short ones: 5 ms of work
                                           CreditCase{1, 2, 5 * ms, false},      //
                                           CreditCase{4, 100, 19.9 * ms, true},  //
                                           CreditCase{4, 100, 20 * ms, false},   //
                                           CreditCase{1, 511, 0.0, true},        // tiny ones: a bounded number
                                           CreditCase{1, 512, 0.0, false},       //
                                           CreditCase{8, 4'095, 1.0, true},      //
                                           CreditCase{8, 4'096, 1.0, false}));

TEST(HasCreditOfUnknownTasks, HoldsTheRankToTwiceItsCores) {
  constexpr int cores = 3;
  int in_hand = 0;

  while (has_credit(cores, in_hand, in_hand * unknown_task_ns)) ++in_hand;

  EXPECT_EQ(in_hand, 2 * cores);
}

// --- choose_rank ---------------------------------------------------------------------------------

RankView view(bool has_credit, double in_hand_ns, int cores = 1) {
  return {.has_credit = has_credit, .in_hand_ns = in_hand_ns, .cores = cores};
}

TEST(ChooseRank, FindsNobodyWithoutCredit) {
  EXPECT_EQ(choose_rank({}), std::nullopt);
  EXPECT_EQ(choose_rank(std::vector{view(false, 0), view(false, 0)}), std::nullopt);
}

TEST(ChooseRank, PassesOverTheIdlestRankWithoutCredit) {
  EXPECT_EQ(choose_rank(std::vector{view(true, 8 * ms), view(false, 0), view(true, 4 * ms)}), RankId(2));
}

TEST(ChooseRank, PrefersTheLeastLoadPerCore) {
  EXPECT_EQ(choose_rank(std::vector{view(true, 2 * ms, 1), view(true, 4 * ms, 4), view(true, 3 * ms, 2)}), RankId(1));
}

TEST(ChooseRank, ThenTakesTheLowest) {
  EXPECT_EQ(choose_rank(std::vector{view(false, 0), view(true, ms), view(true, ms)}), RankId(1));
}

// --- choose_holder -------------------------------------------------------------------------------

TEST(ChooseHolder, FindsNobodyForATaskWithoutInputs) { EXPECT_EQ(choose_holder({}), std::nullopt); }

TEST(ChooseHolder, PrefersTheRankThatMustFetchLeast) {
  const std::vector<HolderView> holders{{RankId(1), 800}, {RankId(7), 0}, {RankId(3), 400}};

  EXPECT_EQ(choose_holder(holders), RankId(7));
}

TEST(ChooseHolder, ThenTakesTheLowestInWhateverOrder) {
  const std::vector<HolderView> holders{{RankId(9), 8}, {RankId(4), 8}, {RankId(2), 16}};

  EXPECT_EQ(choose_holder(holders), RankId(4));
}

// --- updated_mean --------------------------------------------------------------------------------

TEST(UpdatedMean, StartsWithTheFirst) { EXPECT_DOUBLE_EQ(updated_mean(0.0, 800.0), 800.0); }

TEST(UpdatedMean, MovesAnEighthOfTheWay) {
  EXPECT_DOUBLE_EQ(updated_mean(800.0, 1600.0), 900.0);
  EXPECT_DOUBLE_EQ(updated_mean(800.0, 0.0), 700.0);
  EXPECT_DOUBLE_EQ(updated_mean(800.0, 800.0), 800.0);
}

TEST(UpdatedMean, FollowsAChange) {
  double mean = 1.0;

  for (int i = 0; i < 100; ++i) mean = updated_mean(mean, 1000.0);

  EXPECT_NEAR(mean, 1000.0, 1.0);
}

}  // namespace
}  // namespace penstock::schedule
