// A reduction over 1, 2 and 4 ranks of one process, and without messages (0): the same bits everywhere.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include <penstock/typed_kernel.hpp>

#include "backend/local_cluster.hpp"

namespace penstock::tests {

namespace {

const auto add_sine = kernel("reduce.add_sine", [](InOut<double> y, std::int64_t task) {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += std::sin(static_cast<double>(task)) * std::pow(10.0, task % 11);
});

/// After every so many tasks it is looked at.
std::vector<double> reduced(const ClusterShape& shape, std::int64_t between_looks) {
  LocalCluster cluster(shape);
  frontend::Frontend& frontend = cluster.frontend();
  const core::DataId data = frontend.add_data({DType::f64, Shape{100}});
  const graph::Access access{data, AccessMode::reduce};
  for (std::int64_t task = 0; task < 1000; ++task) {
    cluster.submit(add_sine.name(), {&access, 1}, std::vector<Parameter>{task}, {}, "sum");
    if (task % between_looks == 0) frontend.wait(data);
  }
  return cluster.read<double>(data, 100);
}

class ReduceOnRanks : public ::testing::TestWithParam<int> {};

TEST_P(ReduceOnRanks, GivesTheSameBits) {
  const std::vector<double> expected = reduced({.ranks = 0, .cores = 1}, 5000);

  EXPECT_EQ(reduced({.ranks = GetParam(), .cores = 2}, 5000), expected);
  EXPECT_EQ(reduced({.ranks = GetParam(), .cores = 1, .window = {.tasks = 2, .bytes = 100}}, 5000), expected);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    EXPECT_EQ(reduced({.ranks = GetParam(), .cores = 2, .seed = seed}, 5000), expected) << seed;
  }
}

TEST_P(ReduceOnRanks, GivesTheSameBitsWithLooksBetween) {
  const std::vector<double> expected = reduced({.ranks = 0, .cores = 1}, 37);

  EXPECT_EQ(reduced({.ranks = GetParam(), .cores = 2}, 37), expected);
}

INSTANTIATE_TEST_SUITE_P(OnRanks, ReduceOnRanks, ::testing::Values(0, 1, 2, 4));

}  // namespace

}  // namespace penstock::tests
