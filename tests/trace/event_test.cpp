#include "core/event.hpp"

#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace penstock::core {
namespace {

TEST(Event, TaskComesBackAsItWas) {
  const TaskEvent task{.task = TaskId(1ULL << 60),
                       .kernel = KernelId(65'535),
                       .attempt = Attempt(65'534),
                       .panel = 254,
                       .panel_count = 255,
                       .outcome = Outcome::skipped,
                       .begin_ns = 123,
                       .end_ns = std::numeric_limits<std::int64_t>::max()};

  const TaskEvent back = task_of(to_event(task));

  EXPECT_EQ(to_event(task).kind, EventKind::task);
  EXPECT_EQ(back.task, task.task);
  EXPECT_EQ(back.kernel, task.kernel);
  EXPECT_EQ(back.attempt, task.attempt);
  EXPECT_EQ(back.panel, 254);
  EXPECT_EQ(back.panel_count, 255);
  EXPECT_EQ(back.outcome, task.outcome);
  EXPECT_EQ(back.begin_ns, task.begin_ns);
  EXPECT_EQ(back.end_ns, task.end_ns);
}

TEST(Event, AccessesComeBackAsTheyWere) {
  const Version most(1ULL << 62);
  for (const AccessEvent& access :
       {AccessEvent{.access = AccessKind::read, .data = DataId(~0U), .reads = most, .writes = Version(), .bytes = 7},
        AccessEvent{.access = AccessKind::write, .data = DataId(0), .reads = Version(), .writes = most, .bytes = 0},
        AccessEvent{
            .access = AccessKind::consume, .data = DataId(1), .reads = Version(8), .writes = Version(9), .bytes = 1},
        AccessEvent{.access = AccessKind::copy,
        .data = DataId(1),
        .reads = Version(8),
        .writes = Version(8 + 0xffffffffULL),
        .bytes = std::numeric_limits<std::int64_t>::max()}}) {
    const AccessEvent back = access_of(to_event(access));

    EXPECT_EQ(back.access, access.access);
    EXPECT_EQ(back.data, access.data);
    EXPECT_EQ(back.reads, access.reads);
    EXPECT_EQ(back.writes, access.writes);
    EXPECT_EQ(back.bytes, access.bytes);
  }
}

TEST(Event, TheOthersComeBackAsTheyWere) {
  const auto transfer = transfer_of(
      to_event(TransferEvent{.direction = Direction::out, .peer = RankId(-1), .begin_ns = -5, .end_ns = 6}));
  const auto counter = counter_of(to_event(CounterEvent{.counter = CounterKind::memory, .at_ns = 3, .value = -4}));
  const auto clock = clock_of(to_event(ClockEvent{.at_ns = 1, .offset_ns = -2, .round_trip_ns = 3}));
  const auto datum = datum_of(
      to_event(DatumEvent{.data = DataId(4), .from = Version(5), .family = 6, .element = std::int64_t{1} << 40}));

  EXPECT_EQ(transfer.direction, Direction::out);
  EXPECT_EQ(transfer.peer, RankId(-1));
  EXPECT_EQ(transfer.begin_ns, -5);
  EXPECT_EQ(transfer.end_ns, 6);
  EXPECT_EQ(counter.counter, CounterKind::memory);
  EXPECT_EQ(counter.at_ns, 3);
  EXPECT_EQ(counter.value, -4);
  EXPECT_EQ(clock.at_ns, 1);
  EXPECT_EQ(clock.offset_ns, -2);
  EXPECT_EQ(clock.round_trip_ns, 3);
  EXPECT_EQ(datum.data, DataId(4));
  EXPECT_EQ(datum.from, Version(5));
  EXPECT_EQ(datum.family, 6U);
  EXPECT_EQ(datum.element, std::int64_t{1} << 40);
}

TEST(Event, TextIsKeptUpToItsLimit) {
  const std::string most(text_bytes_most, 'x');

  EXPECT_EQ(text_of(text_event("")), "");
  EXPECT_EQ(text_of(text_event("abc")), "abc");
  EXPECT_EQ(text_of(text_event(most)), most);
  EXPECT_EQ(name_event(TaskId(9)).subject, 9U);
  EXPECT_EQ(name_event(TaskId(9)).kind, EventKind::name);

  Event damaged = text_event("abc");
  damaged.state = 255;
  EXPECT_EQ(text_of(damaged).size(), text_bytes_most);
}

}  // namespace
}  // namespace penstock::core
