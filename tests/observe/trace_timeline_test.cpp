#include "observe/trace_timeline.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "observe/trace_builder.hpp"

namespace penstock::observe {
namespace {

using core::Direction;
using testing::ElementsAre;

std::vector<std::string> row_names(const RankTimeline& timeline) {
  std::vector<std::string> names;
  for (const Row& row : timeline.rows()) names.push_back(row.name);
  return names;
}

std::vector<std::uint32_t> rows_of(const std::vector<Slice>& slices) {
  std::vector<std::uint32_t> rows;
  for (const Slice& slice : slices) rows.push_back(slice.row);
  return rows;
}

TEST(RankTimeline, GivesEveryLaneARow) {
  TraceBuilder trace;
  trace.task(1, 7, 100, 200, {reads(3, 1), writes(4, 1)}).task(1, 8, 200, 250);

  const RankTimeline timeline(trace.shared(), ClockMap(1000));

  EXPECT_THAT(row_names(timeline), ElementsAre("core 0", "core 1"));
  ASSERT_EQ(timeline.tasks().size(), 2U);
  EXPECT_EQ(timeline.tasks()[0].begin_ns, 1100);
  EXPECT_EQ(timeline.tasks()[0].end_ns, 1200);
  EXPECT_EQ(timeline.tasks()[0].row, 1U);
  EXPECT_EQ(timeline.task(timeline.tasks()[0]).task, core::TaskId(7));
  EXPECT_EQ(timeline.accesses(timeline.tasks()[0]).size(), 2U);
  EXPECT_TRUE(timeline.accesses(timeline.tasks()[1]).empty());
  EXPECT_EQ(timeline.begin_ns(), 1100);
  EXPECT_FALSE(timeline.complete_from_ns().has_value());
  EXPECT_EQ(timeline.senseless(), 0U);
}

TEST(RankTimeline, PutsCoresBeforeQueues) {
  TraceBuilder trace;
  trace.rank().lanes[0].kind = trace::LaneKind::queue;
  trace.rank().lanes[0].name = "GPU 1 queue 0";
  trace.task(0, 1, 10, 20).task(1, 2, 10, 20);

  const RankTimeline timeline(trace.shared(), {});

  EXPECT_THAT(row_names(timeline), ElementsAre("core 1", "GPU 1 queue 0"));
  EXPECT_EQ(timeline.rows()[1].kind, RowKind::queue);
  EXPECT_EQ(timeline.task(timeline.tasks()[0]).task, core::TaskId(2));
}

TEST(RankTimeline, TransfersThatOverlapHaveRowsOfTheirOwn) {
  TraceBuilder trace;
  trace
      .transfer(Direction::in, 1, 10, 50, reads(1, 1))   // in
      .transfer(Direction::out, 1, 0, 100, reads(2, 1))  // out
      .transfer(Direction::in, 1, 20, 60, reads(3, 1))   // in 2
      .transfer(Direction::in, 1, 50, 70, reads(4, 1))   // in
      .transfer(Direction::in, 1, 55, 58, reads(5, 1));  // in 3

  const RankTimeline timeline(trace.shared(), {});

  EXPECT_THAT(row_names(timeline),
              ElementsAre("core 0", "core 1", "network in", "network in 2", "network in 3", "network out"));
  EXPECT_THAT(rows_of(timeline.transfers()), ElementsAre(2, 2, 3, 4, 5));
  EXPECT_EQ(timeline.transfers()[1].begin_ns, 50);
}

TEST(RankTimeline, CopiesOfAnAcceleratorComeBeforeTheNetwork) {
  TraceBuilder trace;
  trace.transfer(Direction::in, 1, 10, 50, reads(1, 1));
  trace.copy(Direction::out, 0, 10, reads(2, 1)).copy(Direction::in, 0, 20, reads(3, 1));

  const RankTimeline timeline(trace.shared(), {});

  EXPECT_THAT(row_names(timeline),
              ElementsAre("core 0", "core 1", "GPU 1 copies in", "GPU 1 copies out", "network in"));
  EXPECT_TRUE(timeline.is_copy(timeline.transfers().front()));
  EXPECT_FALSE(timeline.is_copy(timeline.transfers().back()));
}

TEST(RankTimeline, SlicesOfOneLaneThatOverlapAreKeptApart) {
  TraceBuilder trace;
  trace.task(0, 1, 10, 30).task(0, 2, 20, 40).task(0, 3, 30, 35);

  const RankTimeline timeline(trace.shared(), {});

  EXPECT_THAT(row_names(timeline), ElementsAre("core 0", "core 0 2", "core 1"));
  EXPECT_THAT(rows_of(timeline.tasks()), ElementsAre(0, 0, 1));
}

TEST(RankTimeline, LeavesOutWhatMakesNoSense) {
  TraceBuilder trace;
  trace.rank().start_ns = 1'000'000;
  trace
      .task(0, 1, 999'999, 1'000'001)    // before the beginning
      .task(0, 2, 2'000'000, 1'500'000)  // ends before it begins
      .task(0, 3, 2'000'000, std::int64_t{1} << 62)
      .task(2, 4, 2'000'000, 2'000'001)  // on the lane of the driver
      .task(0, 5, 2'000'000, 2'000'001);
  trace.counter(static_cast<core::CounterKind>(9), 2'000'000, 5);
  trace.transfer(static_cast<Direction>(2), 1, 2'000'000, 2'000'001, reads(1, 1));

  const RankTimeline timeline(trace.shared(), {});

  ASSERT_EQ(timeline.tasks().size(), 1U);
  EXPECT_EQ(timeline.task(timeline.tasks()[0]).task, core::TaskId(5));
  EXPECT_TRUE(timeline.transfers().empty());
  EXPECT_TRUE(timeline.counters().empty());
  EXPECT_EQ(timeline.senseless(), 6U);
}

TEST(RankTimeline, AccessesWhoseTaskWasOverwrittenBelongToNothing) {
  TraceBuilder trace;
  trace.put(0, to_event(reads(1, 1))).task(0, 1, 10, 20, {writes(2, 1)});

  const RankTimeline timeline(trace.shared(), {});

  ASSERT_EQ(timeline.tasks().size(), 1U);
  EXPECT_EQ(timeline.accesses(timeline.tasks()[0]).size(), 1U);
}

TEST(RankTimeline, IsCompleteFromWhereTheLastLaneIs) {
  TraceBuilder trace;
  trace.task(0, 1, 10, 20).task(1, 2, 30, 40).task(1, 3, 40, 50).counter(core::CounterKind::ready, 5, 1);
  trace.rank().lanes[0].dropped = 4;
  trace.rank().lanes[1].dropped = 1;

  const RankTimeline timeline(trace.shared(), {});

  EXPECT_EQ(timeline.complete_from_ns(), 40);
  EXPECT_EQ(timeline.begin_ns(), 5);
}

TEST(RankTimeline, NamesThatAreLostTakeNoTimesWithThem) {
  TraceBuilder trace;
  trace.task(0, 1, 10, 20);
  trace.rank().lanes[3].dropped = 4;

  EXPECT_FALSE(RankTimeline(trace.shared(), {}).complete_from_ns().has_value());
}

}  // namespace
}  // namespace penstock::observe
