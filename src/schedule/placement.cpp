#include "schedule/placement.hpp"

#include <algorithm>
#include <tuple>

namespace penstock::schedule {

namespace {

constexpr double work_in_hand_ns = 5e6;  // a round trip to a busy front-end is well under 1 ms
constexpr int most_in_hand_per_core = 512;
constexpr int short_queue = 4;  // enough that a GPU finds its next task's inputs on the way

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

std::optional<std::size_t> choose_device(std::span<const DeviceView> devices) {
  std::optional<std::size_t> best;
  const auto key = [&](std::size_t index) {
    const DeviceView& view = devices[index];
    const bool preferred = view.is_accelerator && view.outstanding < short_queue;
    return std::tuple(!preferred, static_cast<double>(view.outstanding) / view.lanes, index);
  };
  for (std::size_t index = 0; index < devices.size(); ++index) {
    if (devices[index].can_run && (!best || key(index) < key(*best))) best = index;
  }
  return best;
}

}  // namespace penstock::schedule
