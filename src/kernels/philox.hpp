/// Philox 4x32-10: a counter-based generator after J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random
/// numbers: as easy as 1, 2, 3", SC'11. Four words are a bijection of a 128-bit counter under a 64-bit key; there is no
/// state, so any part of a sequence can be made anywhere. Here for several counters at once, lane by lane in plain
/// arrays, which compilers turn into vector instructions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/arithmetic.hpp"

namespace penstock::kernels {

/// word[w][l] is word w of lane l: counters before, random words after.
template <std::size_t Lanes>
struct PhiloxBlock {
  std::uint32_t word[4][Lanes];
};

/// Two words, least significant first, as the counters.
struct PhiloxKey {
  std::uint32_t low;
  std::uint32_t high;
};

constexpr PhiloxKey key_of_seed(std::int64_t seed) {
  const auto bits = static_cast<std::uint64_t>(seed);
  return {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
}

/// Elements that one counter makes.
template <class T>
inline constexpr std::size_t per_counter = 16 / sizeof(T);

/// Inlined by force, so that it takes the instruction set of its caller.
template <std::size_t Lanes>
[[gnu::always_inline]] PENSTOCK_HOST_DEVICE inline void philox4x32_10(PhiloxBlock<Lanes>& block, PhiloxKey key) {
  constexpr std::uint64_t multiplier_0 = 0xD2511F53;
  constexpr std::uint64_t multiplier_2 = 0xCD9E8D57;
  constexpr std::uint32_t weyl_low = 0x9E3779B9;   // the golden ratio
  constexpr std::uint32_t weyl_high = 0xBB67AE85;  // sqrt(3) - 1
  for (int round = 0; round < 10; ++round) {
#pragma omp simd
    for (std::size_t l = 0; l < Lanes; ++l) {
      const std::uint64_t product_0 = multiplier_0 * block.word[0][l];
      const std::uint64_t product_2 = multiplier_2 * block.word[2][l];
      block.word[0][l] = static_cast<std::uint32_t>(product_2 >> 32) ^ block.word[1][l] ^ key.low;
      block.word[1][l] = static_cast<std::uint32_t>(product_2);
      block.word[2][l] = static_cast<std::uint32_t>(product_0 >> 32) ^ block.word[3][l] ^ key.high;
      block.word[3][l] = static_cast<std::uint32_t>(product_0);
    }
    key.low += weyl_low;
    key.high += weyl_high;
  }
}

}  // namespace penstock::kernels
