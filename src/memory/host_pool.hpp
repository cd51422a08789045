/// Host buffers for replicas: aligned to 64 bytes, large ones to 2 MiB, and kept for the
/// next request of the same size up to a bound, because the first touch of fresh pages costs more than many a kernel.
/// Thread-safe; nothing blocks but the operating system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace penstock::memory {

class HostPool {
 public:
  /// `keep_bytes`: how much may lie idle for later requests.
  explicit HostPool(std::size_t keep_bytes = std::size_t{512} << 20) : keep_bytes_(keep_bytes) {}
  HostPool(const HostPool&) = delete;
  HostPool& operator=(const HostPool&) = delete;
  ~HostPool();

  /// Uninitialised memory, never null. Throws Error (environment) with the sizes when the system has no more.
  [[nodiscard]] std::byte* allocate(std::size_t bytes);
  /// `bytes` as it was requested.
  void free(std::byte* data, std::size_t bytes);

  [[nodiscard]] std::size_t used_bytes() const;

 private:
  struct Class {
    std::vector<std::byte*> idle;
  };
  void free_idle();
  static std::size_t rounded(std::size_t bytes);

  const std::size_t keep_bytes_;
  mutable std::mutex mutex_;  // guards what follows
  std::map<std::size_t, Class> classes_;
  std::size_t idle_bytes_ = 0;
  std::size_t used_bytes_ = 0;
};

}  // namespace penstock::memory
