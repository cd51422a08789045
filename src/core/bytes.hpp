/// Flat bytes, little-endian as in memory: how messages and parameters are written and read back. A reader never reads
/// past its end: after the first short read it is bad() and yields zeros.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace penstock::core {

/// Appends to a vector that the caller keeps and reuses.
class ByteWriter {
 public:
  explicit ByteWriter(std::vector<std::byte>& out) : out_(out) {}

  template <class T>
    requires std::is_trivially_copyable_v<T>
  void put(const T& value) {
    const std::size_t at = out_.size();
    out_.resize(at + sizeof(T));
    std::memcpy(out_.data() + at, &value, sizeof(T));
  }
  void put_bytes(std::span<const std::byte> bytes) { out_.insert(out_.end(), bytes.begin(), bytes.end()); }
  /// Length (32 bits) and characters.
  void put_text(std::string_view text) {
    put(static_cast<std::uint32_t>(text.size()));
    put_bytes(std::as_bytes(std::span(text)));
  }
  [[nodiscard]] std::size_t size() const { return out_.size(); }
  /// Overwrites what was put at `at` before.
  template <class T>
    requires std::is_trivially_copyable_v<T>
  void patch(std::size_t at, const T& value) {
    std::memcpy(out_.data() + at, &value, sizeof(T));
  }

 private:
  std::vector<std::byte>& out_;
};

class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class T>
    requires std::is_trivially_copyable_v<T>
  T get() {
    T value{};
    if (const auto from = take(sizeof(T)); !bad_) std::memcpy(&value, from.data(), sizeof(T));
    return value;
  }
  std::span<const std::byte> get_bytes(std::size_t count) { return take(count); }
  std::string_view get_text() {
    const auto characters = take(get<std::uint32_t>());
    return {reinterpret_cast<const char*>(characters.data()), characters.size()};
  }
  [[nodiscard]] std::size_t left() const { return bytes_.size(); }
  [[nodiscard]] bool bad() const { return bad_; }
  void fail() { bad_ = true; }

 private:
  std::span<const std::byte> take(std::size_t count) {
    if (bad_ || count > bytes_.size()) {
      bad_ = true;
      return {};
    }
    const auto taken = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return taken;
  }

  std::span<const std::byte> bytes_;
  bool bad_ = false;
};

}  // namespace penstock::core
