#include "support/virtual_cluster.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace penstock::support {
namespace {

using cluster::OperandKind;
using cluster::TaskCommand;

struct Totals {
  int violations = 0;
  std::uint64_t fetches = 0;
  std::uint64_t consumed = 0;
  std::uint64_t values_compared = 0;
};

/// Runs a hundred programs on three ranks.
Totals run_programs(const std::function<void(TaskCommand&)>& tamper) {
  Totals totals;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Program program = random_program(seed);
    const SerialRun oracle = run_serially(program);
    VirtualCluster machines(program, oracle, {.ranks = 3, .seed = seed, .cancels = false, .tamper = tamper});
    try {
      machines.run();
    } catch (const Violation&) {
      ++totals.violations;
    }
    totals.fetches += machines.fetches();
    totals.consumed += machines.consumed();
    totals.values_compared += machines.values_compared();
  }
  return totals;
}

TEST(VirtualCluster, HasTheSameCourseForTheSameSeed) {
  const Program program = random_program(3);
  const SerialRun oracle = run_serially(program);
  const auto trace = [&](std::uint64_t seed) {
    VirtualCluster machines(program, oracle, {.ranks = 3, .seed = seed, .cancels = false, .tamper = {}});
    machines.run();
    return machines.trace();
  };

  const std::uint64_t first = trace(1);

  EXPECT_EQ(first, trace(1));
  EXPECT_NE(first, trace(2));
}

TEST(VirtualCluster, ExercisesFetchesConsumptionAndPins) {
  const Totals totals = run_programs({});

  EXPECT_EQ(totals.violations, 0);
  EXPECT_GT(totals.fetches, 1000u);
  EXPECT_GT(totals.consumed, 500u);
  EXPECT_GT(totals.values_compared, 50u);
}

TEST(VirtualCluster, NoticesABufferTakenFromAnotherReader) {
  const Totals totals = run_programs([](TaskCommand& command) {
    for (cluster::Operand& operand : command.operands) {
      if (operand.kind == OperandKind::copy) operand.kind = OperandKind::consume;
    }
  });

  EXPECT_GT(totals.violations, 10);
}

TEST(VirtualCluster, NoticesAReplicaThatIsKeptTooLong) {
  const Totals totals = run_programs([](TaskCommand& command) {
    for (cluster::Operand& operand : command.operands) {
      if (operand.kind == OperandKind::consume) operand.kind = OperandKind::copy;
    }
  });

  EXPECT_GT(totals.violations, 10);
}

TEST(VirtualCluster, NoticesAWrongSource) {
  const Totals totals = run_programs([](TaskCommand& command) {
    for (cluster::Operand& operand : command.operands) {
      if (operand.source != core::no_rank) operand.source = core::RankId((operand.source.value() + 1) % 3);
    }
  });

  EXPECT_GT(totals.violations, 10);
}

TEST(VirtualCluster, NoticesWrongParameters) {
  const std::vector<std::byte> nothing(9);

  const Totals totals = run_programs([&](TaskCommand& command) { command.parameters = nothing; });

  EXPECT_GT(totals.violations, 10);
}

}  // namespace
}  // namespace penstock::support
