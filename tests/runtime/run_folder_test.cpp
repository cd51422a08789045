#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <penstock/penstock.hpp>

namespace penstock {

namespace {

using ::testing::HasSubstr;

class RunFolderOfAProgram : public ::testing::Test {
 protected:
  RunFolderOfAProgram()
      : folder_(std::filesystem::path(::testing::TempDir()) / ("program-" + std::to_string(getpid()))) {
    std::filesystem::remove_all(folder_);
  }
  ~RunFolderOfAProgram() override { std::filesystem::remove_all(folder_); }

  void run(bool fresh) const {
    Runtime runtime({.workers = 1, .run_dir = folder_.string(), .fresh = fresh});
    const auto x = runtime.array<float>({8}, ones());
    runtime.submit(increment, read_write(x), with("by", 2.5));
  }
  [[nodiscard]] std::string trace() const {
    std::ifstream file(folder_ / "trace.json");
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  std::filesystem::path folder_;
};

TEST_F(RunFolderOfAProgram, HoldsItsTrace) {
  run(false);

  EXPECT_THAT(trace(), HasSubstr("\"increment\""));
}

TEST_F(RunFolderOfAProgram, IsReplacedOnlyWhenAskedFor) {
  run(false);
  std::filesystem::remove(folder_ / "trace.json");

  EXPECT_THROW(run(false), Error);
  EXPECT_THAT(trace(), ::testing::IsEmpty());

  run(true);
  EXPECT_THAT(trace(), HasSubstr("\"increment\""));
}

}  // namespace

}  // namespace penstock
