#include "observe/trace_report.hpp"

#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <penstock/error.hpp>

#include "observe/temporary_folder.hpp"
#include "observe/trace_builder.hpp"
#include "observe/trace_json.hpp"
#include "trace/recorder.hpp"

namespace penstock::observe {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::size_t trace_description_bytes = std::size_t{256} << 10;

/// The run folder of a test, whose ranks record `tasks` tasks each.
class TraceReportTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directory(traces()); }

  [[nodiscard]] std::filesystem::path run() const { return folder_.path(); }
  [[nodiscard]] std::filesystem::path traces() const { return folder_.path() / "trace"; }

  void record(int rank, int ranks, int tasks, std::int64_t bytes = 1 << 20) const {
    const TraceBuilder builder(rank, ranks);
    trace::Recorder::Options options{.file = traces() / trace::file_name(rank),
                                     .bytes = bytes,
                                     .rank = rank,
                                     .ranks = ranks,
                                     .start_ns = 1000,
                                     .start_unix_ns = 1'700'000'000'000'000'000,
                                     .lanes = {},
                                     .description = {}};
    const trace::RankTrace made = builder.trace();
    options.description = made.description;
    for (const auto& lane : made.lanes)
      options.lanes.push_back({.kind = lane.kind, .device = lane.device, .name = lane.name});
    trace::Recorder recorder(options);
    for (int i = 0; i < tasks; ++i) {
      recorder.lane(0).put(to_event(core::TaskEvent{.task = core::TaskId(static_cast<std::uint64_t>(i) + 1),
                                                    .begin_ns = 2000 + 1000 * std::int64_t{i},
                                                    .end_ns = 2900 + 1000 * std::int64_t{i}}));
      recorder.lane(0).put(
          to_event(writes(static_cast<std::uint32_t>(i % 1000), static_cast<std::uint64_t>(i / 1000) + 1)));
      recorder.lane(0).publish();
    }
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(TraceReportTest, CountsAndMakesTraceJson) {
  record(0, 2, 10);
  record(1, 2, 5);

  const TraceReport report = report_trace(run());

  ASSERT_TRUE(report.numbers);
  EXPECT_EQ(report.numbers->events, 30U);
  EXPECT_THAT(report.notes, IsEmpty());
  EXPECT_EQ(json::parse(read_file(run() / "trace.json"))["otherData"]["job"], "blur");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(run()), {}), 2) << "nothing temporary is left";
}

TEST_F(TraceReportTest, LargeTracesAreLeftToTheCommand) {
  record(0, 1, static_cast<int>(trace_json_tasks_most) + 1, 128 << 20);

  const TraceReport report = report_trace(run());

  EXPECT_TRUE(report.numbers);
  EXPECT_THAT(report.notes, ElementsAre(HasSubstr("penstock trace " + run().string())));
  EXPECT_FALSE(std::filesystem::exists(run() / "trace.json"));
}

TEST_F(TraceReportTest, OneBadRankDoesNotSpoilTheOthers) {
  record(0, 3, 10);
  record(1, 3, 5);
  std::filesystem::resize_file(traces() / trace::file_name(1), 10'000);

  const TraceReport report = report_trace(run());

  ASSERT_TRUE(report.numbers);
  EXPECT_EQ(report.numbers->ranks.size(), 1U);
  EXPECT_THAT(report.notes, ElementsAre(HasSubstr("rank-00001.trace: is damaged"), "rank 2 left no trace"));
  EXPECT_TRUE(std::filesystem::exists(run() / "trace.json"));
}

TEST_F(TraceReportTest, NoTraceAtAllIsANote) {
  const TraceReport report = report_trace(run());

  EXPECT_FALSE(report.numbers);
  EXPECT_THAT(report.notes, ElementsAre(HasSubstr("holds no trace")));
  EXPECT_THAT(report_trace("/nowhere").notes, ElementsAre(HasSubstr("/nowhere")));
}

TEST_F(TraceReportTest, AFileThatCannotBeMadeIsSaid) {
  record(0, 1, 1);
  const TraceRun traced(run());

  EXPECT_THROW(save_trace_json(traced, run() / "none" / "trace.json"), Error);
  EXPECT_THROW(save_trace_json(traced, "/dev/full"), Error);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST_F(TraceReportTest, AnOldTraceIsReplaced) {
  record(0, 1, 1);
  write_file(run() / "trace.json", "old");

  save_trace_json(TraceRun(traces()), run() / "trace.json");

  EXPECT_TRUE(json::accept(read_file(run() / "trace.json")));
}

TEST_F(TraceReportTest, LineSaysWhatItIsOf) {
  record(0, 2, 10);
  TraceBuilder running(1, 2);
  running.task(0, 1, 1, 2).rank().ended = false;
  running.rank().lanes[0].dropped = 7;

  EXPECT_EQ(trace_line(TraceRun(run())), "20 events of 1 rank");
  EXPECT_EQ(trace_line(TraceRun({running.trace()})),
            "1 event of 1 rank; 7 older ones were dropped; still running or killed: rank 1");
}

TEST_F(TraceReportTest, CountingIsCheap) {
  constexpr int tasks = 300'000;
  record(0, 1, tasks, 128 << 20);

  const std::clock_t begin = std::clock();
  const TraceNumbers numbers = count_numbers(TraceRun(run()));
  const double ns = static_cast<double>(std::clock() - begin) * 1e9 / CLOCKS_PER_SEC / (2.0 * tasks);

  EXPECT_EQ(numbers.events, 2U * tasks);
  std::printf("%.1f ns an event\n", ns);
#ifdef NDEBUG
  EXPECT_LT(ns, 300.0) << "three times what it should be, since the machine may be loaded";
#endif
}

TEST_F(TraceReportTest, NoDamageMakesItCrash) {
  record(0, 2, 40, 1);
  const std::filesystem::path file = traces() / trace::file_name(0);
  const std::string whole = read_file(file);
  std::mt19937 random(5);
  int read = 0;
  for (int round = 0; round < 150; ++round) {
    std::string damaged = whole;
    if (round % 10 == 9) damaged.resize(random() % damaged.size());
    for (int i = 0; i < 40 && !damaged.empty(); ++i) {
      // Mostly where something is: the headers, the description, and the events that were written.
      const std::size_t places[] = {random() % 96, 4096 + random() % 1024, 8192 + random() % 512,
                                    random() % damaged.size(), 8192 + trace_description_bytes + random() % 2560};
      const std::size_t at = places[i == 0 && round % 3 != 0 ? 1 : 1 + random() % 4];
      if (at < damaged.size()) damaged[at] = static_cast<char>(random());
    }
    write_file(file, damaged);

    const TraceReport report = report_trace(run());

    if (!report.numbers) continue;
    ++read;
    EXPECT_TRUE(json::accept(read_file(run() / "trace.json"))) << "round " << round;
  }
  EXPECT_GT(read, 30) << "most rounds should get past the header";
}

}  // namespace
}  // namespace penstock::observe
