#include "observe/trace_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "observe/trace_builder.hpp"

namespace penstock::observe {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t second = 1'000'000'000;

TEST(TraceRun, SumsUpWhatItsRanksLeft) {
  TraceBuilder front(0, 2);
  front.task(0, 1, 500, 600, {writes(1, 1)}).task(1, 2, 450, 500);
  TraceBuilder other(1, 2);
  other.task(0, 3, 700, 800);
  other.rank().lanes[0].dropped = 5;
  other.rank().ended = false;

  const TraceRun run({front.trace(), other.trace()});

  EXPECT_EQ(run.events(), 4U);
  EXPECT_EQ(run.task_events(), 3U);
  EXPECT_EQ(run.dropped(), 5U);
  EXPECT_EQ(run.begin_ns(), 450);
  EXPECT_EQ(run.complete_from_ns(), 800);
  EXPECT_EQ(run.kernel_name(core::KernelId(1)), "gemm");
  EXPECT_TRUE(run.ranks()[0].ended);
  EXPECT_FALSE(run.ranks()[1].ended);
  EXPECT_THAT(run.warnings(), IsEmpty());
}

TEST(TraceRun, RanksOfOneKernelShareTheirClock) {
  TraceBuilder front(0, 2);
  front.task(0, 1, 1 * second, 2 * second);
  TraceBuilder other(1, 2);
  other.task(0, 2, 1 * second, 2 * second);
  other.put(2, to_event(core::ClockEvent{.at_ns = second, .offset_ns = 12'345, .round_trip_ns = 1}));

  const TraceRun run({front.trace(), other.trace()});

  EXPECT_EQ(run.timeline(run.ranks()[1])->tasks()[0].begin_ns, second);
}

TEST(TraceRun, ClocksOfOtherMachinesAreCompared) {
  TraceBuilder front(0, 2);
  front.task(0, 1, 100 * second, 101 * second);
  TraceBuilder other(1, 2);
  other.rank().description = R"({"boot": "two"})";
  other.task(0, 2, 1 * second, 2 * second);
  other.put(2, to_event(core::ClockEvent{.at_ns = second, .offset_ns = 99 * second + 7, .round_trip_ns = 10}));

  const TraceRun run({front.trace(), other.trace()});

  EXPECT_EQ(run.timeline(run.ranks()[1])->tasks()[0].begin_ns, 100 * second + 7);
  EXPECT_THAT(run.warnings(), IsEmpty());
}

TEST(TraceRun, WithoutComparisonTheWallClocksMustDo) {
  TraceBuilder front(0, 2);
  front.rank().start_ns = 100 * second;
  front.rank().start_unix_ns = 1000 * second;
  front.task(0, 1, 100 * second, 101 * second);
  TraceBuilder other(1, 2);
  other.rank().description = R"({"boot": "two"})";
  other.rank().start_ns = 5 * second;
  other.rank().start_unix_ns = 1002 * second;
  other.task(0, 2, 6 * second, 7 * second);

  const TraceRun run({front.trace(), other.trace()});

  EXPECT_EQ(run.timeline(run.ranks()[1])->tasks()[0].begin_ns, 103 * second);
  EXPECT_THAT(run.warnings(), ElementsAre(HasSubstr("clock of rank 1 was not compared")));
}

TEST(TraceRun, WithoutRankZeroTheFirstOfTheOthersIsTheMeasure) {
  TraceBuilder first(1, 3);
  first.rank().description = R"({"boot": "two", "kernels": ["add"]})";
  first.put(2, to_event(core::ClockEvent{.at_ns = second, .offset_ns = 99 * second, .round_trip_ns = 10}));
  first.task(0, 1, 5 * second, 6 * second);
  TraceBuilder second_rank(2, 3);
  second_rank.rank().description = R"({"boot": "two"})";
  second_rank.task(0, 2, 6 * second, 7 * second);

  const TraceRun run({first.trace(), second_rank.trace()});

  EXPECT_EQ(run.begin_ns(), 5 * second);
  EXPECT_EQ(run.timeline(run.ranks()[1])->tasks()[0].begin_ns, 6 * second);
  EXPECT_EQ(run.kernel_name(core::KernelId(0)), "add");
  EXPECT_THAT(run.warnings(), ElementsAre("rank 0 left no trace"));
}

TEST(TraceRun, SaysWhatIsWrongInALineEach) {
  TraceBuilder front(0, 3);
  front.task(0, 1, 5, 3).task(0, 2, 5, 4).task(0, 3, 5, 6);
  TraceBuilder other(2, 3);
  other.rank().description = "{half";
  other.rank().start_unix_ns = 5;

  const TraceRun run({front.trace(), other.trace()});

  EXPECT_THAT(run.warnings(), ElementsAre("rank 0: 2 events make no sense and are left out",
                                          HasSubstr("rank 2 does not say what it is"), HasSubstr("clock of rank 2"),
                                          "rank 1 left no trace"));
}

TEST(TraceRun, ThousandsOfMissingRanksAreFewLines) {
  const TraceRun run({TraceBuilder(3, 2'000'000'000).trace()});

  EXPECT_EQ(run.warnings().size(), 9U);
  EXPECT_EQ(run.warnings().back(), "nor did 1999999991 more ranks");
}

}  // namespace
}  // namespace penstock::observe
