/// Memory for messages on their way, kept for reuse by size, so that steady traffic allocates nothing. One thread.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "transport/transport.hpp"

namespace penstock::transport {

struct Buffer {
  std::unique_ptr<std::byte[]> memory;
  std::size_t capacity = 0;
  std::size_t size = 0;

  [[nodiscard]] std::span<std::byte> bytes() const { return {memory.get(), size}; }
};

class BufferPool {
 public:
  /// A buffer of `size` bytes, at most max_message_bytes, whose content is left as it was.
  [[nodiscard]] Buffer take(std::size_t size);
  void give_back(Buffer buffer);

 private:
  static constexpr std::size_t smallest_capacity = 256;
  static constexpr std::size_t size_classes = 13;  // 256 bytes to 1 MiB by powers of two
  static_assert(smallest_capacity << (size_classes - 1) == max_message_bytes);

  std::array<std::vector<Buffer>, size_classes> free_;
};

}  // namespace penstock::transport
