#include "core/gpu_sharing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <compare>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "support/random.hpp"

namespace penstock::core {
namespace {

using Shares = std::vector<std::vector<OwnGpu>>;

const CoreSet left{0, 1};
const CoreSet right{2, 3};
const CoreSet both{0, 1, 2, 3};

VisibleGpu gpu(const char* identity, CoreSet near_cores = {}) { return {identity, std::move(near_cores), 0}; }

const std::vector<VisibleGpu> four{gpu("A", left), gpu("B", left), gpu("C", right), gpu("D", right)};
const std::vector<VisibleGpu> two_apart{gpu("A", left), gpu("B", right)};
const std::vector<VisibleGpu> two_anywhere{gpu("A"), gpu("B")};
const std::vector<VisibleGpu> four_anywhere{gpu("A"), gpu("B"), gpu("C"), gpu("D")};

struct Case {
  const char* name;
  std::vector<GpuViewer> ranks;
  Shares shares;
};

void PrintTo(const Case& example, std::ostream* out) { *out << example.name; }

class ShareGpus : public ::testing::TestWithParam<Case> {};

TEST_P(ShareGpus, GivesEachRankItsPart) { EXPECT_EQ(share_gpus(GetParam().ranks), GetParam().shares); }

INSTANTIATE_TEST_SUITE_P(
    Table, ShareGpus,
    ::testing::Values(
        Case{"NoRank", {}, {}},  //
        Case{"NoGpu", {{"a", left, {}}, {"a", right, {}}}, {{}, {}}},
        Case{"OneRankFourGpus", {{"a", both, four}}, {{{0, 1}, {1, 1}, {2, 1}, {3, 1}}}},
        Case{"TwoRanksOnSockets", {{"a", left, four}, {"a", right, four}}, {{{0, 1}, {1, 1}}, {{2, 1}, {3, 1}}}},
        Case{"TwoRanksOnSocketsTheOtherWayRound",
             {{"a", right, four}, {"a", left, four}},
             {{{2, 1}, {3, 1}}, {{0, 1}, {1, 1}}}},
        Case{"TwoRanksOfOneSocket", {{"a", {0}, four}, {"a", {1}, four}}, {{{0, 1}, {2, 1}}, {{1, 1}, {3, 1}}}},
        Case{"TwoRanksAcrossSockets", {{"a", {0, 2}, four}, {"a", {1, 3}, four}}, {{{0, 1}, {2, 1}}, {{1, 1}, {3, 1}}}},
        Case{"NoLocalityKnown",
             {{"a", left, four_anywhere}, {"a", right, four_anywhere}},
             {{{0, 1}, {2, 1}}, {{1, 1}, {3, 1}}}},
        Case{"AnUnevenRestIsNearest",
             {{"a", left, {gpu("A", left), gpu("B", right), gpu("C", right)}},
              {"a", right, {gpu("A", left), gpu("B", right), gpu("C", right)}}},
             {{{0, 1}}, {{1, 1}, {2, 1}}}},
        Case{"EvennessComesBeforeNearness",
             {{"a", left, {gpu("A", left), gpu("B", left)}}, {"a", right, {gpu("A", left), gpu("B", left)}}},
             {{{0, 1}}, {{1, 1}}}},
        Case{"WhoeverIsMostlyThereIsNearer",
             {{"a", {0, 2, 3}, two_apart}, {"a", {0, 1, 2}, two_apart}},
             {{{1, 1}}, {{0, 1}}}},
        Case{"FourRanksTwoGpus",
             {{"a", {0}, two_anywhere}, {"a", {1}, two_anywhere}, {"a", {2}, two_anywhere}, {"a", {3}, two_anywhere}},
             {{{0, 2}}, {{1, 2}}, {{0, 2}}, {{1, 2}}}},
        Case{"FourRanksTwoGpusOnSockets",
             {{"a", {0}, two_apart}, {"a", {1}, two_apart}, {"a", {2}, two_apart}, {"a", {3}, two_apart}},
             {{{0, 2}}, {{0, 2}}, {{1, 2}}, {{1, 2}}}},
        Case{"ThreeRanksTwoGpus",
             {{"a", {3}, two_apart}, {"a", {0}, two_apart}, {"a", {2}, two_apart}},
             {{{1, 2}}, {{0, 1}}, {{1, 2}}}},
        Case{"EachSeesItsOwn", {{"a", left, {gpu("B")}}, {"a", right, {gpu("A")}}}, {{{0, 1}}, {{0, 1}}}},
        Case{"TheSameInAnotherOrder",
             {{"a", left, {gpu("A"), gpu("B")}}, {"a", right, {gpu("B"), gpu("A")}}},
             {{{0, 1}}, {{0, 1}}}},
        Case{"InTheOrderOfTheRank",
             {{"a", left, four_anywhere}, {"a", left, {gpu("D"), gpu("C"), gpu("B"), gpu("A")}}},
             {{{0, 1}, {2, 1}}, {{0, 1}, {2, 1}}}},
        Case{"Overlap",
             {{"a", left, {gpu("A"), gpu("B")}}, {"a", left, {gpu("B"), gpu("C")}}, {"a", left, {gpu("A")}}},
             {{{1, 1}}, {{1, 1}}, {{0, 1}}}},
        Case{"WhoSeesMoreLeavesTheRestEven",
             {{"a", left, {gpu("A"), gpu("B")}}, {"a", left, four_anywhere}},
             {{{0, 1}, {1, 1}}, {{2, 1}, {3, 1}}}},
        Case{"OnlyThoseShareWhoSeeNoOther",
             {{"a", left, {gpu("A")}}, {"a", left, {gpu("A")}}, {"a", left, {gpu("A"), gpu("B"), gpu("C")}}},
             {{{0, 2}}, {{0, 2}}, {{1, 1}, {2, 1}}}},
        Case{"SharedAsEvenlyAsTheyAreSeen",
             {{"a", left, {gpu("A")}},
              {"a", left, {gpu("A")}},
              {"a", left, {gpu("A", left), gpu("B", right)}},
              {"a", left, {gpu("A", left), gpu("B", right)}}},
             {{{0, 2}}, {{0, 2}}, {{1, 2}}, {{1, 2}}}},
        Case{"ARankThatSeesNone", {{"a", left, {}}, {"a", right, two_anywhere}}, {{}, {{0, 1}, {1, 1}}}},
        Case{"HostsApart",
             {{"a", left, {gpu("A")}}, {"b", left, {gpu("A")}}, {"b", left, {gpu("A")}}},
             {{{0, 1}}, {{0, 2}}, {{0, 2}}}}),
    [](const auto& example) { return example.param.name; });

/// Ranks that see some of the GPUs each, from somewhere.
std::vector<GpuViewer> some_ranks(support::Random& random) {
  std::vector<GpuViewer> ranks(random.between(1, 4));
  const auto gpus = static_cast<int>(random.between(1, 4));
  for (GpuViewer& rank : ranks) {
    rank.cores = {static_cast<int>(random.below(4))};
    for (int i = 0; i < gpus; ++i) {
      if (random.chance(60)) rank.gpus.push_back({std::string(1, static_cast<char>('A' + i)), {i}, 0});
    }
  }
  return ranks;
}

/// How good it is that the ranks have these, by index.
struct Count {
  std::vector<std::size_t> of_ranks;  ///< GPUs of each that sees some, ascending
  std::size_t near_ones = 0;

  Count() = default;
  Count(const std::vector<GpuViewer>& ranks, const Shares& shares) {
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      if (!ranks[rank].gpus.empty()) of_ranks.push_back(shares[rank].size());
      near_ones += static_cast<std::size_t>(std::ranges::count_if(shares[rank], [&](const OwnGpu& own) {
        return ranks[rank].gpus[static_cast<std::size_t>(own.index)].near_cores == ranks[rank].cores;
      }));
    }
    std::ranges::sort(of_ranks);
  }
  friend auto operator<=>(const Count&, const Count&) = default;
};

/// The best of all ways to give each of the GPUs from `next` to 'D' to one of the ranks that see it.
Count best_of(const std::vector<GpuViewer>& ranks, char next, Shares& shares) {
  if (next > 'D') return {ranks, shares};
  Count best;
  bool is_seen = false;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const auto& gpus = ranks[rank].gpus;
    const auto found = std::ranges::find(gpus, std::string(1, next), &VisibleGpu::identity);
    if (found == gpus.end()) continue;
    is_seen = true;
    shares[rank].push_back({static_cast<int>(found - gpus.begin()), 1});
    best = std::max(best, best_of(ranks, static_cast<char>(next + 1), shares));
    shares[rank].pop_back();
  }
  return is_seen ? best : best_of(ranks, static_cast<char>(next + 1), shares);
}

TEST(ShareGpusOfAnyRanks, IsTheBestOfAllWhereEachCanHaveOne) {
  support::Random random(20'260'701);
  int checked = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::vector<GpuViewer> ranks = some_ranks(random);
    Shares none(ranks.size());
    const Count best = best_of(ranks, 'A', none);
    if (best.of_ranks.empty() || best.of_ranks.front() == 0) continue;

    const Shares shares = share_gpus(ranks);

    const Count count(ranks, shares);
    EXPECT_EQ(count.of_ranks, best.of_ranks) << "round " << i;
    EXPECT_EQ(count.near_ones, best.near_ones) << "round " << i;
    ++checked;
  }
  EXPECT_GT(checked, 500);
}

TEST(ShareGpusOfAnyRanks, GivesEachThatSeesSomeAtLeastOneAndCountsSharers) {
  support::Random random(20'260'702);
  for (int i = 0; i < 2000; ++i) {
    const std::vector<GpuViewer> ranks = some_ranks(random);

    const Shares shares = share_gpus(ranks);

    std::map<std::string, int> given;
    std::map<std::string, int> said;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      EXPECT_EQ(shares[rank].empty(), ranks[rank].gpus.empty()) << "round " << i;
      for (const OwnGpu& own : shares[rank]) {
        const std::string& identity = ranks[rank].gpus[static_cast<std::size_t>(own.index)].identity;
        ++given[identity];
        said[identity] = own.sharers;
      }
    }
    EXPECT_EQ(said, given) << "round " << i;
  }
}

TEST(ShareGpusOfMany, IsEvenAndQuickOnALargeHost) {
  std::vector<VisibleGpu> gpus;
  for (int i = 0; i < 16; ++i) gpus.push_back({"gpu " + std::to_string(i), {i}, 0});
  std::vector<GpuViewer> ranks;
  for (int i = 0; i < 128; ++i) ranks.push_back({"a", {i % 16}, gpus});

  const Shares shares = share_gpus(ranks);

  for (int i = 0; i < 128; ++i) EXPECT_EQ(shares[static_cast<std::size_t>(i)], (std::vector<OwnGpu>{{i % 16, 8}}));
}

TEST(OwnGpus, AreExplained) {
  EXPECT_EQ(explain({"a", left, {gpu("A")}}, std::vector<OwnGpu>{{0, 1}}), "gpu 0 of 1");
  EXPECT_EQ(explain({"a", left, {gpu("A")}}, std::vector<OwnGpu>{{0, 3}}), "gpu 0 of 1, for 3 ranks");
  EXPECT_EQ(explain({"a", right, two_apart}, std::vector<OwnGpu>{{1, 1}}), "gpu 1, nearest of 2");
  EXPECT_EQ(explain({"a", left, two_apart}, std::vector<OwnGpu>{{1, 1}}), "gpu 1 of 2");
  EXPECT_EQ(explain({"a", left, two_apart}, std::vector<OwnGpu>{{0, 1}, {1, 1}}), "gpu 0-1 of 2");
  EXPECT_EQ(explain({"a", both, two_apart}, std::vector<OwnGpu>{{0, 2}}), "gpu 0 of 2, for 2 ranks");
  EXPECT_EQ(explain({"a", right, four}, std::vector<OwnGpu>{{2, 1}, {3, 1}}), "gpu 2-3, nearest of 4");
  EXPECT_EQ(explain({"a", left, two_anywhere}, std::vector<OwnGpu>{{0, 1}}), "gpu 0 of 2");
}

}  // namespace
}  // namespace penstock::core
