#include "core/gpu_sharing.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace penstock::core {

namespace {

constexpr int unseen = -1;
constexpr int farthest = 1000;
constexpr auto nowhere = std::numeric_limits<std::size_t>::max();

/// What it costs to put an item, the row, into a bin; `unseen`: it cannot be there.
using Costs = std::vector<std::vector<int>>;

/// Puts items into bins: as many into each as into any other, as far as they can be there, and then at the least cost
/// of all. That holds after every item that is added, because it comes on the cheapest way there is.
class EvenAssignment {
 public:
  EvenAssignment(Costs costs, std::size_t bins)
      : costs_(std::move(costs)), bin_of_(costs_.size(), nowhere), load_(bins) {
    for (std::size_t item = 0; item < costs_.size(); ++item) add(item);
  }

  /// nowhere: there is none for it.
  [[nodiscard]] std::size_t bin_of(std::size_t item) const { return bin_of_[item]; }
  [[nodiscard]] std::size_t load(std::size_t bin) const { return load_[bin]; }

 private:
  /// How one item more comes into a bin: `item` moves there, and another into the bin that it leaves, and so on.
  struct Way {
    int cost = std::numeric_limits<int>::max();
    std::size_t item = nowhere;
  };

  void add(std::size_t item) {
    const std::vector<Way> ways = cheapest_ways(item);
    std::size_t best = nowhere;
    for (std::size_t bin = 0; bin < ways.size(); ++bin) {
      if (ways[bin].item == nowhere) continue;
      if (best == nowhere || std::tie(load_[bin], ways[bin].cost) < std::tie(load_[best], ways[best].cost)) best = bin;
    }
    if (best == nowhere) return;
    ++load_[best];
    for (std::size_t bin = best; bin != nowhere;) bin = std::exchange(bin_of_[ways[bin].item], bin);
  }

  /// To every bin, for a new item. A move may cost less than nothing, but no circle of them does.
  [[nodiscard]] std::vector<Way> cheapest_ways(std::size_t added) const {
    std::vector<Way> ways(load_.size());
    for (bool is_better = extend(ways, added, 0); is_better;) {
      is_better = false;
      for (std::size_t item = 0; item < added; ++item) {
        const std::size_t bin = bin_of_[item];
        if (bin == nowhere || ways[bin].item == nowhere) continue;
        is_better |= extend(ways, item, ways[bin].cost - costs_[item][bin]);
      }
    }
    return ways;
  }

  /// By moving `item` to any bin, at a cost so far; whether that makes one cheaper.
  bool extend(std::vector<Way>& ways, std::size_t item, int cost) const {
    bool is_better = false;
    for (std::size_t bin = 0; bin < ways.size(); ++bin) {
      const int move = costs_[item][bin];
      if (move == unseen || cost + move >= ways[bin].cost) continue;
      ways[bin] = {cost + move, item};
      is_better = true;
    }
    return is_better;
  }

  Costs costs_;
  std::vector<std::size_t> bin_of_;
  std::vector<std::size_t> load_;
};

/// 0 where all cores are near the GPU, `farthest` where none is known to be.
int distance(const CoreSet& cores, const VisibleGpu& gpu) {
  CoreSet both;
  std::ranges::set_intersection(cores, gpu.near_cores, std::back_inserter(both));
  return farthest - static_cast<int>(farthest * both.size() / std::max<std::size_t>(cores.size(), 1));
}

/// What the ranks of one host see: for each rank and each GPU, its index there and how far it is; `unseen` for both.
struct Host {
  explicit Host(std::span<const GpuViewer* const> ranks);

  std::vector<std::vector<int>> index;
  Costs distances;
  std::size_t gpus = 0;  ///< each counted once
};

Host::Host(std::span<const GpuViewer* const> ranks) {
  std::vector<std::string_view> identities;
  for (const GpuViewer* rank : ranks) {
    for (const VisibleGpu& gpu : rank->gpus) {
      if (std::ranges::find(identities, gpu.identity) == identities.end()) identities.emplace_back(gpu.identity);
    }
  }
  gpus = identities.size();
  for (const GpuViewer* rank : ranks) {
    auto& rank_index = index.emplace_back(gpus, unseen);
    auto& rank_distances = distances.emplace_back(gpus, unseen);
    for (std::size_t gpu = 0; gpu < gpus; ++gpu) {
      const auto found = std::ranges::find(rank->gpus, identities[gpu], &VisibleGpu::identity);
      if (found == rank->gpus.end()) continue;
      rank_index[gpu] = static_cast<int>(found - rank->gpus.begin());
      rank_distances[gpu] = distance(rank->cores, *found);
    }
  }
}

Costs transposed(const Costs& costs, std::size_t columns) {
  Costs other(columns, std::vector<int>(costs.size()));
  for (std::size_t row = 0; row < costs.size(); ++row) {
    for (std::size_t column = 0; column < columns; ++column) other[column][row] = costs[row][column];
  }
  return other;
}

/// Ranks that have to share: those that got none of the GPUs when each went to one rank, and whoever got one that such
/// a rank sees. None of these got two, or one of them would have gone to a rank without any.
std::vector<bool> crowded_ranks(const Host& host, const EvenAssignment& owners) {
  std::vector<bool> is_crowded;
  for (std::size_t rank = 0; rank < host.index.size(); ++rank) is_crowded.push_back(owners.load(rank) == 0);
  for (std::vector<bool> before; before != is_crowded;) {
    before = is_crowded;
    for (std::size_t rank = 0; rank < before.size(); ++rank) {
      for (std::size_t gpu = 0; gpu < host.gpus; ++gpu) {
        if (before[rank] && host.index[rank][gpu] != unseen) is_crowded[owners.bin_of(gpu)] = true;
      }
    }
  }
  return is_crowded;
}

std::vector<std::vector<OwnGpu>> share(const Host& host) {
  const EvenAssignment owners(transposed(host.distances, host.gpus), host.index.size());
  const std::vector<bool> is_crowded = crowded_ranks(host, owners);
  Costs of_crowded = host.distances;
  for (std::size_t rank = 0; rank < of_crowded.size(); ++rank) {
    if (!is_crowded[rank]) std::ranges::fill(of_crowded[rank], unseen);
  }
  const EvenAssignment shared(std::move(of_crowded), host.gpus);
  std::vector<std::vector<OwnGpu>> own(host.index.size());
  for (std::size_t rank = 0; rank < own.size(); ++rank) {
    for (std::size_t gpu = 0; gpu < host.gpus; ++gpu) {
      const bool is_own = is_crowded[rank] ? shared.bin_of(rank) == gpu : owners.bin_of(gpu) == rank;
      const auto sharers = is_crowded[rank] ? static_cast<int>(shared.load(gpu)) : 1;
      if (is_own) own[rank].push_back({.index = host.index[rank][gpu], .sharers = sharers});
    }
    std::ranges::sort(own[rank], {}, &OwnGpu::index);
  }
  return own;
}

}  // namespace

std::vector<std::vector<OwnGpu>> share_gpus(std::span<const GpuViewer> ranks) {
  std::map<std::string_view, std::vector<std::size_t>> hosts;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) hosts[ranks[rank].host].push_back(rank);
  std::vector<std::vector<OwnGpu>> own(ranks.size());
  for (const auto& [name, numbers] : hosts) {
    std::vector<const GpuViewer*> viewers;
    for (const std::size_t rank : numbers) viewers.push_back(&ranks[rank]);
    std::vector<std::vector<OwnGpu>> shares = share(Host(viewers));
    for (std::size_t i = 0; i < numbers.size(); ++i) own[numbers[i]] = std::move(shares[i]);
  }
  return own;
}

std::string explain(const GpuViewer& rank, std::span<const OwnGpu> own) {
  CoreSet numbers;
  int own_farthest = 0;
  int other_nearest = farthest;
  int other_farthest = 0;
  for (int i = 0; i < static_cast<int>(rank.gpus.size()); ++i) {
    const int away = distance(rank.cores, rank.gpus[static_cast<std::size_t>(i)]);
    if (std::ranges::find(own, i, &OwnGpu::index) != own.end()) {
      numbers.push_back(i);
      own_farthest = std::max(own_farthest, away);
    } else {
      other_nearest = std::min(other_nearest, away);
      other_farthest = std::max(other_farthest, away);
    }
  }
  const bool is_nearest = own_farthest <= other_nearest && own_farthest < other_farthest;
  std::string text = "gpu " + to_text(numbers) + (is_nearest ? ", nearest of " : " of ");
  text += std::to_string(rank.gpus.size());
  const int sharers = own.front().sharers;
  return sharers == 1 ? text : text + ", for " + std::to_string(sharers) + " ranks";
}

}  // namespace penstock::core
