#include "memory/buffer_cache.hpp"

#include <algorithm>
#include <span>

namespace penstock::memory {

namespace {

std::size_t units_of(std::size_t bytes, std::size_t unit) {
  return (std::max(bytes, std::size_t{1}) + unit - 1) / unit;
}

}  // namespace

BufferCache::~BufferCache() {
  for (std::size_t units = 1; units <= idle_.size(); ++units) pool_->free(idle_[units - 1], units * unit);
}

std::byte* BufferCache::allocate(std::size_t bytes) {
  if (bytes > small_bytes) return pool_->allocate(bytes);
  const std::size_t units = units_of(bytes, unit);
  std::vector<std::byte*>& idle = idle_[units - 1];
  if (idle.empty()) pool_->allocate(idle, batch, units * unit);
  std::byte* const data = idle.back();
  idle.pop_back();
  return data;
}

void BufferCache::free(std::byte* data, std::size_t bytes) {
  if (bytes > small_bytes) return pool_->free(data, bytes);
  const std::size_t units = units_of(bytes, unit);
  std::vector<std::byte*>& idle = idle_[units - 1];
  idle.push_back(data);
  if (idle.size() < 2 * batch) return;
  pool_->free(std::span(idle).first(batch), units * unit);  // the oldest: the others are in this core's cache
  idle.erase(idle.begin(), idle.begin() + batch);
}

}  // namespace penstock::memory
