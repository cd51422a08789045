#include "trace/recorder.hpp"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <ctime>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <penstock/error.hpp>

#include "trace/reader.hpp"
#include "trace/trace_file.hpp"

namespace penstock::trace {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST(Recorder, WhatWasRecordedIsReadBack) {
  const TraceFile file;
  {
    Recorder recorder(file.options());
    ASSERT_EQ(recorder.lanes(), 2U);
    recorder.lane(0).record(numbered(1));
    recorder.lane(1).put(numbered(2));
    recorder.lane(1).put(numbered(3));
    recorder.lane(1).publish();
  }

  const RankTrace trace = read(file.path());

  EXPECT_EQ(trace.rank, 3);
  EXPECT_EQ(trace.ranks, 5);
  EXPECT_EQ(trace.start_ns, 1000);
  EXPECT_EQ(trace.start_unix_ns, 2000);
  EXPECT_TRUE(trace.ended);
  EXPECT_EQ(trace.description, R"({"host": "node"})");
  ASSERT_EQ(trace.lanes.size(), 2U);
  EXPECT_EQ(trace.lanes[0].kind, LaneKind::core);
  EXPECT_EQ(trace.lanes[0].name, "core 0");
  ASSERT_EQ(trace.lanes[0].events.size(), 1U);
  EXPECT_EQ(core::counter_of(trace.lanes[0].events[0]).value, 3);
  EXPECT_EQ(trace.lanes[1].kind, LaneKind::driver);
  EXPECT_EQ(trace.lanes[1].device, 7);
  EXPECT_EQ(trace.lanes[1].events.size(), 2U);
  EXPECT_EQ(trace.lanes[1].dropped, 0U);
}

TEST(Recorder, IsReadWhileItRecords) {
  const TraceFile file;
  Recorder recorder(file.options());
  recorder.lane(0).record(numbered(1));
  recorder.lane(0).put(numbered(2));  // not published

  const RankTrace trace = read(file.path());

  EXPECT_FALSE(trace.ended);
  ASSERT_EQ(trace.lanes[0].events.size(), 1U);
  EXPECT_EQ(trace.lanes[0].dropped, 0U) << "the ring is far from full";
}

TEST(Recorder, FullRingKeepsTheYoungest) {
  const TraceFile file;
  {
    Recorder recorder(file.options());
    for (std::uint64_t i = 0; i < slots_least + 10; ++i) recorder.lane(0).record(numbered(i));
  }

  const LaneEvents lane = read(file.path()).lanes[0];

  EXPECT_EQ(lane.dropped, 10U);
  ASSERT_EQ(lane.events.size(), slots_least);
  for (std::uint64_t i = 0; i < slots_least; ++i) EXPECT_EQ(lane.events[i].first, static_cast<std::int64_t>(i) + 10);
}

TEST(Recorder, EventsNotYetPublishedDoNotPassForOldOnes) {
  const TraceFile file;
  Recorder recorder(file.options());
  for (std::uint64_t i = 0; i < 2 * slots_least; ++i) recorder.lane(0).record(numbered(i));
  for (std::uint64_t i = 0; i < unpublished_most - 1; ++i) recorder.lane(0).put(numbered(2 * slots_least + i));

  const LaneEvents lane = read(file.path()).lanes[0];

  EXPECT_EQ(lane.events.size(), slots_least - unpublished_most);
  EXPECT_EQ(lane.dropped, slots_least + unpublished_most);
  for (std::size_t i = 1; i < lane.events.size(); ++i) ASSERT_EQ(lane.events[i].first, lane.events[i - 1].first + 1);
  EXPECT_EQ(lane.events.back().first, static_cast<std::int64_t>(2 * slots_least) - 1);
}

TEST(Recorder, ManyThatBelongTogetherAreSeenBeforeTheyAreComplete) {
  const TraceFile file;
  Recorder recorder(file.options());
  for (std::uint64_t i = 0; i < 3 * unpublished_most + 5; ++i) recorder.lane(0).put(numbered(i));

  EXPECT_EQ(read(file.path()).lanes[0].events.size(), 3 * unpublished_most);
}

TEST(Recorder, SharesItsBytesOutAndRoundsDown) {
  const TraceFile file;
  {
    Recorder recorder(file.options(5 << 20));  // two lanes of 2.5 MiB: 2 MiB each
    for (std::uint64_t i = 0; i < 70'000; ++i) recorder.lane(1).record(numbered(i));
  }

  EXPECT_EQ(read(file.path()).lanes[1].events.size(), (std::size_t{2} << 20) / sizeof(core::Event));
  EXPECT_LT(std::filesystem::file_size(file.path()), 5U << 20);
}

TEST(Recorder, DescriptionIsReplacedAndNeverTooLong) {
  const TraceFile file;
  {
    Recorder recorder(file.options());
    recorder.describe("{\"a\": 1}");
    EXPECT_EQ(read(file.path()).description, "{\"a\": 1}");

    recorder.describe(std::string(1 << 20, 'x'));
  }
  EXPECT_EQ(read(file.path()).description, "{}");
}

TEST(Recorder, LongNamesOfLanesAreCut) {
  const TraceFile file;
  Recorder::Options options = file.options();
  options.lanes[0].name = std::string(200, 'n');
  const Recorder recorder(options);

  EXPECT_EQ(read(file.path()).lanes[0].name, std::string(63, 'n'));
}

TEST(Recorder, FileIsForItsOwnerAndNew) {
  const TraceFile file;
  const Recorder recorder(file.options());
  struct stat status {};
  ASSERT_EQ(::stat(file.path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);

  try {
    const Recorder second(file.options());
    FAIL() << "made over another one";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::environment);
    EXPECT_THAT(error.what(), HasSubstr(file.path().string()));
  }
}

TEST(Recorder, FileThatCannotBeMadeIsAnErrorAndLeavesNothing) {
  const TraceFile file;
  Recorder::Options options = file.options();
  options.file = file.folder() / "none" / "x.trace";
  EXPECT_THROW(Recorder{options}, Error);

  options = file.options(std::int64_t{1} << 60);  // more than any disk holds
  EXPECT_THROW(Recorder{options}, Error);
  EXPECT_FALSE(std::filesystem::exists(file.path()));

  options = file.options();
  options.lanes.clear();
  EXPECT_THROW(Recorder{options}, Error);
}

TEST(Recorder, SurvivesAKilledProcess) {
  const TraceFile file;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    Recorder recorder(file.options());
    for (std::uint64_t i = 0; i < 100; ++i) recorder.lane(0).record(numbered(i));
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));

  const RankTrace trace = read(file.path());

  EXPECT_FALSE(trace.ended);
  EXPECT_EQ(trace.lanes[0].events.size(), 100U);
}

TEST(Recorder, CostsFewNanosecondsAnEvent) {
  const TraceFile file;
  Recorder recorder(file.options(8 << 20));
  Lane& lane = recorder.lane(0);
  constexpr std::uint64_t events = 1'000'000;
  const auto record = [&lane](std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; i += 2) {
      lane.put(numbered(i));
      lane.record(numbered(i + 1));
    }
  };
  record(events);  // the pages are there

  const std::clock_t begin = std::clock();
  record(events);
  const double ns = static_cast<double>(std::clock() - begin) * 1e9 / CLOCKS_PER_SEC / events;

  std::printf("%.2f ns an event\n", ns);
#ifdef NDEBUG
  EXPECT_LT(ns, 60.0) << "three times what it may be, since the machine may be loaded";
#endif
}

}  // namespace
}  // namespace penstock::trace
