/// Host buffers for replicas: aligned to 64 bytes, large ones to 2 MiB, and kept for the
/// next request of the same size up to a bound, because the first touch of fresh pages costs more than many a kernel.
/// Thread-safe; nothing blocks but the operating system.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "memory/pinned_pool.hpp"

namespace penstock::memory {

class HostPool {
 public:
  /// `keep_bytes`: how much may lie idle for later requests.
  explicit HostPool(std::size_t keep_bytes = std::size_t{512} << 20) : keep_bytes_(keep_bytes) {}
  HostPool(const HostPool&) = delete;
  HostPool& operator=(const HostPool&) = delete;
  ~HostPool();

  /// From now on memory is pinned as long as there is some. Before the first allocation.
  void use_pinned(PinnedPool::Source source, std::size_t bytes_most) { pinned_.emplace(std::move(source), bytes_most); }

  /// Uninitialised memory, never null. Throws Error (environment) with the sizes when the system has no more.
  [[nodiscard]] std::byte* allocate(std::size_t bytes);
  /// `bytes` as it was requested.
  void free(std::byte* data, std::size_t bytes);

  /// Appends `count` buffers of `bytes` each to `data`, for one turn of the mutex.
  void allocate(std::vector<std::byte*>& data, std::size_t count, std::size_t bytes);
  void free(std::span<std::byte* const> data, std::size_t bytes);

  /// Any thread; never waits.
  [[nodiscard]] std::size_t used_bytes() const { return used_bytes_.load(std::memory_order_relaxed); }

 private:
  struct Class {
    std::vector<std::byte*> idle;
  };
  [[nodiscard]] std::byte* take_idle(std::size_t size);
  [[nodiscard]] bool keep_idle(std::byte* data, std::size_t size);
  void free_idle();
  static std::size_t rounded(std::size_t bytes);

  const std::size_t keep_bytes_;
  std::optional<PinnedPool> pinned_;
  std::mutex mutex_;  // guards what follows but used_bytes_
  std::map<std::size_t, Class> classes_;
  std::size_t idle_bytes_ = 0;
  std::atomic<std::size_t> used_bytes_{0};  // orders nothing
};

}  // namespace penstock::memory
