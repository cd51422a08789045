/// How many tasks are on each level of a graph, in bounded memory. A plain value.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace penstock::jobs {

/// Beyond 2^20 levels, neighbours are counted together: 2, then 4, ...
class Levels {
 public:
  static constexpr std::size_t bins_max = std::size_t{1} << 20;

  /// `level` counts from 1.
  void add(std::int64_t level) {
    depth_ = std::max(depth_, level);
    const auto index = static_cast<std::size_t>(level - 1);
    while ((index >> shift_) >= bins_max) fold();
    if ((index >> shift_) >= bins_.size()) bins_.resize((index >> shift_) + 1);
    ++bins_[index >> shift_];
  }

  [[nodiscard]] std::int64_t depth() const { return depth_; }
  /// How many neighbours are counted together.
  [[nodiscard]] std::int64_t levels_per_bin() const { return std::int64_t{1} << shift_; }
  /// Most tasks on one level, or the mean of the fullest neighbours, rounded up.
  [[nodiscard]] std::int64_t width() const {
    const std::int64_t most = bins_.empty() ? 0 : *std::ranges::max_element(bins_);
    return (most + levels_per_bin() - 1) / levels_per_bin();
  }

 private:
  void fold() {
    bins_.resize(bins_max);
    for (std::size_t i = 0; i < bins_max / 2; ++i) bins_[i] = bins_[2 * i] + bins_[2 * i + 1];
    bins_.resize(bins_max / 2);
    ++shift_;
  }

  std::vector<std::int64_t> bins_;
  int shift_ = 0;
  std::int64_t depth_ = 0;
};

}  // namespace penstock::jobs
