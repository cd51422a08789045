#include "schedule/cost_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_map>

namespace penstock::schedule {

namespace {

constexpr std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
  return hash ^ (hash >> 32);
}

std::uint64_t mixed(std::uint64_t hash, std::span<const std::byte> bytes) {
  hash = mixed(hash, bytes.size());
  while (!bytes.empty()) {
    std::uint64_t word = 0;
    const std::size_t count = std::min(bytes.size(), sizeof word);
    std::memcpy(&word, bytes.data(), count);
    hash = mixed(hash, word);
    bytes = bytes.subspan(count);
  }
  return hash;
}

std::uint64_t mixed(std::uint64_t hash, const ArrayType& array) {
  hash = mixed(hash, (std::uint64_t{array.shape.dimensions()} << 8U) | static_cast<std::uint64_t>(array.dtype));
  for (const std::int64_t extent : array.shape.extents()) hash = mixed(hash, static_cast<std::uint64_t>(extent));
  return hash;
}

}  // namespace

Workload workload_of(std::span<const ArrayType> arrays, std::span<const std::byte> parameters, int cores,
                     double amount) {
  std::uint64_t footprint = mixed(arrays.size(), static_cast<std::uint64_t>(cores));
  for (const ArrayType& array : arrays) footprint = mixed(footprint, array);
  return {.footprint = mixed(footprint, parameters), .amount = amount};
}

KindId CostModel::kind(std::string_view name) {
  const auto found = std::ranges::find(kinds_, name);
  const auto place = static_cast<KindId::Value>(found - kinds_.begin());
  if (found == kinds_.end()) {
    kinds_.emplace_back(name);
    costs_.resize(kinds_.size() * kernels_.size());
  }
  return KindId(place);
}

void CostModel::learn(core::KernelId kernel, KindId kind, const Workload& work, std::int64_t duration_ns) {
  Cost& cost = of(kernel, kind);
  if (!cost.is_warm) {
    cost.is_warm = true;
    return;
  }
  // A body that the clock cannot tell from nothing still takes some time, of which a part can be taken.
  cost.history.learn(work, static_cast<double>(std::max<std::int64_t>(duration_ns, 1)));
}

std::vector<CostEntry> CostModel::entries() const {
  std::vector<CostEntry> entries;
  for (std::size_t place = 0; place < costs_.size(); ++place) {
    for (const CostHistory::Known& known : costs_[place].history.known()) {
      entries.push_back({.kernel = std::string(kernels_[place % kernels_.size()]),
                         .kind = kinds_[place / kernels_.size()],
                         .work = known.work,
                         .mean_ns = known.mean_ns,
                         .samples = known.samples});
    }
  }
  return entries;
}

void CostModel::recall(std::span<const CostEntry> entries) {
  std::unordered_map<std::string_view, core::KernelId> kernels;
  for (std::size_t id = 0; id < kernels_.size(); ++id) {
    kernels.emplace(kernels_[id], core::KernelId(static_cast<core::KernelId::Value>(id)));
  }
  for (const CostEntry& entry : entries) {
    const auto kernel = kernels.find(entry.kernel);
    const auto kind = std::ranges::find(kinds_, entry.kind);
    const bool is_time = std::isfinite(entry.mean_ns) && entry.mean_ns > 0.0;
    if (kernel == kernels.end() || kind == kinds_.end() || !is_time || entry.samples == 0) continue;
    const KindId id(static_cast<KindId::Value>(kind - kinds_.begin()));
    of(kernel->second, id).history.recall(entry.work, entry.mean_ns, entry.samples);
  }
}

}  // namespace penstock::schedule
