/// The memory of an emulated GPU, and the host memory that is pinned. Not for two threads at once.
///
/// A device pointer is an address at which the host may read and write nothing, so that a program which follows one
/// ends at once; the bytes lie elsewhere, where only the emulator's engines reach them.
#pragma once

#include <cstddef>
#include <map>
#include <optional>

namespace penstock::emulator {

/// Fresh memory is full of it: as numbers of any width it is far from what programs compute.
inline constexpr int poison = 0xCB;

class DeviceMemory {
 public:
  static constexpr std::size_t unit = 512;                            ///< allocations begin at multiples of it
  static constexpr std::size_t context_bytes = std::size_t{4} << 20;  ///< that a GPU in use takes for itself

  explicit DeviceMemory(std::size_t capacity);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  [[nodiscard]] std::size_t free_bytes() const { return capacity_ - used_; }
  /// Null: there is no room.
  [[nodiscard]] void* allocate(std::size_t bytes);
  /// False: no allocation begins there.
  bool free(void* address);
  /// Whether any allocation holds the address.
  [[nodiscard]] bool holds(const void* address) const;
  /// The bytes behind a device address; null: they are not all of one allocation.
  [[nodiscard]] std::byte* bytes_at(const void* address, std::size_t count) const;

 private:
  [[nodiscard]] std::size_t offset_of(const void* address) const {
    return static_cast<std::size_t>(static_cast<const std::byte*>(address) - guarded_);
  }

  std::size_t capacity_;
  std::byte* guarded_ = nullptr;                ///< addresses as the program has them
  std::byte* bytes_ = nullptr;                  ///< what lies behind them
  std::size_t used_ = context_bytes;            ///< in whole units
  std::map<std::size_t, std::size_t> used_at_;  ///< bytes as asked for, by offset
};

/// Host memory that a copy may use while the caller goes on.
class PinnedMemory {
 public:
  /// False: some of it is pinned already.
  bool add(const void* address, std::size_t bytes, bool allocated);
  /// Of what begins there, whether it was allocated here; nothing: it is not pinned.
  std::optional<bool> remove(const void* address);
  [[nodiscard]] bool holds(const void* address, std::size_t bytes) const;

 private:
  struct Range {
    std::size_t bytes;
    bool allocated;
  };
  std::map<const std::byte*, Range> ranges_;
};

}  // namespace penstock::emulator
