#include "cli/dispatch.hpp"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/bench_command.hpp"
#include "cli/call.hpp"
#include "cli/command.hpp"
#include "cli/fake_commands.hpp"

namespace penstock::cli {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class DispatchTest : public testing::Test {
 protected:
  void SetUp() override { fake_library() = {}; }
};

struct UsageCase {
  std::vector<std::string> arguments;
  std::string error;
};
class UsageErrors : public testing::TestWithParam<UsageCase> {};

TEST_P(UsageErrors, AreOneLineWithExitCode2) {
  fake_library() = {};

  const Called called = call(GetParam().arguments);

  EXPECT_EQ(called.code, 2);
  EXPECT_EQ(called.out, "");
  EXPECT_EQ(called.error, GetParam().error + "\n");
  EXPECT_FALSE(fake_library().run.has_value());
}

INSTANTIATE_TEST_SUITE_P(
    Dispatch, UsageErrors,
    testing::Values(
        UsageCase{{}, "penstock: a command is missing; see penstock --help"},
        UsageCase{{""}, "penstock: unknown command ''; see penstock --help"},
        UsageCase{{"rnu"}, "penstock: unknown command 'rnu'; the nearest known one is 'run'; see penstock --help"},
        UsageCase{{"fly"}, "penstock: unknown command 'fly'; see penstock --help"},
        UsageCase{{"--versoin"},
                  "penstock: unknown option '--versoin'; the nearest known one is '--version'; see penstock --help"},
        UsageCase{{"--version", "x"}, "penstock: unexpected argument 'x'; see penstock --help"},
        UsageCase{{"help", "chekc"},
                  "penstock: unknown command 'chekc'; the nearest known one is 'check'; see penstock --help"},
        UsageCase{{"help", "run", "x"}, "penstock: unexpected argument 'x'; see penstock --help"},
        UsageCase{{"run"}, "penstock run: FILE is missing; see penstock run --help"},
        UsageCase{{"run", ""}, "penstock run: FILE is missing; see penstock run --help"},
        UsageCase{{"run", "a", "b"}, "penstock run: one FILE only; 'b' is too much; see penstock run --help"},
        UsageCase{
            {"run", "a", "--fersh"},
            "penstock run: unknown option '--fersh'; the nearest known one is '--fresh'; see penstock run --help"},
        UsageCase{{"run", "a", "--wrkers=3"},
                  "penstock run: unknown option '--wrkers'; the nearest known one is '--workers'; "
                  "see penstock run --help"},
        UsageCase{{"run", "a", "--xyzzy"}, "penstock run: unknown option '--xyzzy'; see penstock run --help"},
        UsageCase{{"run", "a", "--fre"},
                  "penstock run: unknown option '--fre'; the nearest known one is '--fresh'; see penstock run --help"},
        UsageCase{{"run", "a", "-x"}, "penstock run: unknown option '-x'; see penstock run --help"},
        UsageCase{{"run", "a", "--workers"}, "penstock run: option '--workers' needs a value; see penstock run --help"},
        UsageCase{{"run", "a", "--run-dir="},
                  "penstock run: option '--run-dir' needs a value; see penstock run --help"},
        UsageCase{{"run", "a", "--run-dir", ""},
                  "penstock run: option '--run-dir' needs a value; see penstock run --help"},
        UsageCase{{"run", "a", "--fresh=yes"},
                  "penstock run: option '--fresh' takes no value; see penstock run --help"},
        UsageCase{{"run", "a", "--workers", "2", "--workers", "3"},
                  "penstock run: option '--workers' is given twice; see penstock run --help"},
        UsageCase{{"run", "a", "-q", "--quiet"},
                  "penstock run: option '--quiet' is given twice; see penstock run --help"},
        UsageCase{{"run", "a", "--workers", "two"},
                  "penstock run: --workers takes a whole number from 1 to 4096, not 'two'; see penstock run --help"},
        UsageCase{{"run", "a", "--workers", "0"},
                  "penstock run: --workers takes a whole number from 1 to 4096, not '0'; see penstock run --help"},
        UsageCase{{"run", "a", "--workers", "-1"},
                  "penstock run: --workers takes a whole number from 1 to 4096, not '-1'; see penstock run --help"},
        UsageCase{{"run", "a", "--workers", "3x"},
                  "penstock run: --workers takes a whole number from 1 to 4096, not '3x'; see penstock run --help"},
        UsageCase{{"run", "a", "--window-tasks", "99999999999999999999"},
                  "penstock run: --window-tasks takes a whole number from 1 to 9223372036854775807, not "
                  "'99999999999999999999'; see penstock run --help"},
        UsageCase{{"run", "a", "--window-bytes", "4G"},
                  "penstock run: --window-bytes takes a size such as 4GiB, 512MiB, 1e9 or 4096, not '4G'; "
                  "see penstock run --help"},
        UsageCase{{"run", "a", "--window-bytes", "0"},
                  "penstock run: --window-bytes takes a size such as 4GiB, 512MiB, 1e9 or 4096, not '0'; "
                  "see penstock run --help"},
        UsageCase{{"run", "a", "--devices", "cuba"},
                  "penstock run: --devices takes cpu, cuda or cpu,cuda, not 'cuba'; the nearest is 'cuda'; "
                  "see penstock run --help"},
        UsageCase{{"run", "a", "--devices", "cpu,"},
                  "penstock run: --devices takes cpu, cuda or cpu,cuda, not ''; see penstock run --help"},
        UsageCase{{"run", "a", "--placement", "eagr"},
                  "penstock run: --placement takes eager, locality or heft, not 'eagr'; the nearest is 'eager'; "
                  "see penstock run --help"},
        UsageCase{{"run", "a", "--placement", "dmda"},
                  "penstock run: --placement takes eager, locality or heft, not 'dmda'; see penstock run --help"},
        UsageCase{{"run", "a", "--pinned-bytes", "-1"},
                  "penstock run: --pinned-bytes takes a size such as 4GiB, 512MiB, 1e9 or 4096, not '-1'; "
                  "see penstock run --help"},
        UsageCase{{"run", "a", "--gpu-memory", "half"},
                  "penstock run: --gpu-memory takes a size such as 4GiB, 512MiB, 1e9 or 4096, not 'half'; "
                  "see penstock run --help"},
        UsageCase{{"check"}, "penstock check: FILE is missing; see penstock check --help"},
        UsageCase{{"check", "a", "--graph", ""},
                  "penstock check: option '--graph' needs a value; see penstock check --help"},
        UsageCase{{"check", "a", "--json", "--graph", "-"},
                  "penstock check: --json and --graph - cannot both go to standard output; see penstock check --help"},
        UsageCase{{"kernels", "a", "b"},
                  "penstock kernels: one NAME only; 'b' is too much; see penstock kernels --help"},
        UsageCase{{"kernels", "--plugin"},
                  "penstock kernels: option '--plugin' needs a value; see penstock kernels --help"},
        UsageCase{{"kernels", "--json", "--json"},
                  "penstock kernels: option '--json' is given twice; see penstock kernels --help"},
        UsageCase{{"devices", "x"}, "penstock devices: unexpected argument 'x'; see penstock devices --help"},
        UsageCase{{"devices", "--jsn"},
                  "penstock devices: unknown option '--jsn'; the nearest known one is '--json'; "
                  "see penstock devices --help"},
        UsageCase{{"kernels", "--long"}, "penstock kernels: unknown option '--long'; see penstock kernels --help"},
        UsageCase{{"trace"}, "penstock trace: DIR is missing; see penstock trace --help"},
        UsageCase{{"trace", "a", "-o", ""},
                  "penstock trace: option '--output' needs a value; see penstock trace --help"},
        UsageCase{{"bench"}, "penstock bench: NAME is missing; see penstock bench --help"}));

TEST_F(DispatchTest, UsageErrorsArePrintedByTheFirstRankOnly) {
  ::setenv("PMI_RANK", "1", 1);
  const Called called = call({"rnu"});
  ::unsetenv("PMI_RANK");

  EXPECT_EQ(called.code, 2);
  EXPECT_EQ(called.error, "");
}

TEST_F(DispatchTest, VersionIsTheLibrarys) {
  const Called called = call({"--version"});

  EXPECT_EQ(called.code, 0);
  EXPECT_EQ(called.out, "penstock 9.8.7\n");
}

TEST_F(DispatchTest, GeneralHelpNamesEveryCommand) {
  const Called called = call({"--help"});

  EXPECT_EQ(called.code, 0);
  EXPECT_THAT(called.out, EndsWith(std::string(exit_code_table)));
  for (const Command* command : all_commands()) {
    EXPECT_THAT(called.out, HasSubstr("  " + std::string(command->name) + " "));
  }
  EXPECT_EQ(call({"help"}).out, called.out);
  EXPECT_EQ(call({"-h"}).out, called.out);
}

TEST_F(DispatchTest, EveryCommandHasHelpWithExamplesAndExitCodes) {
  for (const Command* command : all_commands()) {
    const std::string name(command->name);

    const Called called = call({name, "--help"});

    EXPECT_EQ(called.code, 0) << name;
    EXPECT_EQ(called.error, "") << name;
    EXPECT_THAT(called.out, AllOf(StartsWith("Usage: penstock " + name), HasSubstr("--help"), HasSubstr("Examples:\n"),
                                  EndsWith(std::string(exit_code_table))));
    EXPECT_EQ(call({"help", name}).out, called.out);
    EXPECT_EQ(call({name, "-h"}).out, called.out);
    std::istringstream lines(called.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
  }
  EXPECT_FALSE(fake_library().run.has_value());
}

TEST_F(DispatchTest, HelpOfRunStatesTheDefaultsThatHold) {
  const std::string help = call({"run", "--help"}).out;

  EXPECT_THAT(help, HasSubstr("--run-dir DIR"));
  EXPECT_THAT(help, HasSubstr(std::to_string(Options{}.window_tasks)));
  EXPECT_THAT(help, HasSubstr("4.0 GiB"));
}

TEST_F(DispatchTest, ExitCodeOfACommandIsPassedOn) {
  for (const int code : {0, 1, 4, 130}) {
    fake_library().exit_code = code;

    EXPECT_EQ(call({"run", "a.toml"}).code, code);
  }
}

TEST_F(DispatchTest, ErrorsBecomeOneLineAndTheirExitCode) {
  const std::vector<std::pair<ErrorCode, int>> table{
      {ErrorCode::invalid_argument, 2}, {ErrorCode::bad_job, 2}, {ErrorCode::run_folder, 3},
      {ErrorCode::environment, 2},      {ErrorCode::lost, 4},    {ErrorCode::task_failed, 1},
      {ErrorCode::interrupted, 130}};
  for (const auto& [error, code] : table) {
    fake_library().error = error;

    const Called called = call({"run", "a.toml"});

    EXPECT_EQ(called.code, code);
    EXPECT_EQ(called.error, "penstock: what the library said\n");
  }
}

TEST_F(DispatchTest, CheckReadsTheFileItIsGiven) {
  const Called called = call({"check", "jobs/a.toml"});

  EXPECT_EQ(called.code, 0);
  EXPECT_EQ(called.out, "understood jobs/a.toml\n");
  ASSERT_TRUE(fake_library().check);
  EXPECT_EQ(fake_library().check->job, "jobs/a.toml");
  EXPECT_FALSE(fake_library().check->json);
  EXPECT_FALSE(fake_library().check->graph);
}

TEST_F(DispatchTest, CheckPassesItsOptionsOn) {
  call({"check", "--json", "--graph", "a.dot", "a.toml"});
  ASSERT_TRUE(fake_library().check);
  EXPECT_TRUE(fake_library().check->json);
  EXPECT_EQ(fake_library().check->graph, "a.dot");

  call({"check", "a.toml", "--graph", "-"});
  EXPECT_FALSE(fake_library().check->json);
  EXPECT_EQ(fake_library().check->graph, "-");
}

TEST_F(DispatchTest, CheckIsDoneByTheFirstRankOnly) {
  fake_library().error = ErrorCode::bad_job;

  ::setenv("PMI_RANK", "1", 1);
  const Called called = call({"check", "a.toml"});
  ::unsetenv("PMI_RANK");

  EXPECT_EQ(called.code, 0);
  EXPECT_EQ(called.error, "");
  EXPECT_FALSE(fake_library().check);
}

TEST_F(DispatchTest, TraceGoesToTheRunFolderOrWhereItIsTold) {
  call({"trace", "runs/a"});
  ASSERT_TRUE(fake_library().trace);
  EXPECT_EQ(fake_library().trace->first, "runs/a");
  EXPECT_EQ(fake_library().trace->second, "runs/a/trace.json");

  call({"trace", "-o", "-", "runs/a"});
  EXPECT_EQ(fake_library().trace->second, "-");
}

TEST_F(DispatchTest, TraceIsMadeByTheFirstRankOnly) {
  ::setenv("PMI_RANK", "1", 1);
  const Called called = call({"trace", "runs/a"});
  ::unsetenv("PMI_RANK");

  EXPECT_EQ(called.code, 0);
  EXPECT_FALSE(fake_library().trace);
}

TEST_F(DispatchTest, DevicesPrintsTextOrJson) {
  EXPECT_EQ(call({"devices"}).out, "devices\n");
  EXPECT_EQ(fake_library().devices_json, false);

  EXPECT_EQ(call({"devices", "--json"}).out, "{}\n");
  EXPECT_EQ(fake_library().devices_json, true);
}

TEST_F(DispatchTest, KernelsTakesPluginsAndOneName) {
  call({"kernels"});
  ASSERT_TRUE(fake_library().kernels);
  EXPECT_TRUE(fake_library().kernels->plugins.empty());
  EXPECT_FALSE(fake_library().kernels->kernel);
  EXPECT_FALSE(fake_library().kernels->json);

  call({"kernels", "--plugin", "a.so", "--json", "fft", "--plugin=b.so"});
  EXPECT_THAT(fake_library().kernels->plugins, testing::ElementsAre("a.so", "b.so"));
  EXPECT_EQ(fake_library().kernels->kernel, "fft");
  EXPECT_TRUE(fake_library().kernels->json);
}

TEST_F(DispatchTest, MissingBenchmarkProgramIsSaidWithThePlaces) {
  try {
    static_cast<void>(find_benchmark_program("/nowhere/bin"));
    FAIL() << "found";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::environment);
    EXPECT_STREQ(error.what(),
                 "penstock-bench is not installed: neither /nowhere/bin/penstock-bench nor "
                 "/nowhere/libexec/penstock/penstock-bench is there");
  }
}

}  // namespace
}  // namespace penstock::cli
