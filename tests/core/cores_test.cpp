#include "core/cores.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace penstock::core {
namespace {

struct Case {
  const char* name;
  std::vector<AllowedCores> ranks;
  std::vector<CoreSet> shares;
};

void PrintTo(const Case& example, std::ostream* out) { *out << example.name; }

CoreSet cores(int first, int last) {
  CoreSet set(static_cast<std::size_t>(last - first + 1));
  std::iota(set.begin(), set.end(), first);
  return set;
}

class ShareCores : public ::testing::TestWithParam<Case> {};

TEST_P(ShareCores, GivesEachRankItsPart) { EXPECT_EQ(share_cores(GetParam().ranks), GetParam().shares); }

INSTANTIATE_TEST_SUITE_P(
    Table, ShareCores,
    ::testing::Values(
        Case{"NoRank", {}, {}},  //
        Case{"OneRank", {{"a", {2, 5, 7}, 0.0}}, {{2, 5, 7}}},
        Case{"EqualMasks", {{"a", cores(0, 3), 0.0}, {"a", cores(0, 3), 0.0}}, {{0, 2}, {1, 3}}},
        Case{"UnevenRest", {{"a", cores(0, 2), 0.0}, {"a", cores(0, 2), 0.0}}, {{0, 2}, {1}}},
        Case{"DisjointMasks", {{"a", {0, 1}, 0.0}, {"a", {2, 3}, 0.0}}, {{0, 1}, {2, 3}}},
        Case{"Overlap", {{"a", cores(0, 3), 0.0}, {"a", cores(2, 5), 0.0}}, {{0, 1, 2}, {3, 4, 5}}},
        Case{"EachFindsOne", {{"a", {0, 2}, 0.0}, {"a", {0, 1}, 0.0}, {"a", {0, 1}, 0.0}}, {{2}, {1}, {0}}},
        Case{"MaskWithinAnother", {{"a", cores(0, 3), 0.0}, {"a", {1}, 0.0}}, {{0, 2, 3}, {1}}},
        Case{"MoreRanksThanCores",
             {{"a", {0, 1}, 0.0}, {"a", {0, 1}, 0.0}, {"a", {0, 1}, 0.0}, {"a", {0, 1}, 0.0}},
             {{0}, {1}, {0}, {1}}},
        Case{"OneCore", {{"a", {3}, 0.0}, {"a", {3}, 0.0}}, {{3}, {3}}},
        Case{"Quota", {{"a", cores(0, 7), 2.0}}, {{0, 1}}},
        Case{"QuotaIsRoundedUp", {{"a", cores(0, 7), 2.5}}, {{0, 1, 2}}},
        Case{"QuotaIsShared", {{"a", cores(0, 7), 4.0}, {"a", cores(0, 7), 4.0}}, {{0, 2}, {1, 3}}},
        Case{"SmallQuotaLeavesOne", {{"a", cores(0, 3), 0.5}, {"a", cores(0, 3), 0.5}}, {{0}, {1}}},
        Case{"QuotaAboveTheMask", {{"a", {0, 1}, 64.0}}, {{0, 1}}},
        Case{"HostsApart",
             {{"a", {0, 1}, 0.0}, {"b", {0, 1}, 1.0}, {"a", {0, 1}, 0.0}, {"b", {0, 1}, 1.0}},
             {{0}, {0}, {1}, {1}}},
        Case{"EmptyMask", {{"a", {}, 0.0}}, {{0}}}),
    [](const auto& example) { return example.param.name; });

TEST(ShareCoresOfMany, UsesEveryCoreOnceAndEvenly) {
  const std::vector<AllowedCores> ranks(7, AllowedCores{"a", cores(0, 95), 0.0});

  const std::vector<CoreSet> shares = share_cores(ranks);

  CoreSet all;
  for (const CoreSet& share : shares) {
    EXPECT_TRUE(share.size() == 13 || share.size() == 14);
    EXPECT_TRUE(std::ranges::is_sorted(share));
    all.insert(all.end(), share.begin(), share.end());
  }
  std::ranges::sort(all);
  EXPECT_EQ(all, cores(0, 95));
}

TEST(CoreSet, IsWrittenAsRanges) {
  EXPECT_EQ(to_text({}), "");
  EXPECT_EQ(to_text({4}), "4");
  EXPECT_EQ(to_text({0, 1, 2, 3, 8}), "0-3,8");
  EXPECT_EQ(to_text({0, 2, 4}), "0,2,4");
  EXPECT_EQ(to_text({1, 2, 4, 5, 6, 127}), "1-2,4-6,127");
}

}  // namespace
}  // namespace penstock::core
