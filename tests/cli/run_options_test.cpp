#include <gtest/gtest.h>

#include "cli/call.hpp"
#include "cli/fake_commands.hpp"

namespace penstock::cli {
namespace {

/// What the library is told for `penstock run ARGUMENTS`.
runtime::RunOptions told(std::vector<std::string> arguments) {
  fake_library() = {};
  arguments.insert(arguments.begin(), "run");
  const Called called = call(arguments);
  EXPECT_EQ(called.code, 0) << called.error;
  EXPECT_TRUE(fake_library().run.has_value());
  return fake_library().run.value_or(runtime::RunOptions{});
}

TEST(RunOptions, DefaultsAreTheLibrarys) {
  const runtime::RunOptions run = told({"a.toml"});

  EXPECT_EQ(run.job, "a.toml");
  EXPECT_FALSE(run.run_dir.has_value());
  EXPECT_FALSE(run.fresh);
  EXPECT_FALSE(run.quiet);
  EXPECT_FALSE(run.json);
  EXPECT_EQ(run.workers, Options{}.workers);
  EXPECT_EQ(run.window_tasks, Options{}.window_tasks);
  EXPECT_EQ(run.window_bytes, Options{}.window_bytes);
  EXPECT_TRUE(run.use_cpu);
  EXPECT_TRUE(run.use_cuda);
  EXPECT_EQ(run.gpu_bytes, Options{}.gpu_bytes);
  EXPECT_EQ(run.pinned_bytes, Options{}.pinned_bytes);
  EXPECT_EQ(run.placement, Options{}.placement);
}

TEST(RunOptions, EveryOptionArrives) {
  const runtime::RunOptions run = told({"--run-dir", "out dir", "--fresh", "-q", "--workers=3", "--window-tasks", "100",
                                        "a.toml", "--window-bytes", "512MiB", "--devices", "cpu", "--json"});

  EXPECT_EQ(run.job, "a.toml");
  EXPECT_EQ(run.run_dir, "out dir");
  EXPECT_TRUE(run.fresh);
  EXPECT_TRUE(run.quiet);
  EXPECT_TRUE(run.json);
  EXPECT_EQ(run.workers, 3);
  EXPECT_EQ(run.window_tasks, 100U);
  EXPECT_EQ(run.window_bytes, 536'870'912);
  EXPECT_TRUE(run.use_cpu);
  EXPECT_FALSE(run.use_cuda);
}

TEST(RunOptions, ValuesArriveInTheirOrder) {
  const runtime::RunOptions run = told({"--set", "n=1000", "a.toml", "--set=scales=[0.5, 1]", "--set", "f=n == 2"});

  EXPECT_EQ(run.values, (runtime::GivenValues{{"n", "1000"}, {"scales", "[0.5, 1]"}, {"f", "n == 2"}}));
}

TEST(RunOptions, ValuesNeedANameAndASign) {
  for (const std::string value : {"n", "=3"}) {
    const Called called = call({"run", "a.toml", "--set", value});
    EXPECT_EQ(called.code, 2);
    EXPECT_NE(called.error.find("--set takes NAME=VALUE, not '" + value + "'"), std::string::npos) << called.error;
  }
}

// No trace at all was refused like a window of no bytes.
TEST(RunOptions, TraceMayHaveNoBytes) {
  EXPECT_EQ(told({"a", "--trace-bytes", "0"}).trace_bytes, 0);
  EXPECT_EQ(told({"a", "--trace-bytes", "1MiB"}).trace_bytes, 1 << 20);
  EXPECT_EQ(told({"a"}).trace_bytes, 64 << 20);
}

TEST(RunOptions, WhatConcernsGpusArrives) {
  EXPECT_EQ(told({"a", "--gpu-memory", "2GiB"}).gpu_bytes, std::int64_t{2} << 30);
  EXPECT_EQ(told({"a", "--gpu-memory", "0"}).gpu_bytes, 0);
  EXPECT_EQ(told({"a", "--pinned-bytes", "1MiB"}).pinned_bytes, 1 << 20);
  EXPECT_EQ(told({"a", "--pinned-bytes=0"}).pinned_bytes, 0);
  for (const std::string placement : {"eager", "locality", "heft"}) {
    EXPECT_EQ(told({"a", "--placement", placement}).placement, placement);
  }
}

TEST(RunOptions, OrderAndChecksArrive) {
  EXPECT_TRUE(told({"a", "--checked"}).checked);
  EXPECT_TRUE(told({"a", "--serial"}).serial);
  EXPECT_EQ(told({"a", "--schedule-seed", "0"}).schedule_seed, 0U);
  EXPECT_EQ(told({"a", "--checked", "--devices", "cpu"}).schedule_seed, std::nullopt);
}

TEST(RunOptions, DevicesInAnyOrder) {
  EXPECT_FALSE(told({"a", "--devices=cuda"}).use_cpu);
  EXPECT_TRUE(told({"a", "--devices=cuda"}).use_cuda);
  EXPECT_TRUE(told({"a", "--devices=cuda,cpu"}).use_cpu);
  EXPECT_TRUE(told({"a", "--devices=cpu,cuda"}).use_cuda);
}

TEST(RunOptions, FileMayBeginWithADashAfterTwoDashes) {
  EXPECT_EQ(told({"--fresh", "--", "-odd.toml"}).job, "-odd.toml");
}

}  // namespace
}  // namespace penstock::cli
