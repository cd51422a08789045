#include "cuda_emulator/memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <vector>

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

/// A page full of poison, to be mapped in place of pages that nobody has touched yet: those of a large allocation take
/// memory only as they are used.
class PoisonedPages {
 public:
  static constexpr std::size_t bytes = std::size_t{2} << 20;

  PoisonedPages() : file_(memfd_create("poison", MFD_CLOEXEC)) {
    const std::vector<std::byte> page(bytes, std::byte{poison});
    if (file_ < 0 || write(file_, page.data(), bytes) != static_cast<ssize_t>(bytes)) give_up("no poison");
  }
  void put_at(std::byte* address) const {
    void* const put = mmap(address, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file_, 0);
    if (put == MAP_FAILED) give_up("the emulated CUDA maps no poison");
  }

 private:
  int file_;
};

void fill_with_poison(std::byte* begin, std::size_t bytes) {
  static const PoisonedPages pages;
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  std::size_t done = std::min(bytes, (PoisonedPages::bytes - address % PoisonedPages::bytes) % PoisonedPages::bytes);
  std::memset(begin, poison, done);
  for (; done + PoisonedPages::bytes <= bytes; done += PoisonedPages::bytes) pages.put_at(begin + done);
  std::memset(begin + done, poison, bytes - done);
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
  fill_with_poison(bytes_ + begin, taken);
  return guarded_ + begin;
}

bool DeviceMemory::free(void* address) {
  const auto found = used_at_.find(offset_of(address));
  if (found == used_at_.end()) return false;
  fill_with_poison(bytes_ + found->first, in_units(found->second));
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
