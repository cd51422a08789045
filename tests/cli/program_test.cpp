/// The command as a process: exit codes, pipes and the hand-over to the benchmark program.
#include <sys/wait.h>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "observe/temporary_folder.hpp"

namespace penstock::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

struct Ran {
  int code;
  std::string out;
};

/// Runs a shell command; `code` is its exit code, or 128 and the signal that ended it.
Ran shell(const std::string& command) {
  FILE* pipe = ::popen(("exec 2>&1; " + command).c_str(), "r");
  std::string out;
  std::array<char, 4096> block{};
  while (const std::size_t got = std::fread(block.data(), 1, block.size(), pipe)) out.append(block.data(), got);
  const int status = ::pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), out};
}

const std::string program = PENSTOCK_FAKE;

TEST(Program, PrintsAndExits) {
  const Ran version = shell(program + " --version");
  const Ran usage = shell(program + " rnu");

  EXPECT_EQ(version.code, 0);
  EXPECT_EQ(version.out, "penstock 9.8.7\n");
  EXPECT_EQ(usage.code, 2);
}

TEST(Program, ReaderThatGoesAwayIsNoError) {
  const Ran ran = shell("{ " + program + " kernels; echo code $? >&2; } | head -n 1");

  EXPECT_THAT(ran.out, HasSubstr("kernel number 0\n"));
  EXPECT_THAT(ran.out, HasSubstr("code 0\n"));
}

TEST(Program, FullDiskIsAnError) {
  const Ran ran = shell(program + " --help > /dev/full");

  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.out, "penstock: cannot write to standard output: No space left on device\n");
}

TEST(Program, OtherRanksPrintNoHelp) {
  const Ran ran = shell("PMI_RANK=1 " + program + " --help");

  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, "");
}

/// A copy of the command in a folder of its own.
class BenchTest : public testing::Test {
 protected:
  observe::TemporaryFolder folder;
  fs::path command = folder.path() / "bin" / "penstock";

  void SetUp() override {
    fs::create_directories(command.parent_path());
    fs::copy_file(program, command);
  }
  /// A benchmark program that prints its arguments and whether a closed pipe would end it, and exits with 1.
  static void install(const fs::path& path) {
    fs::create_directories(path.parent_path());
    observe::write_file(path, "#!/bin/sh\necho \"bench $*\"; grep SigIgn /proc/self/status\nexit 1\n");
    fs::permissions(path, fs::perms::owner_all);
  }
};

TEST_F(BenchTest, HandsItsArgumentsToTheProgramBesideIt) {
  install(folder.path() / "bin" / "penstock-bench");

  const Ran ran = shell(command.string() + " bench --json overlap --n 500 --quick");

  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, HasSubstr("bench overlap --quick --json --n 500\n"));
}

TEST_F(BenchTest, ProgramGetsTheUsualBehaviourOfPipes) {
  install(folder.path() / "bin" / "penstock-bench");

  const Ran ran = shell(command.string() + " bench overlap");

  constexpr unsigned long long sigpipe_bit = 1ULL << 12U;
  const std::size_t mask = ran.out.find("SigIgn:\t");
  ASSERT_NE(mask, std::string::npos) << ran.out;
  EXPECT_EQ(std::stoull(ran.out.substr(mask + 8), nullptr, 16) & sigpipe_bit, 0U);
}

TEST_F(BenchTest, FindsTheProgramInLibexec) {
  install(folder.path() / "libexec" / "penstock" / "penstock-bench");

  EXPECT_THAT(shell(command.string() + " bench overlap").out, HasSubstr("bench overlap\n"));
}

TEST_F(BenchTest, MissingProgramIsSaid) {
  const Ran ran = shell(command.string() + " bench overlap");

  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.out, HasSubstr("penstock: penstock-bench is not installed"));
}

TEST_F(BenchTest, ProgramThatCannotBeStartedIsSaid) {
  observe::write_file(folder.path() / "bin" / "penstock-bench", "not a program");

  const Ran ran = shell(command.string() + " bench overlap");

  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.out, HasSubstr("penstock: cannot start "));
}

}  // namespace
}  // namespace penstock::cli
