/// The versions of a datum that live, in the order in which they were made: found by binary search, and mostly dropped
/// from the front. Costs nothing while there are one or two, and stays cheap for a chain of thousands in flight.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "core/ids.hpp"

namespace penstock::coherence {

/// Entry has a member `version`.
template <class Entry>
class VersionList {
 public:
  [[nodiscard]] bool empty() const { return dead_ == entries_.size(); }
  [[nodiscard]] Entry& back() { return entries_.back(); }

  /// `version` is greater than all before.
  Entry& add(core::Version version) {
    Entry& entry = entries_.emplace_back();
    entry.version = version;
    return entry;
  }

  /// Null when it does not live.
  [[nodiscard]] Entry* find(core::Version version) {
    const std::span<Entry> alive = std::span(entries_).subspan(dead_);
    const auto found = std::ranges::lower_bound(alive, version, {}, &Entry::version);
    return found != alive.end() && found->version == version ? &*found : nullptr;
  }
  [[nodiscard]] const Entry* find(core::Version version) const { return const_cast<VersionList*>(this)->find(version); }

  /// `entry` must be of this list.
  void erase(Entry* entry) {
    if (entry != &entries_[dead_]) {
      entries_.erase(entries_.begin() + (entry - entries_.data()));
      return;
    }
    *entry = Entry();
    ++dead_;
    if (dead_ < entries_.size() - dead_) return;  // moved together once half of them are dead
    entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(dead_));
    dead_ = 0;
  }

 private:
  std::vector<Entry> entries_;
  std::size_t dead_ = 0;  // how many at the front are no more
};

}  // namespace penstock::coherence
