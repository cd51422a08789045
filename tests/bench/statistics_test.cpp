#include "bench/statistics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace penstock::bench {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Statistics, MedianOfAnOddNumberIsTheMiddleOne) { EXPECT_EQ(median({9.0, 1.0, 5.0}), 5.0); }

TEST(Statistics, MedianOfAnEvenNumberIsBetweenTheMiddleTwo) { EXPECT_EQ(median({8.0, 1.0, 2.0, 4.0}), 3.0); }

TEST(Statistics, SummaryHasTheExtremes) {
  const Summary summary = summarize({3.0, 1.0, 2.0});

  EXPECT_EQ(summary.median, 2.0);
  EXPECT_EQ(summary.least, 1.0);
  EXPECT_EQ(summary.greatest, 3.0);
  EXPECT_EQ(summary.runs, 3U);
}

TEST(Statistics, RegimeFollowsFromRoundTripAndSpeedUp) {
  EXPECT_EQ(classify(249.0, 1.9), Regime::near);
  EXPECT_EQ(classify(250.0, 1.9), Regime::far);
  EXPECT_EQ(classify(100.0, 1.29), Regime::smt);
  EXPECT_EQ(classify(400.0, 1.3), Regime::far);
}

TEST(Statistics, CommonRegimeIsWhereBothHaveMostRuns) {
  const std::vector<CountedRun> one{
      {{1.0}, Regime::near}, {{1.0}, Regime::near}, {{1.0}, Regime::near}, {{1.0}, Regime::far}, {{1.0}, Regime::far}};
  const std::vector<CountedRun> other{{{1.0}, Regime::near}, {{1.0}, Regime::far}, {{1.0}, Regime::far}};

  EXPECT_EQ(common_regime(one, other), Regime::far);
}

TEST(Statistics, MixedRunsAreNotCompared) {
  const std::vector<CountedRun> mixed{{{1.0}, Regime::mixed}, {{1.0}, Regime::mixed}};

  EXPECT_EQ(common_regime(mixed, mixed), std::nullopt);
}

TEST(Statistics, DifferentRegimesAreNotCompared) {
  const std::vector<CountedRun> near{{{1.0}, Regime::near}};
  const std::vector<CountedRun> far{{{1.0}, Regime::far}};

  EXPECT_EQ(common_regime(near, far), std::nullopt);
}

TEST(Statistics, UsualRegimeHasTheMostRuns) {
  const std::vector<CountedRun> runs{{{1.0}, Regime::near}, {{1.0}, Regime::mixed}, {{1.0}, Regime::mixed}};

  EXPECT_EQ(usual_regime(runs), Regime::mixed);
}

TEST(Statistics, ValuesAreThoseOfTheMeasureAndRegime) {
  const std::vector<CountedRun> runs{
      {{1.0, 10.0}, Regime::near}, {{2.0, 20.0}, Regime::far}, {{3.0, 30.0}, Regime::near}};

  EXPECT_THAT(values_in(runs, 1, Regime::near), ElementsAre(10.0, 30.0));
  EXPECT_THAT(values_in(runs, 1, Regime::smt), IsEmpty());
}

}  // namespace
}  // namespace penstock::bench
