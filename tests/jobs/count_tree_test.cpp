#include "jobs/count_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>

namespace penstock::jobs {
namespace {

/// A number, and how many additions are on the longest way to it.
struct Sum {
  std::int64_t value = 0;
  int depth = 0;
};

struct Added {
  Sum total;
  int published = 0;
  std::size_t kept_max = 0;
};

/// Does what the tree says with the numbers 1 to `count`.
Added add_up(CountTree& tree, std::int64_t count) {
  using Kind = CountTree::Action::Kind;
  Added result;
  std::map<std::int64_t, Sum> numbers;
  for (std::int64_t number = 1; number <= count; ++number) {
    EXPECT_TRUE(numbers.emplace(tree.leaf(), Sum{number, 0}).second) << "the place of a number is in use";
    tree.take(number == count);
    while (const auto action = tree.next()) {
      result.kept_max = std::max(result.kept_max, numbers.size());
      switch (action->kind) {
        case Kind::make:
          EXPECT_TRUE(numbers.emplace(action->result, Sum{}).second);
          break;
        case Kind::add: {
          const Sum left = numbers.at(action->left);
          const Sum right = numbers.at(action->right);
          numbers.at(action->result) = {left.value + right.value, std::max(left.depth, right.depth) + 1};
          break;
        }
        case Kind::publish:
          ++result.published;
          result.total = numbers.at(action->left);
          break;
        case Kind::release:
          EXPECT_EQ(numbers.erase(action->left), 1U);
          break;
      }
    }
  }
  EXPECT_TRUE(numbers.empty());
  return result;
}

TEST(CountTree, SumsAllNumbersOnce) {
  CountTree tree;
  for (std::int64_t count = 1; count <= 300; ++count) {
    const Added added = add_up(tree, count);

    EXPECT_EQ(added.total.value, count * (count + 1) / 2) << count;
    EXPECT_EQ(added.published, 1) << count;
  }
}

TEST(CountTree, KeepsFewNumbersAndWaitsForFew) {
  CountTree tree;

  const Added added = add_up(tree, (std::int64_t{1} << 16) - 1);

  EXPECT_LE(added.kept_max, 19U);
  EXPECT_LE(added.total.depth, 30) << "the last ones join one level after the other";
}

}  // namespace
}  // namespace penstock::jobs
