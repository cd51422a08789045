/// Hands out ranges of one stretch of memory by their offsets, best fit first; what is given back joins its neighbours.
/// A free range keeps a tag that its next owner is given, such as what must have happened before it may be written:
/// Tag has merge(const Tag&) for ranges that join. Pure; its owner calls it under one mutex.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/assert.hpp"

namespace penstock::core {

/// For ranges without a history.
struct NoTag {
  void merge(const NoTag& /*other*/) {}
};

template <class Tag = NoTag>
class RangeAllocator {
 public:
  struct Range {
    std::size_t offset = 0;
    Tag tag;
  };

  /// Offsets and sizes are multiples of `unit`.
  RangeAllocator(std::size_t capacity, std::size_t unit) : unit_(unit), capacity_(capacity / unit * unit) {
    if (capacity_ > 0) add_hole(0, {capacity_, Tag()});
  }

  [[nodiscard]] std::size_t rounded(std::size_t bytes) const {
    return (std::max(bytes, std::size_t{1}) + unit_ - 1) / unit_ * unit_;
  }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  [[nodiscard]] std::size_t free_bytes() const { return free_bytes_; }

  /// None: no free range is that long, though several together may be.
  std::optional<Range> allocate(std::size_t bytes) {
    const std::size_t size = rounded(bytes);
    const auto fits = by_size_.lower_bound({size, 0});
    if (fits == by_size_.end()) return std::nullopt;
    const std::size_t offset = fits->second;
    Hole hole = take_hole(by_offset_.find(offset));
    if (hole.bytes > size) add_hole(offset + size, {hole.bytes - size, hole.tag});
    return Range{offset, std::move(hole.tag)};
  }

  /// `bytes` as it was requested.
  void free(std::size_t offset, std::size_t bytes, Tag tag = {}) {
    Hole joined{rounded(bytes), std::move(tag)};
    const auto after = by_offset_.lower_bound(offset);
    PENSTOCK_ASSERT(after == by_offset_.end() || offset + joined.bytes <= after->first);
    if (after != by_offset_.begin()) {
      const auto before = std::prev(after);
      PENSTOCK_ASSERT(before->first + before->second.bytes <= offset);
      if (before->first + before->second.bytes == offset) {
        offset = before->first;
        join(joined, take_hole(before));
      }
    }
    if (after != by_offset_.end() && after->first == offset + joined.bytes) join(joined, take_hole(after));
    add_hole(offset, std::move(joined));
  }

 private:
  struct Hole {
    std::size_t bytes;
    Tag tag;
  };
  using Holes = std::map<std::size_t, Hole>;

  static void join(Hole& hole, const Hole& neighbour) {
    hole.bytes += neighbour.bytes;
    hole.tag.merge(neighbour.tag);
  }
  void add_hole(std::size_t offset, Hole hole) {
    free_bytes_ += hole.bytes;
    by_size_.emplace(hole.bytes, offset);
    by_offset_.emplace(offset, std::move(hole));
  }
  Hole take_hole(typename Holes::iterator at) {
    by_size_.erase({at->second.bytes, at->first});
    free_bytes_ -= at->second.bytes;
    return std::move(by_offset_.extract(at).mapped());
  }

  std::size_t unit_;
  std::size_t capacity_;
  std::size_t free_bytes_ = 0;
  Holes by_offset_;
  std::set<std::pair<std::size_t, std::size_t>> by_size_;  // bytes, offset
};

}  // namespace penstock::core
