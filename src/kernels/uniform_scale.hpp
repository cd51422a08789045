/// From random words to uniform numbers in [low, high), on cores and on GPUs. An element of 32 bits takes one word of
/// its counter, one of 64 bits takes two, the first of them the upper half. A real is low + u * (high - low), in the
/// element type and without fused operations, with u the top 24 (f32) or 53 (f64) bits as a fraction; what rounding
/// lifts to high becomes the number just below it. An integer is low + floor(u * (high - low)), exactly, with u all the
/// bits as a fraction: the chances of two values differ by a part in 2^32 / (high - low) (i32) or 2^64 / (high - low)
/// (i64). Pure; inlined by force, so that it takes the instruction set of its caller.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/arithmetic.hpp"

namespace penstock::kernels {

/// The word of the counters that tells these numbers from others of the same seed.
inline constexpr std::uint32_t uniform_stream = 0;

template <class T>
struct RealScale {
  RealScale(double from, double to)
      : low(static_cast<T>(from)), width(static_cast<T>(to) - low), last(std::nextafter(static_cast<T>(to), low)) {}
  /// For f32.
  [[gnu::always_inline]] PENSTOCK_HOST_DEVICE inline T of(std::uint32_t word) const {
    const T u = static_cast<T>(static_cast<std::int32_t>(word >> 8)) * T{0x1p-24};
    return below_last(low + u * width);
  }
  /// For f64.
  [[gnu::always_inline]] PENSTOCK_HOST_DEVICE inline T of(std::uint32_t upper_word, std::uint32_t lower_word) const {
    const auto upper = static_cast<T>(upper_word);
    const auto lower = static_cast<T>(static_cast<std::int32_t>(lower_word >> 11));
    return below_last(low + (upper * T{0x1p21} + lower) * T{0x1p-53} * width);
  }
  [[gnu::always_inline]] PENSTOCK_HOST_DEVICE inline T below_last(T value) const { return value < last ? value : last; }

  T low;
  T width;
  T last;
};

/// The upper half of the 128-bit product of `upper` and `lower`, the halves of one factor, and `width`: from products
/// of 32 bits, which vector units have.
[[gnu::always_inline]] PENSTOCK_HOST_DEVICE inline std::uint64_t upper_product(std::uint64_t upper, std::uint64_t lower,
                                                                               std::uint64_t width) {
  constexpr std::uint64_t half = 0xffffffff;
  const std::uint64_t first = upper * (width & half) + ((lower * (width & half)) >> 32);
  const std::uint64_t second = lower * (width >> 32) + (first & half);
  return upper * (width >> 32) + (first >> 32) + (second >> 32);
}

template <class T>
struct IntegerScale {
  using Unsigned = std::make_unsigned_t<T>;
  /// For i64 the width is at most 2^64 - 1 but for the whole range, where 0 stands for 2^64.
  IntegerScale(double from, double to) : low(static_cast<Unsigned>(static_cast<T>(from))) {
    const double top = static_cast<double>(std::numeric_limits<T>::max()) + 1.0;
    const auto end =
        to < top ? static_cast<std::uint64_t>(static_cast<std::int64_t>(to)) : std::uint64_t{1} << (8 * sizeof(T) - 1);
    width = end - static_cast<std::uint64_t>(static_cast<std::int64_t>(from));
  }
  /// For i32. A width of 2^32 would not be a 32-bit factor, which vector units want; it shifts nothing away.
  [[gnu::always_inline]] PENSTOCK_HOST_DEVICE inline T of(std::uint32_t word) const {
    const auto factor = static_cast<std::uint32_t>(width);
    const std::uint32_t mask = width >> 32 != 0 ? ~std::uint32_t{0} : 0;
    const auto offset = static_cast<std::uint32_t>((std::uint64_t{word} * factor) >> 32) | (word & mask);
    return static_cast<T>(low + offset);
  }
  /// For i64.
  [[gnu::always_inline]] PENSTOCK_HOST_DEVICE inline T of(std::uint32_t upper_word, std::uint32_t lower_word) const {
    const std::uint64_t upper = upper_word;
    const std::uint64_t lower = lower_word;
    const std::uint64_t mask = width == 0 ? ~std::uint64_t{0} : 0;
    const std::uint64_t offset = upper_product(upper, lower, width) | ((upper << 32 | lower) & mask);
    return static_cast<T>(low + offset);
  }

  Unsigned low;
  std::uint64_t width;
};

template <class T>
using UniformScale = std::conditional_t<std::is_integral_v<T>, IntegerScale<T>, RealScale<T>>;

}  // namespace penstock::kernels
