#include "schedule/cost_history.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace penstock::schedule {
namespace {

Workload work(double amount, std::uint64_t footprint = 0) { return {.footprint = footprint, .amount = amount}; }

void learn_often(CostHistory& history, const Workload& which, double ns, int times) {
  for (int i = 0; i < times; ++i) history.learn(which, ns);
}

// --- a known footprint ---

TEST(CostHistory, KnowsNothingAtFirst) {
  CostHistory history;

  EXPECT_EQ(history.predict_ns(work(100)), std::nullopt);
}

TEST(CostHistory, PredictsTheMeanOfFewSamples) {
  CostHistory history;

  history.learn(work(100), 10);
  history.learn(work(100), 20);
  history.learn(work(100), 30);

  EXPECT_DOUBLE_EQ(history.predict_ns(work(100)).value(), 20);
}

TEST(CostHistory, WeighsALaterSampleAsAnEighth) {
  CostHistory history;
  learn_often(history, work(100), 100, 50);

  history.learn(work(100), 180);

  EXPECT_DOUBLE_EQ(history.predict_ns(work(100)).value(), 110);
}

TEST(CostHistory, TellsFootprintsOfOneAmountApart) {
  CostHistory history;

  history.learn(work(100, 1), 10);
  history.learn(work(100, 2), 70);

  EXPECT_DOUBLE_EQ(history.predict_ns(work(100, 1)).value(), 10);
  EXPECT_DOUBLE_EQ(history.predict_ns(work(100, 2)).value(), 70);
}

// --- odd times ---

TEST(CostHistory, DropsWhatIsMoreThanFiveTimesOff) {
  CostHistory history;
  learn_often(history, work(100), 1000, 10);

  history.learn(work(100), 5001);
  history.learn(work(100), 199);

  EXPECT_DOUBLE_EQ(history.predict_ns(work(100)).value(), 1000);
}

TEST(CostHistory, LearnsWhatIsFiveTimesOff) {
  CostHistory history;
  learn_often(history, work(100), 1000, 10);

  history.learn(work(100), 5000);

  EXPECT_DOUBLE_EQ(history.predict_ns(work(100)).value(), 1500);
}

TEST(CostHistory, DropsAnOddlyLongSecondSample) {
  CostHistory history;
  history.learn(work(100), 1000);

  history.learn(work(100), 100'000);

  EXPECT_DOUBLE_EQ(history.predict_ns(work(100)).value(), 1000);
}

TEST(CostHistory, BelievesAnOddlyShortSecondSample) {
  CostHistory history;
  history.learn(work(100), 100'000);

  history.learn(work(100), 1000);

  EXPECT_DOUBLE_EQ(history.predict_ns(work(100)).value(), 1000);
}

TEST(CostHistory, FollowsALastingChangeEitherWay) {
  for (const double changed : {10.0, 100'000.0}) {
    CostHistory history;
    learn_often(history, work(100), 1000, 20);

    learn_often(history, work(100), changed, CostHistory::odd_in_a_row - 1);
    const double before = history.predict_ns(work(100)).value();
    history.learn(work(100), changed);

    EXPECT_DOUBLE_EQ(before, 1000);
    EXPECT_DOUBLE_EQ(history.predict_ns(work(100)).value(), changed);
  }
}

TEST(CostHistory, BeginsToCountAnewAfterAnOrdinaryTime) {
  CostHistory history;
  learn_often(history, work(100), 1000, 20);

  for (int i = 0; i < 20; ++i) {
    learn_often(history, work(100), 100'000, CostHistory::odd_in_a_row - 1);
    history.learn(work(100), 1000);
  }

  EXPECT_DOUBLE_EQ(history.predict_ns(work(100)).value(), 1000);
}

TEST(CostHistory, TakesOddTimesThatAreUnlikeEachOtherForNoChange) {
  CostHistory history;
  learn_often(history, work(100), 1000, 20);

  for (int i = 0; i < 50; ++i) history.learn(work(100), i % 2 == 0 ? 10 : 100'000);

  EXPECT_DOUBLE_EQ(history.predict_ns(work(100)).value(), 1000);
}

// --- an unknown footprint ---

TEST(CostHistory, ScalesInProportionBeyondWhatIsKnown) {
  CostHistory history;
  history.learn(work(100), 1000);
  history.learn(work(200), 6000);

  EXPECT_DOUBLE_EQ(history.predict_ns(work(50)).value(), 500);
  EXPECT_DOUBLE_EQ(history.predict_ns(work(400)).value(), 12'000);
}

TEST(CostHistory, FindsAPowerLawBetweenNeighbours) {
  CostHistory history;
  for (const double amount : {10.0, 1000.0, 100'000.0}) history.learn(work(amount), 3 * std::pow(amount, 1.5));

  EXPECT_NEAR(history.predict_ns(work(100)).value(), 3 * std::pow(100, 1.5), 1e-6);
  EXPECT_NEAR(history.predict_ns(work(7000)).value(), 3 * std::pow(7000, 1.5), 1e-3);
}

TEST(CostHistory, UsesOnlyTheNearestNeighbours) {
  CostHistory history;
  history.learn(work(1), 1e9);
  history.learn(work(100), 10);
  history.learn(work(400), 20);
  history.learn(work(10'000), 1e9);

  EXPECT_NEAR(history.predict_ns(work(200)).value(), std::sqrt(200.0), 1e-9);
}

TEST(CostHistory, TakesTheMedianOfAnUnknownFootprintsAmount) {
  CostHistory history;
  history.learn(work(10), 1);
  history.learn(work(100, 1), 50);
  history.learn(work(100, 2), 9'000'000);
  history.learn(work(100, 9), 60);

  EXPECT_DOUBLE_EQ(history.predict_ns(work(100, 0)).value(), 60);
  EXPECT_DOUBLE_EQ(history.predict_ns(work(100, 5)).value(), 60);
  EXPECT_DOUBLE_EQ(history.predict_ns(work(100, 77)).value(), 60);
  EXPECT_DOUBLE_EQ(history.predict_ns(work(200)).value(), 120);
}

TEST(CostHistory, ManagesWithoutAnAmount) {
  CostHistory history;
  history.learn(work(0, 1), 10);

  EXPECT_DOUBLE_EQ(history.predict_ns(work(0, 2)).value(), 10);
  EXPECT_DOUBLE_EQ(history.predict_ns(work(1e9)).value(), 10);

  history.learn(work(100), 30);

  EXPECT_DOUBLE_EQ(history.predict_ns(work(50)).value(), 20);
}

TEST(CostHistory, IsNeverNegativeOrInfinite) {
  CostHistory history;
  history.learn(work(100), 1e6);
  history.learn(work(1e9), 1);

  for (const double amount : {-5.0, 0.0, 1e-300, 0.5, 101.0, 1e6, 1e12, std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::quiet_NaN()}) {
    const double predicted = history.predict_ns(work(amount)).value();

    EXPECT_GE(predicted, 0.0) << amount;
    EXPECT_TRUE(std::isfinite(predicted)) << amount;
  }
}

TEST(CostHistory, FindsWhatItLearnedOfAnAmountThatIsNoNumber) {
  CostHistory history;

  learn_often(history, work(std::numeric_limits<double>::quiet_NaN(), 3), 10, 5);

  EXPECT_EQ(history.known().size(), 1u);
  EXPECT_DOUBLE_EQ(history.predict_ns(work(std::numeric_limits<double>::quiet_NaN(), 3)).value(), 10);
}

// --- bounds ---

TEST(CostHistory, ForgetsTheLeastRecentlyUsed) {
  CostHistory history;
  for (std::size_t i = 0; i < CostHistory::footprints_most; ++i) history.learn(work(100, i), 100.0 + double(i));
  history.learn(work(100, 0), 100);
  static_cast<void>(history.predict_ns(work(100, 1)));

  history.learn(work(7, 1000), 1);

  std::vector<std::uint64_t> kept;
  for (const auto& known : history.known()) kept.push_back(known.work.footprint);
  ASSERT_EQ(kept.size(), CostHistory::footprints_most);
  EXPECT_EQ(kept[0], 1000u);
  EXPECT_EQ(kept[1], 0u);
  EXPECT_EQ(kept[2], 1u);
  EXPECT_EQ(kept[3], 3u);
}

TEST(CostHistory, IsSortedInWhateverOrderItLearns) {
  CostHistory history;

  for (const double amount : {50.0, 10.0, 90.0, 30.0}) history.learn(work(amount), amount);

  std::vector<double> amounts;
  for (const auto& known : history.known()) amounts.push_back(known.work.amount);
  EXPECT_EQ(amounts, (std::vector<double>{10, 30, 50, 90}));
}

// --- trials ---

TEST(CostHistory, IsWorthAFewTrialsOfEachOrderOfMagnitude) {
  CostHistory history;

  for (int left = CostHistory::trials; left > 0; --left) {
    EXPECT_EQ(history.trials_left(work(1000)), left);
    history.placed(work(1000));
  }
  history.placed(work(1000));

  EXPECT_EQ(history.trials_left(work(1000)), 0);
  EXPECT_EQ(history.trials_left(work(600, 7)), 0);
  EXPECT_EQ(history.trials_left(work(10'000)), CostHistory::trials);
  EXPECT_EQ(history.trials_left(work(100)), CostHistory::trials);
}

TEST(CostHistory, TriesWhateverTheAmount) {
  CostHistory history;

  for (const double amount : {-1.0, 0.0, 0.5, 1.0, 7.9, 8.0, 1e19, 1e300, std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(history.trials_left(work(amount)), CostHistory::trials) << amount;
  }
}

// --- what an earlier run knew ---

TEST(CostHistory, PredictsWhatItRecalls) {
  CostHistory history;

  history.recall(work(100, 3), 5000, 40);

  EXPECT_DOUBLE_EQ(history.predict_ns(work(100, 3)).value(), 5000);
  EXPECT_EQ(history.trials_left(work(100, 3)), 0);
}

TEST(CostHistory, TrustsWhatItRecallsLittle) {
  CostHistory history;
  history.recall(work(100, 1), 6000, 40);
  history.recall(work(100, 2), 6000, 40);

  history.learn(work(100, 1), 3000);
  history.learn(work(100, 2), 600);

  EXPECT_DOUBLE_EQ(history.predict_ns(work(100, 1)).value(), 5000);
  EXPECT_DOUBLE_EQ(history.predict_ns(work(100, 2)).value(), 600);
}

TEST(CostHistory, KeepsWhatItLearnedItself) {
  CostHistory history;
  history.learn(work(100), 10);

  history.recall(work(100), 5000, 40);

  EXPECT_DOUBLE_EQ(history.predict_ns(work(100)).value(), 10);
}

TEST(CostHistory, RecallsOnlyWhileThereIsRoom) {
  CostHistory history;

  for (std::size_t i = 0; i < CostHistory::footprints_most + 10; ++i) history.recall(work(100, i), 1, 1);

  ASSERT_EQ(history.known().size(), CostHistory::footprints_most);
  EXPECT_EQ(history.known().back().work.footprint, CostHistory::footprints_most - 1);
}

}  // namespace
}  // namespace penstock::schedule
