#include "observe/trace_numbers.hpp"

#include <gtest/gtest.h>

#include "observe/trace_builder.hpp"
#include "observe/trace_run.hpp"

namespace penstock::observe {
namespace {

using core::Direction;

constexpr double ns = 1e-9;

core::TaskEvent gemm(std::uint64_t id, std::int64_t begin_ns, std::int64_t end_ns) {
  return {.task = core::TaskId(id),
          .kernel = core::KernelId(1),
          .attempt = core::Attempt(1),
          .begin_ns = begin_ns,
          .end_ns = end_ns};
}

TraceNumbers numbers_of(std::initializer_list<TraceBuilder> ranks) {
  std::vector<trace::RankTrace> traces;
  for (const TraceBuilder& rank : ranks) traces.push_back(rank.trace());
  return count_numbers(TraceRun(std::move(traces)));
}

TEST(TraceNumbers, OfNothingAreNothing) {
  const TraceNumbers numbers = numbers_of({TraceBuilder()});

  EXPECT_EQ(numbers.span_s, 0.0);
  EXPECT_EQ(numbers.parallelism, 0.0);
  EXPECT_FALSE(numbers.overlap.has_value());
  EXPECT_EQ(numbers.critical_path.tasks, 0U);
  ASSERT_EQ(numbers.ranks.size(), 1U);
  ASSERT_EQ(numbers.ranks[0].devices.size(), 1U);
  EXPECT_EQ(numbers.ranks[0].devices[0].lanes, 2);
  EXPECT_EQ(numbers.ranks[0].devices[0].busy_share, 0.0);
}

TEST(TraceNumbers, ShareOfBusyLanes) {
  TraceBuilder front(0, 2);
  front.task(0, 1, 1000, 1400).task(1, 2, 1100, 1200).task(0, 3, 1400, 1500);
  TraceBuilder other(1, 2);
  other.task(0, 4, 1900, 2000).counter(core::CounterKind::ready, 500, 3);

  const TraceNumbers numbers = numbers_of({front, other});

  EXPECT_DOUBLE_EQ(numbers.span_s, 1000 * ns) << "counters do not count";
  EXPECT_DOUBLE_EQ(numbers.compute_s, 700 * ns);
  EXPECT_DOUBLE_EQ(numbers.parallelism, 0.7);
  EXPECT_DOUBLE_EQ(numbers.ranks[0].devices[0].busy_share, 0.3);
  EXPECT_DOUBLE_EQ(numbers.ranks[1].devices[0].busy_share, 0.05);
  EXPECT_EQ(numbers.ranks[0].devices[0].kind, "cpu");
  EXPECT_EQ(numbers.events, 5U);
  EXPECT_EQ(numbers.dropped, 0U);
}

TEST(TraceNumbers, DevicesOfARankAreApart) {
  TraceBuilder trace;
  trace.rank().description = R"({"devices": [{"kind": "cpu"}, {"kind": "cuda", "name": "H200"}]})";
  trace.rank().lanes[1].kind = trace::LaneKind::queue;
  trace.rank().lanes[1].device = 1;
  trace.task(0, 1, 0, 50).task(1, 2, 0, 100);

  const auto devices = numbers_of({trace}).ranks[0].devices;

  ASSERT_EQ(devices.size(), 2U);
  EXPECT_DOUBLE_EQ(devices[0].busy_share, 0.5);
  EXPECT_EQ(devices[1].name, "H200");
  EXPECT_EQ(devices[1].lanes, 1);
  EXPECT_DOUBLE_EQ(devices[1].busy_share, 1.0);
}

TEST(TraceNumbers, QueuesOfOneGpuShareIt) {
  TraceBuilder trace;
  for (trace::LaneEvents& lane : trace.rank().lanes) {
    if (lane.kind == trace::LaneKind::core) lane.kind = trace::LaneKind::queue;
  }
  trace.task(0, 1, 0, 60).task(1, 2, 40, 80).task(0, 3, 90, 100);

  EXPECT_DOUBLE_EQ(numbers_of({trace}).ranks[0].devices[0].busy_share, 0.9);
  EXPECT_DOUBLE_EQ(numbers_of({trace}).parallelism, 0.9);
}

TEST(TraceNumbers, CopiesCountInBothDirections) {
  TraceBuilder trace;
  trace.task(0, 1, 0, 50).copy(core::Direction::in, 0, 20, reads(1, 1, 100));
  trace.copy(core::Direction::out, 40, 60, reads(2, 1, 10));

  const TraceNumbers numbers = numbers_of({trace});

  EXPECT_EQ(numbers.transfers, 2U);
  EXPECT_EQ(numbers.transfer_bytes, 110U);
  EXPECT_DOUBLE_EQ(numbers.transfer_s, 40 * ns);
  EXPECT_DOUBLE_EQ(numbers.overlap.value_or(0), 0.75);
}

TEST(TraceNumbers, CriticalPathIsTheLongestChainOfReads) {
  TraceBuilder trace;
  trace.task(0, 1, 0, 10, {writes(1, 1)});                                   // 10
  trace.task(1, gemm(2, 0, 30), {writes(2, 1)});                             // 30
  trace.task(0, 3, 30, 35, {reads(1, 1), writes(3, 1)});                     // 15
  trace.task(1, gemm(4, 40, 45), {reads(2, 1), reads(3, 1), writes(4, 1)});  // 35
  trace.task(0, 5, 50, 60, {updates(4, 1)});                                 // 45
  trace.task(1, 6, 60, 100);                                                 // 40, of nothing

  const CriticalPath path = numbers_of({trace}).critical_path;

  EXPECT_DOUBLE_EQ(path.s, 45 * ns);
  EXPECT_EQ(path.tasks, 3U);
  ASSERT_EQ(path.kernels.size(), 2U);
  EXPECT_EQ(path.kernels[0].kernel, "gemm");
  EXPECT_EQ(path.kernels[0].tasks, 2U);
  EXPECT_DOUBLE_EQ(path.kernels[0].s, 35 * ns);
  EXPECT_EQ(path.kernels[1].kernel, "add");
}

TEST(TraceNumbers, WritingAnewBreaksAChain) {
  TraceBuilder trace;
  trace.task(0, 1, 0, 100, {writes(1, 1)}).task(0, 2, 100, 110, {writes(1, 2)}).task(0, 3, 110, 120, {reads(1, 2)});

  EXPECT_DOUBLE_EQ(numbers_of({trace}).critical_path.s, 100 * ns);
}

TEST(TraceNumbers, CriticalPathGoesThroughRanksAndAnyOrderOfWriting) {
  TraceBuilder front(0, 2);
  front.task(0, 3, 60, 70, {reads(1, 1), writes(2, 1)});
  TraceBuilder other(1, 2);
  other.task(0, 4, 80, 90, {reads(2, 1)}).task(1, 1, 0, 50, {writes(1, 1)});

  const CriticalPath path = numbers_of({front, other}).critical_path;

  EXPECT_DOUBLE_EQ(path.s, 70 * ns);
  EXPECT_EQ(path.tasks, 3U);
}

TEST(TraceNumbers, PanelsOfATaskLastFromTheFirstBeginToTheLastEnd) {
  TraceBuilder trace;
  core::TaskEvent panel = gemm(1, 10, 30);
  panel.panel = 1;
  panel.panel_count = 2;
  trace.task(0, panel);
  panel.panel = 0;
  panel.begin_ns = 0;
  panel.end_ns = 20;
  trace.task(1, panel, {writes(1, 1)}).task(1, 2, 40, 45, {reads(1, 1)});

  const TraceNumbers numbers = numbers_of({trace});

  EXPECT_DOUBLE_EQ(numbers.critical_path.s, 35 * ns);
  EXPECT_EQ(numbers.critical_path.tasks, 2U);
  EXPECT_DOUBLE_EQ(numbers.compute_s, 45 * ns);
}

TEST(TraceNumbers, OverlapIsOfTransfersWithTasksOfTheSameRank) {
  TraceBuilder front(0, 2);
  front.transfer(Direction::out, 1, 100, 200, reads(1, 1, 1000)).task(0, 1, 150, 400);  // 50 of 100
  TraceBuilder other(1, 2);
  other.transfer(Direction::in, 0, 90, 210, reads(1, 1, 1000))
      .transfer(Direction::in, 0, 200, 300, reads(2, 1, 24))  // together 210
      .task(0, 2, 80, 110)                                    // 20
      .task(1, 3, 100, 120)                                   // and 10
      .task(0, 4, 290, 500);                                  // and 10

  const TraceNumbers numbers = numbers_of({front, other});

  EXPECT_EQ(numbers.transfers, 2U);
  EXPECT_EQ(numbers.transfer_bytes, 1024U);
  EXPECT_DOUBLE_EQ(numbers.transfer_s, 310 * ns);
  ASSERT_TRUE(numbers.overlap);
  EXPECT_DOUBLE_EQ(*numbers.overlap, 90.0 / 310.0);
}

TEST(TraceNumbers, AfterLossesAreOfTheCompletePart) {
  TraceBuilder trace;
  trace.rank().lanes[0].dropped = 3;
  trace.task(0, 7, 900, 1000).task(0, 8, 1000, 1100).task(1, 6, 0, 100).task(1, 9, 950, 1050, {writes(1, 1)});

  const TraceNumbers numbers = numbers_of({trace});

  EXPECT_DOUBLE_EQ(numbers.span_s, 100 * ns);
  EXPECT_DOUBLE_EQ(numbers.ranks[0].devices[0].busy_share, 0.75);
  EXPECT_DOUBLE_EQ(numbers.critical_path.s, 100 * ns);
  EXPECT_EQ(numbers.dropped, 3U);
}

}  // namespace
}  // namespace penstock::observe
