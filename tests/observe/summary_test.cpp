#include "observe/summary.hpp"

#include <algorithm>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "observe/table.hpp"

namespace penstock::observe {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::Not;

RunSummary run_of(std::vector<RankSummary> ranks) {
  return {.job = "blur",
          .version = "0.1.0",
          .started = "2026-01-31T08:05:09Z",
          .verdict = "all done",
          .tasks_done = 1000,
          .wall_s = 10.0,
          .run_folder = "penstock-runs/blur",
          .results_saved = 2,
          .failures = {},
          .ranks = std::move(ranks)};
}

RankSummary rank_of(int rank, bool gpu) {
  RankSummary summary{.rank = rank,
                      .host = "node" + std::to_string(rank / 4),
                      .cores = "0-7",
                      .devices = {{.kind = "cpu", .name = "", .lanes = 8, .tasks = 700, .busy_s = 60.0}},
                      .bytes_sent = std::uint64_t{3} << 30,
                      .bytes_received = 512};
  if (gpu) summary.devices.push_back({.kind = "cuda", .name = "NVIDIA H200", .lanes = 4, .tasks = 300, .busy_s = 38.4});
  return summary;
}

TraceNumbers numbers_of(int ranks, int lanes) {
  TraceNumbers numbers{.span_s = 10.0,
                       .compute_s = 34.0,
                       .transfer_s = 2.0,
                       .parallelism = 3.4,
                       .transfers = 12,
                       .transfer_bytes = 3 << 20,
                       .overlap = 0.93,
                       .critical_path = {.s = 4.0, .tasks = 17, .kernels = {{.kernel = "gemm", .tasks = 9, .s = 3.0}}},
                       .ranks = {},
                       .events = 1000};
  for (int rank = 0; rank < ranks; ++rank) {
    numbers.ranks.push_back(
        {.rank = rank, .devices = {{.kind = "cpu", .name = "", .lanes = lanes, .busy_share = 0.25}}});
  }
  return numbers;
}

std::vector<RankSummary> many_ranks(int count, bool gpu) {
  std::vector<RankSummary> ranks;
  for (int rank = 0; rank < count; ++rank) ranks.push_back(rank_of(rank, gpu));
  return ranks;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

void expect_one_screen(const std::string& text) {
  const auto lines = lines_of(text);
  EXPECT_LE(lines.size(), screen_lines) << text;
  for (const std::string& line : lines) EXPECT_LE(columns_of(line), screen_columns) << line;
}

TEST(SummaryScreen, OneRank) {
  EXPECT_EQ(to_screen(run_of({rank_of(0, false)})),
            "blur: all done\n"
            "  tasks    1000 done\n"
            "  time     10.0 s, 100/s\n"
            "  saved    2 arrays\n"
            "  folder   penstock-runs/blur\n"
            "\n"
            "  rank  host   device   lanes  tasks    busy     sent  received\n"
            "     0  node0  cpu 0-7      8    700  75.0 %  3.0 GiB     512 B\n");
}

TEST(SummaryScreen, PluginsHaveALineWithTheBeginningsOfTheirHashes) {
  RunSummary run = run_of({});
  run.plugins = {{"/opt/filters.so", "0123456789abcdef", {"blur"}}, {"fft.so", "fedcba9876543210", {}}};

  EXPECT_THAT(to_screen(run), HasSubstr("  saved    2 arrays\n"
                                        "  plugins  filters.so (0123456789ab), fft.so (fedcba987654)\n"
                                        "  folder   "));
}

TEST(SummaryScreen, TraceSaysHowTheTimeWasUsed) {
  RunSummary run = run_of({rank_of(0, false)});
  run.trace = numbers_of(1, 8);

  EXPECT_THAT(to_screen(run),
              HasSubstr("  time     10.0 s, 100/s\n"
                        "  work     3.4 of 8 lanes busy, critical path 4.0 s of 10.0 s: 17 tasks, mostly gemm\n"
                        "  moved    3.0 MiB in 12 transfers, 93.0 % beside computing\n"
                        "  saved    2 arrays\n"));
}

TEST(SummaryScreen, TraceWithoutTransfersIsOneLine) {
  RunSummary run = run_of({rank_of(0, false)});
  run.trace = numbers_of(1, 8);
  run.trace->overlap.reset();
  const std::size_t lines = lines_of(to_screen(run)).size();

  run.trace->dropped = 5;

  EXPECT_EQ(lines, lines_of(to_screen(run_of({rank_of(0, false)}))).size() + 1);
  EXPECT_THAT(to_screen(run), HasSubstr("  trace    the trace covers the last 10.0 s\n"));
}

TEST(SummaryScreen, TraceOfNoEventsIsNotMentioned) {
  RunSummary run = run_of({rank_of(0, false)});
  run.trace = TraceNumbers();

  EXPECT_EQ(to_screen(run), to_screen(run_of({rank_of(0, false)})));
}

TEST(SummaryScreen, FourRanksWithGpus) {
  EXPECT_EQ(to_screen(run_of(many_ranks(4, true))),
            "blur: all done\n"
            "  tasks    1000 done\n"
            "  time     10.0 s, 100/s\n"
            "  saved    2 arrays\n"
            "  folder   penstock-runs/blur\n"
            "\n"
            "  rank  host   device            lanes  tasks    busy     sent  received\n"
            "     0  node0  cpu 0-7               8    700  75.0 %  3.0 GiB     512 B\n"
            "               cuda NVIDIA H200      4    300  96.0 %\n"
            "     1  node0  cpu 0-7               8    700  75.0 %  3.0 GiB     512 B\n"
            "               cuda NVIDIA H200      4    300  96.0 %\n"
            "     2  node0  cpu 0-7               8    700  75.0 %  3.0 GiB     512 B\n"
            "               cuda NVIDIA H200      4    300  96.0 %\n"
            "     3  node0  cpu 0-7               8    700  75.0 %  3.0 GiB     512 B\n"
            "               cuda NVIDIA H200      4    300  96.0 %\n");
}

TEST(SummaryScreen, ThousandRanksFoldToOneScreen) {
  auto ranks = many_ranks(1000, true);
  ranks[17].devices[0].tasks = 1;
  ranks[17].devices[0].busy_s = 8.0;
  ranks[400].bytes_sent = std::uint64_t{5} << 40;

  const std::string screen = to_screen(run_of(std::move(ranks)));

  EXPECT_EQ(screen,
            "blur: all done\n"
            "  tasks    1000 done\n"
            "  time     10.0 s, 100/s\n"
            "  saved    2 arrays\n"
            "  folder   penstock-runs/blur\n"
            "\n"
            "  ranks  of each   device  lanes  tasks    busy     sent  received\n"
            "   1000  least     cpu         8      1  10.0 %  3.0 GiB     512 B\n"
            "         median    cpu         8    700  75.0 %  3.0 GiB     512 B\n"
            "         greatest  cpu         8    700  75.0 %  5.0 TiB     512 B\n"
            "         least     cuda        4    300  96.0 %\n"
            "         median    cuda        4    300  96.0 %\n"
            "         greatest  cuda        4    300  96.0 %\n"
            "  least busy: rank 17 on node4, cpu 0-7, 10.0 %\n");
  expect_one_screen(screen);
}

TEST(SummaryScreen, FullTableIsKeptAsLongAsItFits) {
  const auto kept = lines_of(to_screen(run_of(many_ranks(17, false))));
  const auto folded = lines_of(to_screen(run_of(many_ranks(18, false))));

  EXPECT_EQ(kept.size(), screen_lines);
  EXPECT_THAT(folded[6], HasSubstr("ranks  of each"));
}

TEST(SummaryScreen, FailuresAreShownInFullAndCounted) {
  RunSummary run = run_of({rank_of(0, false)});
  run.verdict = "2 tasks failed";
  run.tasks_failed = 2;
  run.tasks_skipped = 5;
  run.results_saved = 0;
  run.exit_code = 1;
  run.failures = {{4, "task 4 (gemm at jobs/blur.toml:12) failed on rank 0, cpu, attempt 1: out of memory"},
                  {9, "task 9 (add at jobs/blur.toml:20) failed"}};
  run.failures_omitted = 3;

  EXPECT_EQ(to_screen(run),
            "blur: 2 tasks failed\n"
            "  tasks    1000 done, 2 failed, 5 skipped\n"
            "  time     10.0 s, 100/s\n"
            "  folder   penstock-runs/blur\n"
            "\n"
            "  rank  host   device   lanes  tasks    busy     sent  received\n"
            "     0  node0  cpu 0-7      8    700  75.0 %  3.0 GiB     512 B\n"
            "\n"
            "  task 4 (gemm at jobs/blur.toml:12) failed on rank 0, cpu, attempt 1: out of memory\n"
            "  task 9 (add at jobs/blur.toml:20) failed\n"
            "  ... and 3 more failed\n");
}

TEST(SummaryScreen, WorstCaseStaysOneScreen) {
  RunSummary run = run_of(many_ranks(1000, true));
  for (RankSummary& rank : run.ranks) {
    rank.host = std::string(300, 'h');
    rank.cores = std::string(300, '1');
    rank.bytes_sent = rank.bytes_received = ~std::uint64_t{0};
    rank.devices.push_back(
        {.kind = "cuda", .name = std::string(300, 'g'), .lanes = 128, .tasks = 1'000'000'000'000'000});
  }
  run.job = std::string(300, 'j');
  run.run_folder = std::string(300, 'f');
  run.plugins.assign(30, {"/" + std::string(300, 'p'), std::string(64, 'a'), {}});
  run.tasks_done = run.tasks_failed = run.tasks_skipped = run.tasks_cancelled = run.tasks_not_started =
      1'000'000'000'000;
  run.trace = numbers_of(1000, 2'000'000);
  run.trace->dropped = ~std::uint64_t{0};
  run.trace->critical_path.kernels[0].kernel = std::string(300, 'k');
  for (std::uint64_t task = 0; task < 100; ++task) run.failures.push_back({task, std::string(700, 'x') + "\n\n\n"});

  const std::string folded = to_screen(run);
  run.ranks.resize(1);
  const std::string full = to_screen(run);

  expect_one_screen(folded);
  expect_one_screen(full);
  EXPECT_THAT(full, HasSubstr("... and 99 more failed"));
}

TEST(SummaryScreen, TerminalSequencesInMessagesAreDefused) {
  RunSummary run = run_of({rank_of(0, false)});
  run.failures = {{1, "evil \x1b]0;title\x07 text"}};

  EXPECT_THAT(to_screen(run), Not(testing::AnyOf(HasSubstr("\x1b"), HasSubstr("\x07"))));
}

TEST(SummaryScreen, RunThatNeverBeganHasNoTable) {
  RunSummary run;
  run.job = "blur";
  run.verdict = "interrupted";

  EXPECT_EQ(to_screen(run), "blur: interrupted\n  tasks    0 done\n  time     0 us\n");
}

TEST(DeviceSummary, BusyShareStaysBetweenNoneAndAll) {
  EXPECT_EQ((DeviceSummary{.kind = "cpu", .name = "", .lanes = 2, .busy_s = 5.0}.busy_share(10.0)), 0.25);
  EXPECT_EQ((DeviceSummary{.kind = "cpu", .name = "", .lanes = 2, .busy_s = 50.0}.busy_share(10.0)), 1.0);
  EXPECT_EQ((DeviceSummary{.kind = "cpu", .name = "", .lanes = 0, .busy_s = 5.0}.busy_share(10.0)), 0.0);
  EXPECT_EQ((DeviceSummary{.kind = "cpu", .name = "", .lanes = 2, .busy_s = 5.0}.busy_share(0.0)), 0.0);
}

TEST(SummaryScreen, TellsWhatGpusMovedAndWhyOneWasIdle) {
  std::vector<RankSummary> ranks{rank_of(0, true)};
  ranks[0].devices[1].bytes_in = 3 << 20;
  ranks[0].devices[1].bytes_out = 512;
  ranks[0].devices[1].evictions = 7;
  ranks[0].devices.push_back({.kind = "cuda", .name = "NVIDIA H200", .lanes = 4});
  ranks[0].devices[2].why_idle = "GPU 1 ran 0 of 7 tasks: 7 had no CUDA body (save 7)";

  const std::string text = to_screen(run_of(std::move(ranks)));

  EXPECT_THAT(text, testing::HasSubstr("\n  NVIDIA H200: 3.0 MiB in, 512 B out, 7 evictions\n"
                                       "  GPU 1 ran 0 of 7 tasks: 7 had no CUDA body (save 7)\n"));
  expect_one_screen(text);
}

TEST(SummaryJson, HasEveryDocumentedKey) {
  RunSummary run = run_of({rank_of(3, true)});
  run.tasks_not_started = 7;
  run.failures = {{4, "why"}};
  run.failures_omitted = 2;
  run.skipped = {{{5, "skipped"}, {4, "why"}}};
  run.skipped_omitted = 7;
  run.exit_code = 1;

  const auto json = nlohmann::json::parse(to_json(run));

  EXPECT_EQ(json["format"], 1);
  EXPECT_EQ(json["job"], "blur");
  EXPECT_EQ(json["version"], "0.1.0");
  EXPECT_EQ(json["started"], "2026-01-31T08:05:09Z");
  EXPECT_EQ(json["verdict"], "all done");
  EXPECT_EQ(json["exit_code"], 1);
  EXPECT_EQ(json["run_folder"], "penstock-runs/blur");
  EXPECT_EQ(json["wall_s"], 10.0);
  EXPECT_EQ(json["tasks"],
            (nlohmann::json{{"done", 1000}, {"failed", 0}, {"skipped", 0}, {"cancelled", 0}, {"not_started", 7}}));
  EXPECT_EQ(json["results_saved"], 2);
  EXPECT_EQ(json["failures"], nlohmann::json::parse(R"([{"task": 4, "message": "why"}])"));
  EXPECT_EQ(json["failures_omitted"], 2);
  EXPECT_EQ(json["skipped"],
            nlohmann::json::parse(R"([{"task": 5, "message": "skipped", "cause": {"task": 4, "message": "why"}}])"));
  EXPECT_EQ(json["skipped_omitted"], 7);
  ASSERT_EQ(json["ranks"].size(), 1U);
  const auto& rank = json["ranks"][0];
  EXPECT_EQ(rank["rank"], 3);
  EXPECT_EQ(rank["host"], "node0");
  EXPECT_EQ(rank["cores"], "0-7");
  EXPECT_EQ(rank["bytes_sent"], std::uint64_t{3} << 30);
  EXPECT_EQ(rank["bytes_received"], 512);
  EXPECT_EQ(rank["devices"][1], (nlohmann::json{{"kind", "cuda"},
                                                {"name", "NVIDIA H200"},
                                                {"lanes", 4},
                                                {"tasks", 300},
                                                {"busy_s", 38.4},
                                                {"busy_share", 0.96},
                                                {"bytes_in", 0},
                                                {"bytes_out", 0},
                                                {"evictions", 0},
                                                {"why_idle", ""}}));
}

TEST(SummaryJson, NamesPluginsWithHashAndKernels) {
  RunSummary run;
  EXPECT_EQ(nlohmann::json::parse(to_json(run))["plugins"], nlohmann::json::array());

  run.plugins = {{"/opt/filters.so", "12ef", {"blur", "sharpen"}}};

  EXPECT_EQ(
      nlohmann::json::parse(to_json(run))["plugins"],
      nlohmann::json::parse(R"([{"path": "/opt/filters.so", "sha256": "12ef", "kernels": ["blur", "sharpen"]}])"));
}

TEST(SummaryJson, TraceHasItsNumbers) {
  RunSummary run;
  EXPECT_TRUE(nlohmann::json::parse(to_json(run))["trace"].is_null());

  run.trace = numbers_of(1, 8);

  EXPECT_EQ(nlohmann::json::parse(to_json(run))["trace"], nlohmann::json::parse(R"({
      "span_s": 10.0, "compute_s": 34.0, "transfer_s": 2.0, "transfers": 12, "transfer_bytes": 3145728,
      "parallelism": 3.4, "overlap": 0.93, "events": 1000, "dropped": 0,
      "critical_path": {"s": 4.0, "tasks": 17, "kernels": [{"kernel": "gemm", "tasks": 9, "s": 3.0}]},
      "ranks": [{"rank": 0, "devices": [
          {"kind": "cpu", "name": "", "lanes": 8, "busy_share": 0.25, "idle_share": 0.75}]}]})"));

  run.trace->overlap.reset();

  EXPECT_TRUE(nlohmann::json::parse(to_json(run))["trace"]["overlap"].is_null());
}

TEST(SummaryJson, NoRunFolderIsNull) { EXPECT_TRUE(nlohmann::json::parse(to_json({}))["run_folder"].is_null()); }

TEST(SummaryJson, MessagesOfAnyBytesAreMended) {
  RunSummary run;
  run.failures = {{1, "bad \xc3\x28 bytes"}};

  const auto json = nlohmann::json::parse(to_json(run));

  EXPECT_EQ(json["failures"][0]["message"], "bad \ufffd( bytes");
}

}  // namespace
}  // namespace penstock::observe
