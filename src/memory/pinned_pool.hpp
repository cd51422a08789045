/// Pinned host memory, which devices read and write by themselves: taken from the system in slabs, as pinning is slow
/// and unpinning may wait for a device, divided here, and given back only at the end. Bounded: who gets none takes
/// other memory. Thread-safe; waits for nothing but the system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "core/range_allocator.hpp"

namespace penstock::memory {

class PinnedPool {
 public:
  struct Source {
    std::function<void*(std::size_t)> allocate;  ///< null: there is no more
    std::function<void(void*)> free;
  };

  /// `bytes_most`: of all slabs.
  PinnedPool(Source source, std::size_t bytes_most) : source_(std::move(source)), bytes_most_(bytes_most) {}
  PinnedPool(const PinnedPool&) = delete;
  PinnedPool& operator=(const PinnedPool&) = delete;
  ~PinnedPool();

  /// Uninitialised and aligned to 4096 bytes. Null: there is none left.
  [[nodiscard]] std::byte* allocate(std::size_t bytes);
  /// False: the memory is not of this pool. `bytes` as it was requested.
  bool free(std::byte* data, std::size_t bytes);

 private:
  struct Slab {
    std::byte* data;
    core::RangeAllocator<> ranges;
  };
  [[nodiscard]] bool grow(std::size_t bytes);

  const Source source_;
  const std::size_t bytes_most_;
  std::mutex mutex_;  // guards what follows
  std::vector<Slab> slabs_;
  std::size_t bytes_ = 0;
  bool exhausted_ = false;  // the system has refused once
};

}  // namespace penstock::memory
