/// Small buffers of one thread: taken from the pool and given back in batches, so that a task with a few numbers does
/// not pay for the pool's mutex. Not for two threads at once; it must not outlive the pool.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "memory/host_pool.hpp"

namespace penstock::memory {

class BufferCache {
 public:
  static constexpr std::size_t small_bytes = 1024;

  explicit BufferCache(HostPool& pool) : pool_(&pool) {}
  BufferCache(const BufferCache&) = delete;
  BufferCache& operator=(const BufferCache&) = delete;
  ~BufferCache();

  /// As HostPool::allocate(); what lies here idle counts as used there.
  [[nodiscard]] std::byte* allocate(std::size_t bytes);
  /// `bytes` as it was requested, here or from another cache of the same pool.
  void free(std::byte* data, std::size_t bytes);

 private:
  static constexpr std::size_t unit = 64;
  static constexpr std::size_t batch = 32;

  HostPool* pool_;
  std::array<std::vector<std::byte*>, small_bytes / unit> idle_;  ///< by size in units, less one
};

}  // namespace penstock::memory
