#include "core/cores.hpp"

#include <algorithm>
#include <cmath>

namespace penstock::core {

std::string to_text(const CoreSet& cores) {
  std::string text;
  for (std::size_t first = 0; first < cores.size();) {
    std::size_t last = first;
    while (last + 1 < cores.size() && cores[last + 1] == cores[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(cores[first]);
    if (last > first) text += '-' + std::to_string(cores[last]);
    first = last + 1;
  }
  return text;
}

namespace {

/// The ranks of `host` whose mask holds `core`, ascending.
std::vector<std::size_t> claimants(std::span<const AllowedCores> ranks, const std::string& host, int core) {
  std::vector<std::size_t> found;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    if (ranks[rank].host == host && std::ranges::binary_search(ranks[rank].mask, core)) found.push_back(rank);
  }
  return found;
}

}  // namespace

std::vector<CoreSet> share_cores(std::span<const AllowedCores> ranks) {
  std::vector<CoreSet> shares(ranks.size());
  std::vector<std::string> hosts;
  for (const AllowedCores& rank : ranks) {
    if (std::ranges::find(hosts, rank.host) == hosts.end()) hosts.push_back(rank.host);
  }
  for (const std::string& host : hosts) {
    CoreSet all;
    std::size_t ranks_here = 0;
    double quota = 0.0;
    for (const AllowedCores& rank : ranks) {
      if (rank.host != host) continue;
      ++ranks_here;
      quota = std::max(quota, rank.quota);
      all.insert(all.end(), rank.mask.begin(), rank.mask.end());
    }
    std::ranges::sort(all);
    all.erase(std::ranges::unique(all).begin(), all.end());

    // Cores with the fewest claimants first. A core goes to the claimant with the fewest so far; between equals, to the
    // one with the least choice.
    std::ranges::stable_sort(all, {}, [&](int core) { return claimants(ranks, host, core).size(); });
    for (const int core : all) {
      const auto found = claimants(ranks, host, core);
      const std::size_t taker = *std::ranges::min_element(
          found, {}, [&](std::size_t rank) { return std::pair(shares[rank].size(), ranks[rank].mask.size()); });
      shares[taker].push_back(core);
    }
    std::size_t next = 0;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      if (ranks[rank].host != host) continue;
      if (shares[rank].empty()) {  // more ranks than cores
        const CoreSet& mask = ranks[rank].mask;
        shares[rank].push_back(mask.empty() ? 0 : mask[next++ % mask.size()]);
      }
      std::ranges::sort(shares[rank]);
      if (quota > 0.0) {
        const double share = std::ceil(quota / static_cast<double>(ranks_here));
        const auto most = static_cast<std::size_t>(std::max(1.0, share));
        if (shares[rank].size() > most) shares[rank].resize(most);
      }
    }
  }
  return shares;
}

}  // namespace penstock::core
