/// Places in a table that are used again after the end of what they held.
#pragma once

#include <cstdint>
#include <vector>

namespace penstock::coherence {

/// One of `free`, or else a new one at the end of `items`. What it held before is still there.
template <class Item, class Index>
Index take_place(std::vector<Item>& items, std::vector<Index>& free) {
  if (free.empty()) {
    items.emplace_back();
    return Index(static_cast<std::uint32_t>(items.size() - 1));
  }
  const Index place = free.back();
  free.pop_back();
  return place;
}

}  // namespace penstock::coherence
