#include "schedule/placement.hpp"

#include <algorithm>
#include <tuple>

namespace penstock::schedule {

namespace {

constexpr double work_in_hand_ns = 5e6;  // a round trip to a busy front-end is well under 1 ms
constexpr int most_in_hand_per_core = 512;

}  // namespace

std::optional<core::RankId> choose_rank(std::span<const RankView> ranks) {
  std::optional<std::size_t> best;
  const auto key = [&](std::size_t rank) {
    const RankView& view = ranks[rank];
    return std::tuple(view.in_hand_ns / view.cores, rank);
  };
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    if (ranks[rank].has_credit && (!best || key(rank) < key(*best))) best = rank;
  }
  if (!best) return std::nullopt;
  return core::RankId(static_cast<core::RankId::Value>(*best));
}

std::optional<core::RankId> choose_holder(std::span<const HolderView> holders) {
  const auto best = std::ranges::min_element(
      holders, {}, [](const HolderView& holder) { return std::tuple(holder.missing_bytes, holder.rank); });
  if (best == holders.end()) return std::nullopt;
  return best->rank;
}

bool has_credit(int cores, int in_hand, double in_hand_ns) {
  if (in_hand < 2 * cores) return true;
  return in_hand_ns < cores * work_in_hand_ns && in_hand < cores * most_in_hand_per_core;
}

double updated_mean(double mean_ns, double latest_ns) {
  constexpr double weight = 0.125;
  return mean_ns > 0.0 ? mean_ns + weight * (latest_ns - mean_ns) : latest_ns;
}

}  // namespace penstock::schedule
