/// Fills arrays with elements that depend on a key and their index alone. The counter of element i is i divided by the
/// elements that one counter makes (four of 32 bits, two of 64 bits) in its two low words and the stream in the third:
/// kernels of different streams make independent numbers of one seed. Called by the bodies of `uniform` and `normal`,
/// any thread. Include it only in files compiled with -ffp-contract=off: a fused multiply-add rounds differently.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "kernels/elements.hpp"
#include "kernels/philox.hpp"
#include "kernels/whole.hpp"

namespace penstock::kernels {

/// Counters of one block, enough to fill vector registers.
inline constexpr std::size_t philox_lanes = 16;
using RandomBlock = PhiloxBlock<philox_lanes>;

template <class T>
inline constexpr std::size_t per_block = philox_lanes * per_counter<T>;

/// The seed, a parameter of the kernel.
inline PhiloxKey key_of(const Parameter& seed) { return key_of_seed(std::get<std::int64_t>(seed)); }

/// Makes the elements of philox_lanes counters, whose upper word must be one. Convert turns random words into elements:
/// convert(const RandomBlock&, Element*); its `stream` is a constant so that compilers see through the first rounds.
template <class Convert>
[[gnu::always_inline]] inline void make_block(std::uint64_t counter, PhiloxKey key, const Convert& convert,
                                              typename Convert::Element* out) {
  RandomBlock block;
  const auto low = static_cast<std::uint32_t>(counter);
  const auto high = static_cast<std::uint32_t>(counter >> 32);
#pragma omp simd
  for (std::size_t l = 0; l < philox_lanes; ++l) {
    block.word[0][l] = low + static_cast<std::uint32_t>(l);
    block.word[1][l] = high;
    block.word[2][l] = Convert::stream;
    block.word[3][l] = 0;
  }
  philox4x32_10(block, key);
  convert(block, out);
}

/// Makes the elements from index `first` on, any index. Whole blocks go to their place, parts of one by way of a copy;
/// a block that crosses a multiple of 2^32 counters, where the upper word changes, is two parts.
template <class Convert>
[[gnu::always_inline]] inline void make_range(std::uint64_t first, PhiloxKey key, const Convert& convert,
                                              std::span<typename Convert::Element> out) {
  using T = typename Convert::Element;
  std::uint64_t counter = first / per_counter<T>;
  std::size_t skipped = first % per_counter<T>;  // elements of the first counter that are before the range
  T part[per_block<T>];
  while (!out.empty()) {
    const std::uint64_t to_carry = (std::uint64_t{1} << 32) - (counter & 0xffffffff);
    std::uint64_t counters = std::min<std::uint64_t>(philox_lanes, to_carry);
    std::size_t count = std::min<std::size_t>(out.size(), counters * per_counter<T> - skipped);
    if (count == per_block<T>) {
      const std::uint64_t blocks = std::min<std::uint64_t>(out.size() / per_block<T>, to_carry / philox_lanes);
      for (std::uint64_t b = 0; b < blocks; ++b) {
        make_block(counter + b * philox_lanes, key, convert, out.data() + b * per_block<T>);
      }
      counters *= blocks;
      count *= blocks;
    } else {
      make_block(counter, key, convert, part);
      std::copy_n(part + skipped, count, out.data());
    }
    out = out.subspan(count);
    counter += counters;
    skipped = 0;
  }
}

template <class Convert>
void make_baseline(std::uint64_t first, PhiloxKey key, const Convert& convert,
                   std::span<typename Convert::Element> out) {
  make_range(first, key, convert, out);
}

#if defined(__x86_64__)
template <class Convert>
[[gnu::target("avx2")]] void make_avx2(std::uint64_t first, PhiloxKey key, const Convert& convert,
                                       std::span<typename Convert::Element> out) {
  make_range(first, key, convert, out);
}
template <class Convert>
[[gnu::target("avx512f,avx512dq,avx512vl")]] void make_avx512(std::uint64_t first, PhiloxKey key,
                                                              const Convert& convert,
                                                              std::span<typename Convert::Element> out) {
  make_range(first, key, convert, out);
}
#endif

/// By the instructions that this processor has. All make the same numbers.
template <class Convert>
void make_numbers(std::uint64_t first, PhiloxKey key, const Convert& convert,
                  std::span<typename Convert::Element> out) {
#if defined(__x86_64__)
  const bool has_avx512 =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (has_avx512) return make_avx512(first, key, convert, out);
  if (__builtin_cpu_supports("avx2")) return make_avx2(first, key, convert, out);
#endif
  make_baseline(first, key, convert, out);
}

/// Makes the panel of `context` of a block at that place of its whole.
template <class Convert>
void make_panel(const TaskContext& context, const ArrayView& x, const WholePlace& place, PhiloxKey key,
                const Convert& convert) {
  for_each_run(context, x, place, [&](std::int64_t first, Interval run) {
    make_numbers(static_cast<std::uint64_t>(first), key, convert, elements<typename Convert::Element>(x, run));
  });
}

}  // namespace penstock::kernels
