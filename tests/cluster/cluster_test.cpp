// The front-end's machine and the machines of the ranks together, against the serial run of the same program.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "support/virtual_cluster.hpp"

namespace penstock::cluster {
namespace {

using core::Outcome;
using support::Program;
using support::SerialRun;
using support::SerialTask;
using support::TaskEnd;
using support::VirtualCluster;

/// 2,000 in all; fewer where each takes long.
constexpr std::uint64_t programs(int ranks) { return ranks > 64 ? 100 : 475; }

/// The parameter is the number of ranks.
class Cluster : public ::testing::TestWithParam<int> {};

/// Without a cancel, exactly what the serial run says.
void expect_as_serial(const SerialTask& expected, const TaskEnd& end) {
  ASSERT_EQ(end.outcome, expected.outcome);
  if (expected.outcome == Outcome::skipped) {
    EXPECT_TRUE(expected.causes.contains(end.cause.value()));
  }
}

/// After a cancel a task may not have been started; one that was is as in the serial run.
void expect_as_cancelled(const SerialTask& expected, const TaskEnd& end) {
  ASSERT_TRUE(end.outcome.has_value());
  if (*end.outcome == Outcome::done || *end.outcome == Outcome::failed) {
    EXPECT_EQ(end.outcome, expected.outcome);
  } else {
    EXPECT_TRUE(*end.outcome == Outcome::cancelled || *end.outcome == Outcome::skipped);
  }
}

void run_one(int ranks, std::uint64_t seed) {
  const Program program = support::random_program(seed);
  const SerialRun oracle = support::run_serially(program);
  VirtualCluster machines(program, oracle, {.ranks = ranks, .seed = seed, .cancels = seed % 7 == 3, .tamper = {}});

  ASSERT_NO_THROW(machines.run());

  for (std::size_t task = 0; task < oracle.tasks.size(); ++task) {
    SCOPED_TRACE("task " + std::to_string(task));
    if (machines.cancelled())
      expect_as_cancelled(oracle.tasks[task], machines.ends()[task]);
    else
      expect_as_serial(oracle.tasks[task], machines.ends()[task]);
  }
}

/// The first seed: PENSTOCK_TEST_SEED where it is set, and then it is the only one.
std::pair<std::uint64_t, std::uint64_t> seeds(int ranks) {
  if (const char* chosen = std::getenv("PENSTOCK_TEST_SEED"); chosen != nullptr) {
    return {std::strtoull(chosen, nullptr, 10), 1};
  }
  return {static_cast<std::uint64_t>(ranks) * 1'000'000, programs(ranks)};
}

TEST_P(Cluster, ComputesWhatTheSerialRunComputes) {
  const auto [first, count] = seeds(GetParam());

  for (std::uint64_t seed = first; seed < first + count && !HasFailure(); ++seed) {
    SCOPED_TRACE("PENSTOCK_TEST_SEED=" + std::to_string(seed));
    run_one(GetParam(), seed);
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, Cluster, ::testing::Values(1, 2, 3, 8, 70),
                         [](const auto& ranks) { return std::to_string(ranks.param); });

}  // namespace
}  // namespace penstock::cluster
