#include "core/range_allocator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace penstock::core {
namespace {

struct Latest {
  int time = 0;
  void merge(const Latest& other) { time = std::max(time, other.time); }
};

TEST(RangeAllocator, TakesTheSmallestRangeThatFits) {
  RangeAllocator<> memory(1000, 10);
  const auto a = memory.allocate(300);
  const auto b = memory.allocate(100);
  const auto c = memory.allocate(200);
  const auto d = memory.allocate(100);
  ASSERT_TRUE(a && b && c && d);

  memory.free(a->offset, 300);
  memory.free(c->offset, 200);

  EXPECT_EQ(memory.allocate(195)->offset, c->offset);
  EXPECT_EQ(memory.allocate(250)->offset, a->offset);
  EXPECT_FALSE(memory.allocate(301));
}

TEST(RangeAllocator, RoundsUp) {
  RangeAllocator<> memory(64, 16);

  EXPECT_EQ(memory.allocate(0)->offset, 0U);
  EXPECT_EQ(memory.allocate(17)->offset, 16U);
  EXPECT_EQ(memory.free_bytes(), 16U);
}

TEST(RangeAllocator, JoinsNeighboursAndTheirTags) {
  RangeAllocator<Latest> memory(300, 1);
  const auto a = memory.allocate(100);
  const auto b = memory.allocate(100);
  const auto c = memory.allocate(100);

  memory.free(a->offset, 100, {3});
  memory.free(c->offset, 100, {7});
  EXPECT_FALSE(memory.allocate(150));
  memory.free(b->offset, 100, {5});

  const auto all = memory.allocate(300);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->tag.time, 7);
}

TEST(RangeAllocator, KeepsRangesApart) {
  std::mt19937 random(1);
  RangeAllocator<> memory(100'000, 8);
  std::map<std::size_t, std::size_t> used;  // offset, bytes
  for (int i = 0; i < 20'000; ++i) {
    if (random() % 2 == 0 && !used.empty()) {
      auto one = std::next(used.begin(), static_cast<std::ptrdiff_t>(random() % used.size()));
      memory.free(one->first, one->second);
      used.erase(one);
      continue;
    }
    const std::size_t bytes = 1 + random() % 5000;
    const auto range = memory.allocate(bytes);
    if (!range) continue;
    const auto after = used.lower_bound(range->offset);
    ASSERT_TRUE(after == used.end() || range->offset + bytes <= after->first);
    if (after != used.begin()) {
      const auto before = std::prev(after);
      ASSERT_LE(before->first + before->second, range->offset);
    }
    used[range->offset] = bytes;
  }
  for (const auto& [offset, bytes] : used) memory.free(offset, bytes);

  EXPECT_EQ(memory.free_bytes(), 100'000U);
  EXPECT_TRUE(memory.allocate(100'000));
}

}  // namespace
}  // namespace penstock::core
