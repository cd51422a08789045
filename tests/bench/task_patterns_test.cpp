#include "bench/rivals/task_patterns.hpp"

#include <set>

#include <gtest/gtest.h>

#include "bench/rivals/perceptron.hpp"

namespace penstock::bench {
namespace {

TEST(TaskPatterns, InputsAreThreeDifferentOnesWithinReach) {
  for (std::int64_t task = reach; task < 10'000; ++task) {
    const Inputs inputs = inputs_of(task);

    EXPECT_EQ(std::set(inputs.begin(), inputs.end()).size(), inputs.size()) << task;
    for (const std::int64_t input : inputs) {
      EXPECT_LT(input, task);
      EXPECT_GE(input, task - reach);
    }
  }
}

TEST(TaskPatterns, InputsAreTheSameInEveryProgram) {
  EXPECT_EQ(mixed(0), 0xE220A8397B1DCDAFU);  // SplitMix64's first number of seed 0
  EXPECT_EQ(inputs_of(1'000), inputs_of(1'000));
  EXPECT_NE(1'000 - inputs_of(1'000)[0], 1'001 - inputs_of(1'001)[0]);
}

TEST(TaskPatterns, BothTreesHaveAsManyTasks) {
  for (const std::int64_t count : {1, 2, 3, 4, 5, 100, 50'000, 1'000'000}) {
    const Tree tree(count);
    std::int64_t static_tasks = 0;
    for (std::int64_t i = 0; i < tree.static_nodes; ++i) {
      const bool has_one = 2 * i + 1 < tree.static_nodes;
      EXPECT_EQ(has_one, 2 * i + 2 < tree.static_nodes);
      static_tasks += has_one ? 2 : 1;
    }

    EXPECT_EQ(static_tasks, tree.nodes);
    EXPECT_LE(tree.nodes, count);
    EXPECT_GT(tree.nodes, count - 3);
  }
}

TEST(Perceptron, ThirdsEndWhereTheyShould) {
  EXPECT_EQ(third_at(49, 150), 0);
  EXPECT_EQ(third_at(50, 150), -1);
  EXPECT_EQ(third_at(99, 150), 1);
  EXPECT_EQ(third_at(149, 150), 2);
}

}  // namespace
}  // namespace penstock::bench
