#include "observe/trace_json.hpp"

#include <cstdio>
#include <ctime>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "observe/trace_builder.hpp"

namespace penstock::observe {
namespace {

using core::Direction;
using nlohmann::json;
using testing::ElementsAre;

json json_of(std::initializer_list<TraceBuilder> ranks) {
  std::vector<trace::RankTrace> traces;
  for (const TraceBuilder& rank : ranks) traces.push_back(rank.trace());
  const TraceRun run(std::move(traces));
  std::string text;
  write_trace_json(run, [&text](std::string_view part) { text += part; });
  return json::parse(text);
}

std::vector<json> events_of(const json& trace, const std::string& phase) {
  std::vector<json> events;
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] == phase) events.push_back(event);
  }
  return events;
}

/// "pid/tid at ts" of every flow's two ends.
std::vector<std::string> arrows_of(const json& trace) {
  std::map<int, std::string> arrows;
  for (const char* phase : {"s", "f"}) {
    for (const json& end : events_of(trace, phase)) {
      std::string& arrow = arrows[end["id"].get<int>()];
      arrow += arrow.empty() ? "" : " -> ";
      arrow += end["pid"].dump() + "/" + end["tid"].dump() + " at " + end["ts"].dump();
    }
  }
  std::vector<std::string> texts;
  for (const auto& [id, text] : arrows) texts.push_back(text);
  return texts;
}

TEST(TraceJson, OfNoEventsIsWhole) {
  const json trace = json_of({TraceBuilder()});

  EXPECT_EQ(trace["otherData"]["job"], "blur");
  EXPECT_EQ(trace["otherData"]["version"], "1.2.3");
  EXPECT_EQ(trace["otherData"]["dropped"], json::object());
  EXPECT_EQ(trace["otherData"]["not_ended"], json::array());
  EXPECT_EQ(events_of(trace, "M").size(), 6U);
  EXPECT_TRUE(events_of(trace, "X").empty());
}

TEST(TraceJson, RanksAndRowsHaveNamesAndAnOrder) {
  TraceBuilder other(1, 2);
  other.rank().description = R"({"host": "a\"b", "boot": "one"})";
  other.transfer(Direction::in, 0, 10, 20, reads(1, 1));

  const json trace = json_of({TraceBuilder(0, 2), other});

  std::vector<std::string> names;
  for (const json& event : events_of(trace, "M")) {
    if (event["name"] == "process_name" || event["name"] == "thread_name") names.push_back(event["args"]["name"]);
    if (event["name"] == "thread_sort_index") {
      EXPECT_EQ(event["args"]["sort_index"], event["tid"]);
    }
    if (event["name"] == "process_sort_index") {
      EXPECT_EQ(event["args"]["sort_index"], event["pid"]);
    }
  }
  EXPECT_THAT(names,
              ElementsAre("rank 0 (node)", "core 0", "core 1", "rank 1 (a\"b)", "core 0", "core 1", "network in"));
}

TEST(TraceJson, TasksSayWhatTheyAre) {
  TraceBuilder trace;
  trace.put(3,
            to_event(core::DatumEvent{.data = core::DataId(7), .from = core::Version(1), .family = 0, .element = 4}));
  trace.task(1,
             {.task = core::TaskId(12),
              .kernel = core::KernelId(1),
              .attempt = core::Attempt(2),
              .panel = 0,
              .panel_count = 3,
              .outcome = core::Outcome::failed,
              .begin_ns = 1'002'003,
              .end_ns = 1'005'504},
             {reads(7, 3, 4096), updates(9, 5, 16)});
  trace.task(0, 11, 1'000'000, 1'000'001).name(11, "a name");

  const auto tasks = events_of(json_of({trace}), "X");

  ASSERT_EQ(tasks.size(), 2U);
  EXPECT_EQ(tasks[0]["name"], "a name");
  EXPECT_EQ(tasks[0]["args"]["kernel"], "add");
  EXPECT_EQ(tasks[0]["ts"], 0.0);
  EXPECT_EQ(tasks[0]["dur"], 0.001);
  EXPECT_EQ(tasks[1], json::parse(R"({"ph": "X", "pid": 0, "tid": 2, "ts": 2.003, "dur": 3.501, "cat": "task",
      "name": "gemm", "args": {"task": 12, "kernel": "gemm", "attempt": 2, "panel": 0, "panels": 3, "outcome": "failed",
      "reads": [{"data": "A[2, 1]", "id": 7, "version": 3, "bytes": 4096},
                {"data": "data 9", "id": 9, "version": 5, "bytes": 16}],
      "writes": [{"data": "data 9", "id": 9, "version": 6, "bytes": 16}]}})"));
}

TEST(TraceJson, CountersAreNumbersOfARank) {
  TraceBuilder trace;
  trace.counter(core::CounterKind::ready, 1000, 5).counter(core::CounterKind::memory, 3500, 1 << 20);

  const auto counters = events_of(json_of({trace}), "C");

  ASSERT_EQ(counters.size(), 2U);
  EXPECT_EQ(counters[0],
            json::parse(R"({"ph": "C", "pid": 0, "ts": 0.0, "name": "ready tasks", "args": {"tasks": 5}})"));
  EXPECT_EQ(counters[1],
            json::parse(R"({"ph": "C", "pid": 0, "ts": 2.5, "name": "memory", "args": {"bytes": 1048576}})"));
}

TEST(TraceJson, EveryReaderOfAVersionHasAnArrow) {
  TraceBuilder trace;
  trace.task(0, 1, 0, 10'000, {writes(1, 1)});
  trace.task(0, 2, 10'000, 20'000, {reads(1, 1)}).task(1, 3, 12'000, 20'000, {reads(1, 1)});

  EXPECT_THAT(arrows_of(json_of({trace})),
              ElementsAre("0/1 at 9.999 -> 0/1 at 10.001", "0/1 at 9.999 -> 0/2 at 12.001"));
}

TEST(TraceJson, ArrowsBetweenRanksGoThroughTheTransfer) {
  TraceBuilder front(0, 2);
  front.task(0, 1, 0, 10'000, {writes(1, 1)}).transfer(Direction::out, 1, 20'000, 30'000, reads(1, 1));
  TraceBuilder other(1, 2);
  other.transfer(Direction::in, 0, 15'000, 31'000, reads(1, 1)).task(1, 2, 40'000, 50'000, {reads(1, 1)});

  const json trace = json_of({front, other});

  EXPECT_THAT(arrows_of(trace), ElementsAre("0/1 at 9.999 -> 0/3 at 20.001",     // made, then sent
                                            "1/3 at 30.999 -> 1/2 at 40.001",    // received, then used
                                            "0/3 at 29.999 -> 1/3 at 29.999"));  // sent and received
}

TEST(TraceJson, SaysWhatIsMissing) {
  TraceBuilder trace;
  trace.task(0, 1, 1000, 2000).task(1, 2, 1500, 5000);
  trace.rank().lanes[0].dropped = 17;
  trace.rank().ended = false;

  const json other = json_of({trace})["otherData"];

  EXPECT_EQ(other["dropped"], json::parse(R"({"0": 17})"));
  EXPECT_EQ(other["not_ended"], json::parse("[0]"));
  EXPECT_EQ(other["complete_from_us"], 1.0);
}

TEST(TraceJson, WritesAMillionEventsASecond) {
  constexpr int tasks = 100'000;
  TraceBuilder builder;
  for (int i = 0; i < tasks; ++i) {
    const auto id = static_cast<std::uint32_t>(i);
    builder.task(0, id + 1, 1000 * i, 1000 * i + 900, {reads(id, 1), writes(id + 1, 1)});
  }
  const TraceRun run({builder.trace()});

  const std::clock_t begin = std::clock();
  std::size_t bytes = 0;
  write_trace_json(run, [&bytes](std::string_view part) { bytes += part.size(); });
  const double took_s = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;

  constexpr int written = tasks + 2 * (tasks - 1);  // each task and its arrow
  std::printf("%.2f M events/s, %.0f MB/s\n", written / took_s / 1e6, static_cast<double>(bytes) / took_s / 1e6);
#ifdef NDEBUG
  EXPECT_GT(written / took_s, 300e3) << "a third of a million, since the machine may be loaded";
#endif
}

}  // namespace
}  // namespace penstock::observe
