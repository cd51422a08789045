// uniform: element i depends on seed and i alone. An element of 32 bits takes one word of its counter, one of 64 bits
// takes two, the first of them the upper half. A real is low + u * (high - low), in the element type and without
// fused operations, with u the top 24 (f32) or 53 (f64) bits as a fraction; what rounding lifts to high becomes the
// number just below it. An integer is low + floor(u * (high - low)), exactly, with u all the bits as a fraction: the
// chances of two values differ by a part in 2^32 / (high - low) (i32) or 2^64 / (high - low) (i64).
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>

#include "kernels/builtin.hpp"
#include "kernels/describe.hpp"
#include "kernels/elements.hpp"
#include "kernels/philox_fill.hpp"
#include "kernels/text.hpp"
#include "kernels/whole.hpp"

namespace penstock::kernels {

namespace {

constexpr std::uint32_t uniform_stream = 0;

template <class T>
struct RealScale {
  using Element = T;
  static constexpr std::uint32_t stream = uniform_stream;
  RealScale(double from, double to)
      : low(static_cast<T>(from)), width(static_cast<T>(to) - low), last(std::nextafter(static_cast<T>(to), low)) {}
  void operator()(const RandomBlock& block, T* out) const;
  T low;
  T width;
  T last;
};

template <class T>
struct IntegerScale {
  using Element = T;
  static constexpr std::uint32_t stream = uniform_stream;
  using Unsigned = std::make_unsigned_t<T>;
  /// For i64 the width is at most 2^64 - 1 but for the whole range, where 0 stands for 2^64.
  IntegerScale(double from, double to) : low(static_cast<Unsigned>(static_cast<T>(from))) {
    const double top = static_cast<double>(std::numeric_limits<T>::max()) + 1.0;
    const auto end =
        to < top ? static_cast<std::uint64_t>(static_cast<std::int64_t>(to)) : std::uint64_t{1} << (8 * sizeof(T) - 1);
    width = end - static_cast<std::uint64_t>(static_cast<std::int64_t>(from));
  }
  void operator()(const RandomBlock& block, T* out) const;
  Unsigned low;
  std::uint64_t width;
};

template <class T>
using Scale = std::conditional_t<std::is_integral_v<T>, IntegerScale<T>, RealScale<T>>;

template <>
[[gnu::always_inline]] inline void RealScale<float>::operator()(const RandomBlock& block, float* out) const {
  const RealScale scale = *this;  // a copy, which `out` cannot overlap
#pragma omp simd
  for (std::size_t l = 0; l < philox_lanes; ++l) {
    for (std::size_t w = 0; w < 4; ++w) {
      const float u = static_cast<float>(static_cast<std::int32_t>(block.word[w][l] >> 8)) * 0x1p-24F;
      const float value = scale.low + u * scale.width;
      out[4 * l + w] = value < scale.last ? value : scale.last;
    }
  }
}

template <>
[[gnu::always_inline]] inline void RealScale<double>::operator()(const RandomBlock& block, double* out) const {
  const RealScale scale = *this;
#pragma omp simd
  for (std::size_t l = 0; l < philox_lanes; ++l) {
    for (std::size_t w = 0; w < 2; ++w) {
      const auto upper = static_cast<double>(block.word[2 * w][l]);
      const auto lower = static_cast<double>(static_cast<std::int32_t>(block.word[2 * w + 1][l] >> 11));
      const double value = scale.low + (upper * 0x1p21 + lower) * 0x1p-53 * scale.width;
      out[2 * l + w] = value < scale.last ? value : scale.last;
    }
  }
}

template <>
[[gnu::always_inline]] inline void IntegerScale<std::int32_t>::operator()(const RandomBlock& block,
                                                                          std::int32_t* out) const {
  const Unsigned least = low;
  // A width of 2^32 would not be a 32-bit factor, which vector units want; it shifts nothing away.
  const auto factor = static_cast<std::uint32_t>(width);
  const std::uint32_t mask = width >> 32 != 0 ? ~std::uint32_t{0} : 0;
#pragma omp simd
  for (std::size_t l = 0; l < philox_lanes; ++l) {
    for (std::size_t w = 0; w < 4; ++w) {
      const std::uint32_t word = block.word[w][l];
      const auto offset = static_cast<std::uint32_t>((std::uint64_t{word} * factor) >> 32) | (word & mask);
      out[4 * l + w] = static_cast<std::int32_t>(least + offset);
    }
  }
}

/// The upper half of the 128-bit product of `upper` and `lower`, the halves of one factor, and `width`: from products
/// of 32 bits, which vector units have.
[[gnu::always_inline]] inline std::uint64_t upper_product(std::uint64_t upper, std::uint64_t lower,
                                                          std::uint64_t width) {
  constexpr std::uint64_t half = 0xffffffff;
  const std::uint64_t first = upper * (width & half) + ((lower * (width & half)) >> 32);
  const std::uint64_t second = lower * (width >> 32) + (first & half);
  return upper * (width >> 32) + (first >> 32) + (second >> 32);
}

template <>
[[gnu::always_inline]] inline void IntegerScale<std::int64_t>::operator()(const RandomBlock& block,
                                                                          std::int64_t* out) const {
  const IntegerScale scale = *this;
  const std::uint64_t mask = scale.width == 0 ? ~std::uint64_t{0} : 0;
#pragma omp simd
  for (std::size_t l = 0; l < philox_lanes; ++l) {
    for (std::size_t w = 0; w < 2; ++w) {
      const std::uint64_t upper = block.word[2 * w][l];
      const std::uint64_t lower = block.word[2 * w + 1][l];
      const std::uint64_t offset = upper_product(upper, lower, scale.width) | ((upper << 32 | lower) & mask);
      out[2 * l + w] = static_cast<std::int64_t>(scale.low + offset);
    }
  }
}

void run_uniform(const TaskContext& context) {
  const ArrayView& x = context.arrays[0];
  const double low = std::get<double>(context.parameters[1]);
  const double high = std::get<double>(context.parameters[2]);
  with_element_type(x.type.dtype, [&]<class T>(std::type_identity<T>) {
    make_panel(context, x, place_of(context.parameters.subspan(3)), key_of(context.parameters[0]), Scale<T>(low, high));
  });
}

/// Whether [low, high) of elements T is neither empty nor wider than T can express.
template <class T>
bool is_range(double low, double high) {
  if constexpr (std::is_integral_v<T>) {
    return low < high;
  } else {
    const T from = static_cast<T>(low);
    const T to = static_cast<T>(high);
    return from < to && std::isfinite(to - from);
  }
}

/// What is wrong with the bounds of elements like those of `x`.
std::string bounds_fault(const ArrayType& x, double low, double high) {
  if (std::string fault = number_fault("low", low, x); !fault.empty()) return fault;
  // `high` itself is never made, so that it may be one more than the largest integer.
  const bool is_top = (x.dtype == DType::i32 && high == 0x1p31) || (x.dtype == DType::i64 && high == 0x1p63);
  if (std::string fault = number_fault("high", high, x); !is_top && !fault.empty()) return fault;
  if (!is_real(x.dtype) && low == 0.0 && high == 1.0) {
    return "x is " + to_text(x) + ", and the only whole number from 0 (low) to below 1 (high) is 0: give low and high";
  }
  const bool is_fit =
      with_element_type(x.dtype, [&]<class T>(std::type_identity<T>) { return is_range<T>(low, high); });
  if (is_fit) return {};
  return "low is " + to_text(low) + " and high is " + to_text(high) +
         ", but [low, high) needs to be a finite, not empty range of " + std::string(penstock::name_of(x.dtype));
}

std::string check_uniform(Accesses accesses, Parameters parameters) {
  const ArrayType& x = accesses[0].type;
  std::string fault = bounds_fault(x, std::get<double>(parameters[1]), std::get<double>(parameters[2]));
  return fault.empty() ? place_fault(x, place_of(parameters.subspan(3))) : fault;
}

}  // namespace

KernelDescription uniform_kernel() {
  const auto [first, row_stride] = place_parameters();
  return {
      .name = "uniform",
      .summary =
          "x = uniform numbers in [low, high) that depend on seed and row-major index alone (Philox 4x32-10, "
          "Salmon et al. 2011): reals with 24 (f32) or 53 (f64) random bits; integers between whole bounds, which "
          "must be given.",
      .accesses = {writes("x")},
      .parameters = {integer("seed", std::nullopt, "chooses the sequence; any 64 bits"),
                     real("low", 0.0, "the least number"), real("high", 1.0, "above all numbers"), first, row_stride},
      .cpu = run_uniform,
      .allows_panels = true,
      .check = check_uniform};
}

}  // namespace penstock::kernels
