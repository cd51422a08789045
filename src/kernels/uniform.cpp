// uniform: element i depends on seed and i alone. The key is the seed, the counter the number of a group of elements,
// from 0, in its two low words. A group is four elements of 32 bits, which take one word each, or two of 64 bits, which
// take two each, the first of them the upper half. A real is low + u * (high - low), in the element type and without
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
#include "kernels/elements.hpp"
#include "kernels/philox.hpp"
#include "kernels/text.hpp"

namespace penstock::kernels {

namespace {

constexpr std::size_t lanes = 16;
using Block = PhiloxBlock<lanes>;

/// Elements that one counter, and one block of `lanes` counters, makes.
template <class T>
constexpr std::size_t per_counter = 16 / sizeof(T);
template <class T>
constexpr std::size_t per_block = lanes * per_counter<T>;
static_assert(element_unit % per_block<float> == 0 && element_unit % per_block<double> == 0);

template <class T>
struct RealScale {
  RealScale(double from, double to)
      : low(static_cast<T>(from)), width(static_cast<T>(to) - low), last(std::nextafter(static_cast<T>(to), low)) {}
  T low;
  T width;
  T last;
};

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
  Unsigned low;
  std::uint64_t width;
};

template <class T>
using Scale = std::conditional_t<std::is_integral_v<T>, IntegerScale<T>, RealScale<T>>;

[[gnu::always_inline]] inline void convert(const Block& block, RealScale<float> scale, float* out) {
  for (std::size_t l = 0; l < lanes; ++l) {
    for (std::size_t w = 0; w < 4; ++w) {
      const float u = static_cast<float>(static_cast<std::int32_t>(block.word[w][l] >> 8)) * 0x1p-24F;
      const float value = scale.low + u * scale.width;
      out[4 * l + w] = value < scale.last ? value : scale.last;
    }
  }
}

[[gnu::always_inline]] inline void convert(const Block& block, RealScale<double> scale, double* out) {
  for (std::size_t l = 0; l < lanes; ++l) {
    for (std::size_t w = 0; w < 2; ++w) {
      const auto upper = static_cast<double>(block.word[2 * w][l]);
      const auto lower = static_cast<double>(static_cast<std::int32_t>(block.word[2 * w + 1][l] >> 11));
      const double value = scale.low + (upper * 0x1p21 + lower) * 0x1p-53 * scale.width;
      out[2 * l + w] = value < scale.last ? value : scale.last;
    }
  }
}

[[gnu::always_inline]] inline void convert(const Block& block, IntegerScale<std::int32_t> scale, std::int32_t* out) {
  // A width of 2^32 would not be a 32-bit factor, which vector units want; it shifts nothing away.
  const auto width = static_cast<std::uint32_t>(scale.width);
  const std::uint32_t mask = scale.width >> 32 != 0 ? ~std::uint32_t{0} : 0;
  for (std::size_t l = 0; l < lanes; ++l) {
    for (std::size_t w = 0; w < 4; ++w) {
      const std::uint32_t word = block.word[w][l];
      const auto offset = static_cast<std::uint32_t>((std::uint64_t{word} * width) >> 32) | (word & mask);
      out[4 * l + w] = static_cast<std::int32_t>(scale.low + offset);
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

[[gnu::always_inline]] inline void convert(const Block& block, IntegerScale<std::int64_t> scale, std::int64_t* out) {
  const std::uint64_t mask = scale.width == 0 ? ~std::uint64_t{0} : 0;
  for (std::size_t l = 0; l < lanes; ++l) {
    for (std::size_t w = 0; w < 2; ++w) {
      const std::uint64_t upper = block.word[2 * w][l];
      const std::uint64_t lower = block.word[2 * w + 1][l];
      const std::uint64_t offset = upper_product(upper, lower, scale.width) | ((upper << 32 | lower) & mask);
      out[2 * l + w] = static_cast<std::int64_t>(scale.low + offset);
    }
  }
}

/// Makes one block of elements, the first of them number `first`, a multiple of the block.
template <class T>
[[gnu::always_inline]] inline void make_block(std::uint64_t first, PhiloxKey key, const Scale<T>& scale, T* out) {
  Block block;
  const std::uint64_t counter = first / per_counter<T>;
  const auto counter_low = static_cast<std::uint32_t>(counter);
  const auto counter_high = static_cast<std::uint32_t>(counter >> 32);
  for (std::size_t l = 0; l < lanes; ++l) {  // counter is a multiple of `lanes`: no carry
    block.word[0][l] = counter_low + static_cast<std::uint32_t>(l);
    block.word[1][l] = counter_high;
    block.word[2][l] = 0;
    block.word[3][l] = 0;
  }
  philox4x32_10(block, key);
  convert(block, scale, out);
}

template <class T>
[[gnu::always_inline]] inline void make_range(std::uint64_t first, PhiloxKey key, const Scale<T>& scale,
                                              std::span<T> out) {
  const std::size_t whole = out.size() / per_block<T> * per_block<T>;
  for (std::size_t i = 0; i < whole; i += per_block<T>) make_block<T>(first + i, key, scale, out.data() + i);
  if (whole == out.size()) return;
  T rest[per_block<T>];
  make_block<T>(first + whole, key, scale, rest);
  std::copy_n(rest, out.size() - whole, out.data() + whole);
}

template <class T>
void make_baseline(std::uint64_t first, PhiloxKey key, const Scale<T>& scale, std::span<T> out) {
  make_range<T>(first, key, scale, out);
}

#if defined(__x86_64__)
template <class T>
[[gnu::target("avx2")]] void make_avx2(std::uint64_t first, PhiloxKey key, const Scale<T>& scale, std::span<T> out) {
  make_range<T>(first, key, scale, out);
}
template <class T>
[[gnu::target("avx512f,avx512dq,avx512vl")]] void make_avx512(std::uint64_t first, PhiloxKey key, const Scale<T>& scale,
                                                              std::span<T> out) {
  make_range<T>(first, key, scale, out);
}
#endif

/// The version for this processor. All make the same numbers.
template <class T>
void make(std::uint64_t first, PhiloxKey key, const Scale<T>& scale, std::span<T> out) {
#if defined(__x86_64__)
  const bool has_avx512 =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (has_avx512) return make_avx512<T>(first, key, scale, out);
  if (__builtin_cpu_supports("avx2")) return make_avx2<T>(first, key, scale, out);
#endif
  make_baseline<T>(first, key, scale, out);
}

void run_uniform(const TaskContext& context) {
  const ArrayView& array = context.arrays[0];
  const auto seed = static_cast<std::uint64_t>(std::get<std::int64_t>(context.parameters[0]));
  const double low = std::get<double>(context.parameters[1]);
  const double high = std::get<double>(context.parameters[2]);
  const PhiloxKey key{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
  const Interval part = own_elements(context, array);
  with_element_type(array.type.dtype, [&]<class T>(std::type_identity<T>) {
    make<T>(static_cast<std::uint64_t>(part.begin), key, Scale<T>(low, high), elements<T>(array, part));
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

std::string check_uniform(std::span<const TaskAccess> accesses, std::span<const Parameter> parameters) {
  const ArrayType& x = accesses[0].type;
  const double low = std::get<double>(parameters[1]);
  const double high = std::get<double>(parameters[2]);
  if (std::string fault = number_fault("low", low, x); !fault.empty()) return fault;
  // `high` itself is never made, so that it may be one more than the largest integer.
  const bool is_top = (x.dtype == DType::i32 && high == 0x1p31) || (x.dtype == DType::i64 && high == 0x1p63);
  if (std::string fault = number_fault("high", high, x); !is_top && !fault.empty()) return fault;
  const bool is_fit =
      with_element_type(x.dtype, [&]<class T>(std::type_identity<T>) { return is_range<T>(low, high); });
  if (is_fit) return {};
  return "low is " + to_text(low) + " and high is " + to_text(high) +
         ", but [low, high) needs to be a finite, not empty range of " + std::string(penstock::name_of(x.dtype));
}

}  // namespace

KernelDescription uniform_kernel() {
  return {.name = "uniform",
          .summary =
              "x = uniform numbers in [low, high) that depend on seed and row-major index alone (Philox 4x32-10, "
              "Salmon et al. 2011): reals with 24 (f32) or 53 (f64) random bits; integers between whole bounds.",
          .accesses = {{.name = "x", .mode = AccessMode::write, .dtypes = {}}},
          .parameters =
              {{.name = "seed",
                .type = ParameterType::integer,
                .default_value = std::nullopt,
                .meaning = "chooses the sequence; any 64 bits"},
               {.name = "low", .type = ParameterType::real, .default_value = 0.0, .meaning = "the least number"},
               {.name = "high", .type = ParameterType::real, .default_value = 1.0, .meaning = "above all numbers"}},
          .cpu = run_uniform,
          .allows_panels = true,
          .check = check_uniform};
}

}  // namespace penstock::kernels
