#include "cuda_emulator/memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

namespace penstock::emulator {

namespace {

[[noreturn]] void give_up(const char* what) {
  std::perror(what);
  std::_Exit(2);
}

std::byte* map(std::size_t bytes, int protection, int flags, int file) {
  void* const address = mmap(nullptr, bytes, protection, flags, file, 0);
  if (address == MAP_FAILED) give_up("the emulated CUDA maps no memory");
  return static_cast<std::byte*>(address);
}

constexpr std::size_t in_units(std::size_t bytes) {
  return (std::max(bytes, std::size_t{1}) + DeviceMemory::unit - 1) / DeviceMemory::unit * DeviceMemory::unit;
}

}  // namespace

DeviceMemory::DeviceMemory(std::size_t capacity) : capacity_(std::max(capacity, context_bytes)) {
  guarded_ = map(capacity_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
  bytes_ = map(capacity_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
}

DeviceMemory::~DeviceMemory() {
  munmap(guarded_, capacity_);
  munmap(bytes_, capacity_);
}

/// The first gap that is large enough.
void* DeviceMemory::allocate(std::size_t bytes) {
  const std::size_t taken = in_units(bytes);
  if (taken > free_bytes()) return nullptr;
  std::size_t begin = context_bytes;
  for (const auto& [offset, size] : used_at_) {
    if (offset - begin >= taken) break;
    begin = offset + in_units(size);
  }
  if (capacity_ - begin < taken) return nullptr;
  used_at_[begin] = bytes;
  used_ += taken;
  std::memset(bytes_ + begin, poison, taken);
  return guarded_ + begin;
}

bool DeviceMemory::free(void* address) {
  const auto found = used_at_.find(offset_of(address));
  if (found == used_at_.end()) return false;
  std::memset(bytes_ + found->first, poison, in_units(found->second));
  used_ -= in_units(found->second);
  used_at_.erase(found);
  return true;
}

bool DeviceMemory::holds(const void* address) const { return bytes_at(address, 0) != nullptr; }

std::byte* DeviceMemory::bytes_at(const void* address, std::size_t count) const {
  const std::size_t offset = offset_of(address);
  const auto after = used_at_.upper_bound(offset);
  if (after == used_at_.begin()) return nullptr;
  const auto& [begin, size] = *std::prev(after);
  const bool is_inside = offset - begin <= size && count <= size - (offset - begin);
  return is_inside ? bytes_ + offset : nullptr;
}

bool PinnedMemory::add(const void* address, std::size_t bytes, bool allocated) {
  const auto* const begin = static_cast<const std::byte*>(address);
  const auto after = ranges_.lower_bound(begin + bytes);
  if (after != ranges_.begin()) {
    const auto& [other, range] = *std::prev(after);
    if (other + range.bytes > begin) return false;
  }
  ranges_[begin] = {bytes, allocated};
  return true;
}

std::optional<bool> PinnedMemory::remove(const void* address) {
  const auto found = ranges_.find(static_cast<const std::byte*>(address));
  if (found == ranges_.end()) return std::nullopt;
  const bool allocated = found->second.allocated;
  ranges_.erase(found);
  return allocated;
}

bool PinnedMemory::holds(const void* address, std::size_t bytes) const {
  const auto* const begin = static_cast<const std::byte*>(address);
  const auto after = ranges_.upper_bound(begin);
  if (after == ranges_.begin()) return false;
  const auto& [first, range] = *std::prev(after);
  return begin + bytes <= first + range.bytes;
}

}  // namespace penstock::emulator
