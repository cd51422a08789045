#include "memory/pinned_pool.hpp"

#include <algorithm>

namespace penstock::memory {

namespace {
constexpr std::size_t page = 4096;
constexpr std::size_t slab_bytes = std::size_t{64} << 20;
}  // namespace

PinnedPool::~PinnedPool() {
  for (const Slab& slab : slabs_) source_.free(slab.data);
}

std::byte* PinnedPool::allocate(std::size_t bytes) {
  if (bytes > bytes_most_) return nullptr;
  const std::lock_guard lock(mutex_);
  do {
    // The last is tried first: those before it were full when it came.
    for (auto slab = slabs_.rbegin(); slab != slabs_.rend(); ++slab) {
      if (const auto range = slab->ranges.allocate(bytes)) return slab->data + range->offset;
    }
  } while (grow(bytes));
  return nullptr;
}

bool PinnedPool::grow(std::size_t bytes) {
  if (exhausted_) return false;
  const std::size_t needed = (std::max(bytes, std::size_t{1}) + page - 1) / page * page;
  const std::size_t size = std::min(std::max(needed, slab_bytes), (bytes_most_ - bytes_) / page * page);
  if (size < needed) return false;
  void* const data = source_.allocate(size);
  exhausted_ = data == nullptr;
  if (exhausted_) return false;
  slabs_.push_back({static_cast<std::byte*>(data), core::RangeAllocator<>(size, page)});
  bytes_ += size;
  return true;
}

bool PinnedPool::free(std::byte* data, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  for (Slab& slab : slabs_) {
    if (data < slab.data || data >= slab.data + slab.ranges.capacity()) continue;
    slab.ranges.free(static_cast<std::size_t>(data - slab.data), bytes);
    return true;
  }
  return false;
}

}  // namespace penstock::memory
