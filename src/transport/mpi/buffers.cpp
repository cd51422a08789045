#include "transport/mpi/buffers.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/assert.hpp"

namespace penstock::transport {

namespace {

/// How much of one size class is kept; more is given back to the system.
constexpr std::size_t kept_bytes_max = std::size_t{8} << 20;

}  // namespace

Buffer BufferPool::take(std::size_t size) {
  PENSTOCK_ASSERT(size <= max_message_bytes);
  const std::size_t capacity = std::bit_ceil(std::max(size, smallest_capacity));
  auto& free = free_[static_cast<std::size_t>(std::countr_zero(capacity / smallest_capacity))];
  if (free.empty()) {
    return {.memory = std::make_unique_for_overwrite<std::byte[]>(capacity), .capacity = capacity, .size = size};
  }
  Buffer buffer = std::move(free.back());
  free.pop_back();
  buffer.size = size;
  return buffer;
}

void BufferPool::give_back(Buffer buffer) {
  auto& free = free_[static_cast<std::size_t>(std::countr_zero(buffer.capacity / smallest_capacity))];
  if (free.size() < kept_bytes_max / buffer.capacity) free.push_back(std::move(buffer));
}

}  // namespace penstock::transport
