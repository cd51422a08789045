#include "bench/idle_shares.hpp"

#include <gtest/gtest.h>

#include "observe/trace_builder.hpp"

namespace penstock::bench {
namespace {

/// Lanes 4 and 5 are queues of one GPU, lane 6 is one of another.
observe::TraceBuilder with_two_gpus() {
  observe::TraceBuilder trace;
  trace.rank().description = R"({"host": "node", "boot": "one", "version": "1.2.3", "job": "x", "kernels": ["add"],
      "devices": [{"kind": "cpu", "name": "", "lanes": 2}, {"kind": "cuda", "name": "A", "lanes": 2},
                  {"kind": "cuda", "name": "A", "lanes": 1}], "families": []})";
  for (const int device : {1, 1, 2}) {
    trace.rank().lanes.push_back(
        {.kind = trace::LaneKind::queue, .device = device, .name = "queue", .dropped = 0, .events = {}});
  }
  return trace;
}

IdleShares shares_of(const observe::TraceBuilder& trace) { return idle_shares(observe::TraceRun({trace.trace()})); }

TEST(IdleShares, OfCoresAreOfTheTimeOfAllOfThem) {
  observe::TraceBuilder trace;
  trace.task(0, 1, 0, 100).task(1, 2, 0, 50);

  EXPECT_DOUBLE_EQ(shares_of(trace).cores, 0.25);
  EXPECT_DOUBLE_EQ(shares_of(trace).gpus, 1.0);
}

TEST(IdleShares, OfAGpuAreOfTheTimeInWhichNoneOfItsQueuesWorks) {
  observe::TraceBuilder trace = with_two_gpus();
  trace.task(0, 1, 0, 100).task(4, 2, 10, 40).task(5, 3, 20, 60).task(4, 4, 70, 80);  // 60 of 100
  trace.task(6, 5, 0, 20);                                                            // 20 of 100

  EXPECT_DOUBLE_EQ(shares_of(trace).gpus, 0.6);
  EXPECT_DOUBLE_EQ(shares_of(trace).cores, 0.5);
}

TEST(IdleShares, AreAllOfItWhereNothingRan) {
  EXPECT_DOUBLE_EQ(shares_of(observe::TraceBuilder()).cores, 1.0);
  EXPECT_DOUBLE_EQ(shares_of(with_two_gpus()).gpus, 1.0);
}

}  // namespace
}  // namespace penstock::bench
