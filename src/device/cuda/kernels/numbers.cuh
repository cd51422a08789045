/// Kernels that make elements from their index in the whole array of which theirs is a block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "device/cuda/kernels/threads.cuh"
#include "kernels/arithmetic.hpp"
#include "kernels/normal_pair.hpp"
#include "kernels/philox.hpp"
#include "kernels/uniform_scale.hpp"

namespace penstock::device {

/// A block, and where its rows begin in the whole: a block without gaps there is one row.
struct Rows {
  std::int64_t count;
  std::int64_t columns;
  std::int64_t first;
  std::int64_t stride;

  PENSTOCK_HOST_DEVICE std::int64_t begin_of(std::int64_t row) const { return first + row * stride; }
};

template <class T>
__global__ void count_up(T* out, Rows rows) {
  const std::int64_t count = rows.count * rows.columns;
  for (std::int64_t i = first_piece(); i < count; i += grid_stride()) {
    const std::int64_t row = rows.count == 1 ? 0 : i / rows.columns;
    out[i] = static_cast<T>(rows.begin_of(row) + (i - row * rows.columns));
  }
}

/// What one counter makes.
template <class T>
struct Elements {
  T each[kernels::per_counter<T>];
};

template <class T>
struct UniformNumbers {
  static constexpr std::uint32_t stream = kernels::uniform_stream;
  PENSTOCK_HOST_DEVICE Elements<T> operator()(const kernels::PhiloxBlock<1>& block) const {
    if constexpr (sizeof(T) == sizeof(std::uint32_t)) {
      return {{scale.of(block.word[0][0]), scale.of(block.word[1][0]), scale.of(block.word[2][0]),
               scale.of(block.word[3][0])}};
    } else {
      return {{scale.of(block.word[0][0], block.word[1][0]), scale.of(block.word[2][0], block.word[3][0])}};
    }
  }
  kernels::UniformScale<T> scale;
};

template <class T>
struct NormalNumbers {
  static constexpr std::uint32_t stream = kernels::normal_stream;
  PENSTOCK_HOST_DEVICE Elements<T> operator()(const kernels::PhiloxBlock<1>& block) const {
    if constexpr (std::is_same_v<T, float>) {
      const kernels::NormalPair one = kernels::normal_pair_of(block.word[0][0], block.word[1][0]);
      const kernels::NormalPair two = kernels::normal_pair_of(block.word[2][0], block.word[3][0]);
      return {{place(one.first), place(one.second), place(two.first), place(two.second)}};
    } else {
      const kernels::NormalPair pair =
          kernels::normal_pair_of(block.word[0][0], block.word[1][0], block.word[2][0], block.word[3][0]);
      return {{place(pair.first), place(pair.second)}};
    }
  }
  PENSTOCK_HOST_DEVICE T place(double number) const { return static_cast<T>(mean + deviation * number); }
  double mean;
  double deviation;
};

template <class T, class Numbers>
PENSTOCK_HOST_DEVICE Elements<T> random_elements(std::uint64_t counter, kernels::PhiloxKey key,
                                                 const Numbers& numbers) {
  kernels::PhiloxBlock<1> block{
      {{static_cast<std::uint32_t>(counter)}, {static_cast<std::uint32_t>(counter >> 32)}, {Numbers::stream}, {0}}};
  kernels::philox4x32_10(block, key);
  return numbers(block);
}

/// The counters that a row may touch, wherever it begins.
template <class T>
PENSTOCK_HOST_DEVICE constexpr std::int64_t counters_of(std::int64_t columns) {
  constexpr auto each = static_cast<std::int64_t>(kernels::per_counter<T>);
  return (columns + 2 * (each - 1)) / each;
}

/// One counter a piece.
template <class T, class Numbers>
__global__ void make_random(T* out, Rows rows, kernels::PhiloxKey key, Numbers numbers) {
  constexpr auto each = static_cast<std::int64_t>(kernels::per_counter<T>);
  const std::int64_t counters = counters_of<T>(rows.columns);
  for (std::int64_t i = first_piece(); i < rows.count * counters; i += grid_stride()) {
    const std::int64_t row = rows.count == 1 ? 0 : i / counters;
    const std::int64_t begin = rows.begin_of(row);
    const auto counter = static_cast<std::uint64_t>(begin / each + (i - row * counters));
    // Of the counter's first element: negative before the row.
    const auto column = static_cast<std::int64_t>(counter * each - static_cast<std::uint64_t>(begin));
    const Elements<T> made = random_elements<T>(counter, key, numbers);
    T* const to = out + row * rows.columns + column;
    for (std::int64_t k = 0; k < each; ++k) {
      if (column + k >= 0 && column + k < rows.columns) to[k] = made.each[k];
    }
  }
}

}  // namespace penstock::device
