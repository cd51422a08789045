#include "transport/mpi/launcher.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include <penstock/error.hpp>

namespace penstock::transport {

namespace {

Environment environment(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
}

TEST(Launcher, IsAbsentInAPlainShell) {
  EXPECT_FALSE(launched_by_mpi(environment({{"PATH", "/bin"}})));
  EXPECT_EQ(launched_ranks(environment({})), 0);
}

TEST(Launcher, KnowsMpirunPmixAndPmi) {
  EXPECT_TRUE(launched_by_mpi(environment({{"OMPI_COMM_WORLD_SIZE", "1"}})));
  EXPECT_TRUE(
      launched_by_mpi(environment({{"PMIX_RANK", "0"}, {"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", "4"}})));
  EXPECT_TRUE(launched_by_mpi(environment({{"PMI_RANK", "3"}})));
  EXPECT_TRUE(launched_by_mpi(environment({{"PMI_SIZE", "4"}})));
  EXPECT_TRUE(launched_by_mpi(environment({{"MPI_LOCALRANKID", "0"}})));
}

TEST(Launcher, IsAbsentInABatchScriptAndInAStepOfOneTask) {
  EXPECT_FALSE(launched_by_mpi(environment({{"SLURM_JOB_ID", "17"}, {"SLURM_NTASKS", "8"}})));
  EXPECT_FALSE(launched_by_mpi(environment({{"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}})));
}

TEST(Launcher, RefusesAStepOfSeveralTasksWithoutPmix) {
  const Environment step = environment({{"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", "4"}});

  try {
    static_cast<void>(launched_by_mpi(step));
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::environment);
    EXPECT_NE(std::string(error.what()).find("use srun --mpi=pmix"), std::string::npos) << error.what();
  }
}

TEST(Launcher, TellsItsRanksByTheInnermostLauncher) {
  EXPECT_EQ(launched_ranks(environment({{"OMPI_COMM_WORLD_SIZE", "2"}, {"SLURM_STEP_NUM_TASKS", "8"}})), 2);
  EXPECT_EQ(launched_ranks(environment({{"SLURM_STEP_NUM_TASKS", "8"}})), 8);
  EXPECT_EQ(launched_ranks(environment({{"PMI_SIZE", "many"}})), 0);
}

}  // namespace

}  // namespace penstock::transport
