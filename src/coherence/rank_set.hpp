/// A set of ranks; no allocation while all are below 64.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "core/ids.hpp"

namespace penstock::coherence {

class RankSet {
 public:
  void insert(core::RankId rank) { word(rank) |= bit(rank); }
  void erase(core::RankId rank) {
    if (contains(rank)) word(rank) &= ~bit(rank);
  }
  [[nodiscard]] bool contains(core::RankId rank) const {
    const std::size_t at = index(rank);
    if (at == 0) return (low_ & bit(rank)) != 0;
    return at <= high_.size() && (high_[at - 1] & bit(rank)) != 0;
  }
  /// Calls visit(rank) in ascending order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    visit_word(low_, 0, visit);
    for (std::size_t i = 0; i < high_.size(); ++i) visit_word(high_[i], i + 1, visit);
  }
  /// The lowest rank in the set, or no_rank.
  [[nodiscard]] core::RankId first() const {
    core::RankId found = core::no_rank;
    for_each([&](core::RankId rank) {
      if (found == core::no_rank) found = rank;
    });
    return found;
  }

 private:
  static std::size_t index(core::RankId rank) { return static_cast<std::size_t>(rank.value()) / 64; }
  static std::uint64_t bit(core::RankId rank) { return std::uint64_t{1} << (rank.value() % 64); }
  std::uint64_t& word(core::RankId rank) {
    const std::size_t at = index(rank);
    if (at == 0) return low_;
    if (high_.size() < at) high_.resize(at);
    return high_[at - 1];
  }
  template <class Visit>
  static void visit_word(std::uint64_t word, std::size_t at, Visit& visit) {
    for (; word != 0; word &= word - 1) {
      visit(core::RankId(static_cast<core::RankId::Value>(at * 64 + static_cast<std::size_t>(std::countr_zero(word)))));
    }
  }

  std::uint64_t low_ = 0;
  std::vector<std::uint64_t> high_;
};

}  // namespace penstock::coherence
