/// Element types and shapes: the vocabulary that programs, kernels and the wire share.
/// Plain values; every function here is safe to call from any thread and never blocks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace penstock {

/// The element type of an array. The numbers are part of the wire format.
enum class DType : std::uint8_t { f32 = 0, f64 = 1, i32 = 2, i64 = 3 };

inline constexpr int dtype_count = 4;

/// Bytes of one element.
constexpr std::size_t size_of(DType dtype) { return dtype == DType::f32 || dtype == DType::i32 ? 4 : 8; }

/// "f32", "f64", "i32" or "i64".
constexpr std::string_view name_of(DType dtype) {
  constexpr std::array<std::string_view, dtype_count> names{"f32", "f64", "i32", "i64"};
  return names[static_cast<std::size_t>(dtype)];
}

/// The DType of a C++ element type; other types do not compile.
template <class T>
struct DTypeOf;
template <>
struct DTypeOf<float> {
  static constexpr DType value = DType::f32;
};
template <>
struct DTypeOf<double> {
  static constexpr DType value = DType::f64;
};
template <>
struct DTypeOf<std::int32_t> {
  static constexpr DType value = DType::i32;
};
template <>
struct DTypeOf<std::int64_t> {
  static constexpr DType value = DType::i64;
};
template <class T>
inline constexpr DType dtype_of = DTypeOf<T>::value;

/// The extents of a row-major array, at most 8 of them; no extents is a scalar (one element).
/// A Shape is valid by construction: no extent is negative and 8 bytes times the number of elements fits in 63 bits.
class Shape {
 public:
  static constexpr std::size_t max_dimensions = 8;

  Shape() = default;
  /// Throws Error (invalid_argument) for more than 8 extents, a negative one, or a size that overflows.
  Shape(std::initializer_list<std::int64_t> extents);
  explicit Shape(std::span<const std::int64_t> extents);

  [[nodiscard]] std::size_t dimensions() const { return dimensions_; }
  [[nodiscard]] std::int64_t operator[](std::size_t axis) const { return extents_[axis]; }
  [[nodiscard]] std::span<const std::int64_t> extents() const { return {extents_.data(), dimensions_}; }
  /// Number of elements.
  [[nodiscard]] std::int64_t count() const {
    std::int64_t product = 1;
    for (std::size_t axis = 0; axis < dimensions_; ++axis) product *= extents_[axis];
    return product;
  }
  /// "[4000, 4000]"
  [[nodiscard]] std::string to_string() const;

  friend bool operator==(const Shape& left, const Shape& right);

 private:
  std::array<std::int64_t, max_dimensions> extents_{};
  std::uint8_t dimensions_ = 0;
};

/// What is known of an array before it exists.
struct ArrayType {
  DType dtype = DType::f32;
  Shape shape;

  [[nodiscard]] std::int64_t bytes() const { return shape.count() * static_cast<std::int64_t>(size_of(dtype)); }
  friend bool operator==(const ArrayType&, const ArrayType&) = default;
};

}  // namespace penstock
