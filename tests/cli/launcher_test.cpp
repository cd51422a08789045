#include "cli/launcher.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

namespace penstock::cli {
namespace {

class LauncherTest : public testing::Test {
 protected:
  void SetUp() override { forget(); }
  void TearDown() override { forget(); }
  static void forget() {
    for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}) ::unsetenv(name);
  }
};

TEST_F(LauncherTest, AloneIsFirst) { EXPECT_TRUE(is_first_rank()); }

TEST_F(LauncherTest, EveryLaunchersRankCounts) {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}) {
    ::setenv(name, "3", 1);
    EXPECT_FALSE(is_first_rank()) << name;
    ::setenv(name, "0", 1);
    EXPECT_TRUE(is_first_rank()) << name;
    ::unsetenv(name);
  }
}

TEST_F(LauncherTest, MpirunInsideSrunGoesBefore) {
  ::setenv("SLURM_PROCID", "0", 1);
  ::setenv("OMPI_COMM_WORLD_RANK", "2", 1);

  EXPECT_FALSE(is_first_rank());
}

}  // namespace
}  // namespace penstock::cli
