#include "bench/process.hpp"

#include <stdlib.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <penstock/error.hpp>

#include "bench/programs.hpp"

namespace penstock::bench {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

ProgramCall shell(const std::string& script) { return {.command = {"sh", "-c", script}, .environment = {}}; }

TEST(RunProgram, HandsOutWhatWasWritten) {
  const ProgramResult result = run_program(shell("echo one; echo two"));

  EXPECT_EQ(result.out, "one\ntwo\n");
  EXPECT_GT(result.wall_s, 0.0);
  EXPECT_GT(result.peak_bytes, 0);
}

TEST(RunProgram, MeasuresThePeakOfTheProgramItself) {
  const ProgramResult large = run_program(
      {.command = {"dd", "if=/dev/zero", "of=/dev/null", "bs=64M", "count=1", "status=none"}, .environment = {}});

  EXPECT_GE(large.peak_bytes, std::int64_t{64} << 20);
}

TEST(RunProgram, CountsTheTimeOfCoresAndNotOfWaiting) {
  const double computing_s = run_program(shell("i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done")).cpu_s;
  const ProgramResult waiting = run_program(shell("sleep 0.3"));

  EXPECT_GT(computing_s, 0.01);
  EXPECT_LT(waiting.cpu_s, waiting.wall_s / 2);
}

TEST(RunProgram, StandardInputIsEmpty) { EXPECT_EQ(run_program(shell("cat")).out, ""); }

TEST(RunProgram, EnvironmentIsAddedToOurOwn) {
  ::setenv("BENCH_TEST_KEPT", "kept", 1);
  ::setenv("BENCH_TEST_CHANGED", "old", 1);
  ProgramCall call = shell("echo $BENCH_TEST_KEPT $BENCH_TEST_CHANGED");
  call.environment = {{"BENCH_TEST_CHANGED", "new"}};

  EXPECT_EQ(run_program(call).out, "kept new\n");
}

TEST(RunProgram, SettingsOfOpenMpAreNotHandedOn) {
  ::setenv("OMP_NUM_THREADS", "1", 1);
  ProgramCall own = shell("env");
  own.environment = {{"OMP_PLACES", "cores"}};

  const std::string variables = run_program(own).out;
  ::unsetenv("OMP_NUM_THREADS");

  EXPECT_THAT(variables, Not(HasSubstr("OMP_NUM_THREADS")));
  EXPECT_THAT(variables, HasSubstr("OMP_PLACES=cores\n"));
}

TEST(RunProgram, FailureIsAnError) {
  EXPECT_THAT([] { static_cast<void>(run_program(shell("exit 3"))); }, ThrowsMessage<Error>("sh returned 3"));
  EXPECT_THAT([] { static_cast<void>(run_program(shell("kill -KILL $$"))); },
              ThrowsMessage<Error>("sh was ended by signal 9"));
}

TEST(RunProgram, MissingProgramIsAnError) {
  EXPECT_THAT([] { static_cast<void>(run_program({.command = {"/no/such/program"}, .environment = {}})); },
              ThrowsMessage<Error>(HasSubstr("/no/such/program cannot be started: No such file")));
}

TEST(NumberIn, ReadsANumberOfTheObject) { EXPECT_EQ(number_in(R"({"seconds": 1.5, "other": 2})", "seconds"), 1.5); }

TEST(NumberIn, RefusesWhatIsNoAnswer) {
  for (const char* text : {"", "{", "[1]", R"({"seconds": "1"})", R"({"second": 1})"}) {
    EXPECT_THROW(static_cast<void>(number_in(text, "seconds")), Error) << text;
  }
}

TEST(Programs, RanksAreStartedByMpirun) {
  const ProgramCall call = as_ranks(3, {"program", "argument"});

  EXPECT_THAT(call.command,
              testing::ElementsAre("mpirun", "-n", "3", "--bind-to", "none", "--oversubscribe", "program", "argument"));
}

}  // namespace
}  // namespace penstock::bench
