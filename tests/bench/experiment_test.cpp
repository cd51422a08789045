#include "bench/experiment.hpp"

#include <gtest/gtest.h>

namespace penstock::bench {
namespace {

Experiment two_measures() {
  return {.bench = "b",
          .workers = 2,
          .measures = {{"one", "time", "s"}, {"two", "bytes", "B"}},
          .contenders = {{Role::subject, "penstock", {}}, {Role::rival, "bare", {}}, {Role::limit, "limit", {}}}};
}

TEST(Experiment, RowsAreGroupedByMeasureWithoutTheLimit) {
  const std::vector<std::vector<CountedRun>> runs{
      {{{2.0, 20.0}, Regime::near}}, {{{4.0, 10.0}, Regime::near}}, {{{1.0, 5.0}, Regime::near}}};

  const std::vector<Row> rows = evaluate(two_measures(), runs);

  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].measure.name, "one");
  EXPECT_EQ(rows[1].system, "bare");
  EXPECT_EQ(rows[2].measure.name, "two");
  EXPECT_EQ(rows[2].workers, 2);
}

TEST(Experiment, RatioIsOfTheSubjectOnly) {
  const std::vector<std::vector<CountedRun>> runs{
      {{{2.0, 20.0}, Regime::near}}, {{{4.0, 10.0}, Regime::near}}, {{{1.0, 5.0}, Regime::near}}};

  const std::vector<Row> rows = evaluate(two_measures(), runs);

  EXPECT_EQ(rows[0].ratio, 0.5);
  EXPECT_EQ(rows[0].rival, "bare");
  EXPECT_EQ(rows[1].ratio, std::nullopt);
  EXPECT_EQ(rows[2].ratio, 2.0);
  EXPECT_EQ(rows[3].limit, 5.0);
}

TEST(Experiment, LimitIsOfTheMeasureWhereNoneIsMeasured) {
  const Experiment experiment{.bench = "b",
                              .workers = 2,
                              .measures = {{"one", "efficiency", "", 0.98}, {"two", "time", "s"}},
                              .contenders = {{Role::subject, "penstock", {}}, {Role::rival, "bare", {}}}};
  const std::vector<std::vector<CountedRun>> runs{{{{0.9, 20.0}, Regime::near}}, {{{0.5, 10.0}, Regime::near}}};

  const std::vector<Row> rows = evaluate(experiment, runs);

  EXPECT_EQ(rows[0].limit, 0.98);
  EXPECT_EQ(rows[1].limit, 0.98);
  EXPECT_EQ(rows[2].limit, std::nullopt);
}

TEST(Experiment, OnlyRunsOfTheCommonRegimeCount) {
  const std::vector<std::vector<CountedRun>> runs{
      {{{2.0, 1.0}, Regime::near}, {{9.0, 1.0}, Regime::far}, {{3.0, 1.0}, Regime::near}},
      {{{5.0, 1.0}, Regime::near}, {{5.0, 1.0}, Regime::near}, {{70.0, 1.0}, Regime::mixed}},
      {{{1.0, 1.0}, Regime::far}}};

  const std::vector<Row> rows = evaluate(two_measures(), runs);

  EXPECT_EQ(rows[0].ratio, 0.5);
  EXPECT_EQ(rows[0].summary.runs, 2U);
  EXPECT_EQ(rows[0].summary.greatest, 3.0);
  EXPECT_EQ(rows[0].limit, 1.0);
  EXPECT_EQ(rows[1].regime, Regime::near);
}

TEST(Experiment, WithoutCommonRegimeThereIsNoRatio) {
  const std::vector<std::vector<CountedRun>> runs{
      {{{2.0, 1.0}, Regime::near}}, {{{5.0, 1.0}, Regime::far}}, {{{1.0, 1.0}, Regime::far}}};

  const std::vector<Row> rows = evaluate(two_measures(), runs);

  EXPECT_EQ(rows[0].ratio, std::nullopt);
  EXPECT_EQ(rows[0].regime, Regime::near);
  EXPECT_EQ(rows[1].regime, Regime::far);
}

TEST(Experiment, RivalsValueOfZeroOrLessGivesNoRatio) {
  for (const double value : {0.0, -0.01}) {
    const std::vector<std::vector<CountedRun>> runs{
        {{{2.0, 1.0}, Regime::near}}, {{{value, 1.0}, Regime::near}}, {{{1.0, 1.0}, Regime::near}}};

    EXPECT_EQ(evaluate(two_measures(), runs)[0].ratio, std::nullopt);
  }
}

TEST(Experiment, RatioIsOverTheBestRivalOfEachMeasure) {
  const Experiment experiment{.bench = "b",
                              .workers = 2,
                              .measures = {{"one", "time", "s"}, {"two", "GFLOP/s", "GFLOP/s"}},
                              .contenders = {{Role::subject, "penstock", {}},
                                             {Role::rival, "slow", {}},
                                             {Role::rival, "fast", {}},
                                             {Role::reference, "fastest", {}}}};
  const std::vector<std::vector<CountedRun>> runs{{{{6.0, 6.0}, Regime::near}},
                                                  {{{4.0, 3.0}, Regime::near}},
                                                  {{{2.0, 12.0}, Regime::near}},
                                                  {{{1.0, 99.0}, Regime::near}}};

  const std::vector<Row> rows = evaluate(experiment, runs);

  EXPECT_EQ(rows[0].ratio, 3.0);
  EXPECT_EQ(rows[0].rival, "fast");
  EXPECT_EQ(rows[4].ratio, 0.5);
  EXPECT_EQ(rows[4].rival, "fast");
}

TEST(Experiment, RivalsOfACommonRegimeGoBeforeFasterOnes) {
  Experiment experiment = two_measures();
  experiment.contenders = {{Role::subject, "penstock", {}}, {Role::rival, "elsewhere", {}}, {Role::rival, "here", {}}};
  const std::vector<std::vector<CountedRun>> runs{
      {{{6.0, 6.0}, Regime::near}}, {{{1.0, 1.0}, Regime::far}}, {{{3.0, 3.0}, Regime::near}}};

  const std::vector<Row> rows = evaluate(experiment, runs);

  EXPECT_EQ(rows[0].ratio, 2.0);
  EXPECT_EQ(rows[0].rival, "here");
}

TEST(Experiment, SystemsRunInTurnAfterOnePassToWarmUp) {
  std::string order;
  const auto note = [&](char letter) {
    return [&order, letter] {
      order += letter;
      return std::vector<double>{1.0};
    };
  };
  const Experiment experiment{.bench = "b",
                              .workers = 1,
                              .measures = {{"one", "time", "s"}},
                              .contenders = {{Role::subject, "penstock", note('p')}, {Role::rival, "bare", note('b')}}};

  const std::vector<Row> rows = carry_out(experiment, {.runs = 2, .tries_most = 1});

  EXPECT_EQ(order, "pbpbpb");
  EXPECT_EQ(rows.size(), 2U);
}

}  // namespace
}  // namespace penstock::bench
