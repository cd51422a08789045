#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernel_call.hpp"
#include "kernels/builtin.hpp"
#include "kernels/philox.hpp"

namespace penstock::kernels {
namespace {

using testing::Each;

using Words = std::array<std::uint32_t, 4>;

template <std::size_t Lanes>
Words philox(Words counter, PhiloxKey key, std::size_t lane) {
  PhiloxBlock<Lanes> block{};
  for (std::size_t w = 0; w < 4; ++w) block.word[w][lane] = counter[w];
  philox4x32_10(block, key);
  return {block.word[0][lane], block.word[1][lane], block.word[2][lane], block.word[3][lane]};
}

TEST(Philox, MakesThePublishedWords) {
  struct Case {
    Words counter;
    PhiloxKey key;
    Words words;
  };
  const std::array<Case, 3> cases{{
      // of Random123's known-answer tests
      {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {{~0U, ~0U, ~0U, ~0U}, {~0U, ~0U}, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
       {0xa4093822, 0x299f31d0},
       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
  }};
  for (const Case& known : cases) {
    EXPECT_EQ(philox<1>(known.counter, known.key, 0), known.words);
    for (const std::size_t lane : {0U, 7U, 15U}) EXPECT_EQ(philox<16>(known.counter, known.key, lane), known.words);
  }
}

Named seeded(std::int64_t seed, double low, double high) { return {{"seed", seed}, {"low", low}, {"high", high}}; }

template <class T>
std::vector<T> numbers(const Shape& shape, const Named& parameters, int panels = 1) {
  HostArray x(dtype_of<T>, shape);
  call(uniform_kernel(), {&x}, parameters, panels);
  return x.values<T>();
}

/// The random bits of an element, as the definition gives them, at the top of 64 bits.
std::uint64_t bits_of(std::uint64_t seed, std::uint64_t index, std::size_t element_bytes) {
  const std::uint64_t per_counter = 16 / element_bytes;
  const std::uint64_t counter = index / per_counter;
  const std::size_t place = index % per_counter;
  const Words words = philox<1>({static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32), 0, 0},
                                {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}, 0);
  if (element_bytes == 4) return std::uint64_t{words[place]} << 32;
  return std::uint64_t{words[2 * place]} << 32 | words[2 * place + 1];
}

/// An element by its definition, without any of the kernel's tricks; `low` and `high` are not extremes of T.
template <class T>
T defined(std::uint64_t seed, std::uint64_t index, double low, double high) {
  const std::uint64_t bits = bits_of(seed, index, sizeof(T));
  if constexpr (std::is_integral_v<T>) {
    // Exact: the width is below 2^11, and an i32 has no more than 32 random bits.
    const auto width = static_cast<std::uint64_t>(high - low);
    const std::uint64_t upper = (bits >> 32) * width + (((bits & 0xffffffffU) * width) >> 32);
    return static_cast<T>(static_cast<T>(low) + static_cast<T>(upper >> 32));
  } else {
    constexpr int digits = std::numeric_limits<T>::digits;
    const T u = std::ldexp(static_cast<T>(bits >> (64 - digits)), -digits);
    const T value = static_cast<T>(low) + u * (static_cast<T>(high) - static_cast<T>(low));
    return value < static_cast<T>(high) ? value : std::nextafter(static_cast<T>(high), static_cast<T>(low));
  }
}

template <class T>
class UniformOf : public testing::Test {};
using ElementTypes = testing::Types<float, double, std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(UniformOf, ElementTypes);

TYPED_TEST(UniformOf, EqualsItsDefinitionElementByElement) {
  using T = TypeParam;
  constexpr std::int64_t seed = 0x123456789abcdef;

  const auto x = numbers<T>({1037}, seeded(seed, -3, 500));

  for (std::uint64_t i = 0; i < x.size(); ++i) ASSERT_EQ(x[i], defined<T>(seed, i, -3, 500)) << "element " << i;
}

TYPED_TEST(UniformOf, DependsOnNeitherShapeNorPanels) {
  using T = TypeParam;
  const auto expected = numbers<T>({3003}, seeded(5, 0, 100));

  EXPECT_EQ(numbers<T>({3, 1001}, seeded(5, 0, 100)), expected);
  for (int panels = 2; panels <= 50; ++panels) {
    ASSERT_EQ(numbers<T>({3003}, seeded(5, 0, 100), panels), expected) << panels << " panels";
  }
}

TYPED_TEST(UniformOf, GoesOnWhereAShorterArrayEnds) {
  using T = TypeParam;
  const auto expected = numbers<T>({200}, seeded(5, 0, 100));

  for (std::size_t length = 0; length < expected.size(); ++length) {
    const auto x = numbers<T>({static_cast<std::int64_t>(length)}, seeded(5, 0, 100));
    ASSERT_TRUE(std::equal(x.begin(), x.end(), expected.begin())) << length << " elements";
  }
}

TYPED_TEST(UniformOf, DependsOnAllBitsOfTheSeed) {
  using T = TypeParam;
  const auto x = numbers<T>({64}, seeded(1, 0, 1000));

  EXPECT_NE(numbers<T>({64}, seeded(2, 0, 1000)), x);
  EXPECT_NE(numbers<T>({64}, seeded(1 + (std::int64_t{1} << 32), 0, 1000)), x);
  EXPECT_NE(numbers<T>({64}, seeded(-1, 0, 1000)), x);
}

TYPED_TEST(UniformOf, HasTheMeanAndVarianceOfTheRange) {
  using T = TypeParam;
  constexpr double count = 1 << 18;

  const auto x = numbers<T>({1 << 18}, seeded(11, -100, 900));

  EXPECT_TRUE(std::ranges::all_of(x, [](T element) { return element >= T{-100} && element < T{900}; }));
  double sum = 0;
  double squares = 0;
  for (const T element : x) sum += static_cast<double>(element);
  const double mean = sum / count;
  for (const T element : x) squares += std::pow(static_cast<double>(element) - mean, 2);
  // A whole number is below the real one by half, on average. Five standard errors.
  const double expected = std::is_integral_v<T> ? 399.5 : 400.0;
  const double deviation = 1000.0 / std::sqrt(12.0);
  EXPECT_NEAR(mean, expected, 5.0 * deviation / std::sqrt(count));
  EXPECT_NEAR(std::sqrt(squares / count), deviation, 5.0 * deviation / std::sqrt(count));
}

TEST(Uniform, TakesTheTopBitsOfThePublishedWords) {
  const auto x = numbers<float>({4}, {{"seed", std::int64_t{0}}});

  EXPECT_THAT(x, testing::ElementsAre(0x6627e8p-24F, 0xe169c5p-24F, 0xbc57acp-24F, 0x9b00dbp-24F));
}

TEST(Uniform, TakesFiftyThreeBitsForDoubles) {
  const auto x = numbers<double>({2}, {{"seed", std::int64_t{0}}});

  EXPECT_THAT(x, testing::ElementsAre(std::ldexp(static_cast<double>(0x6627e8d5e169c58dU >> 11), -53),
                                      std::ldexp(static_cast<double>(0xbc57ac4c9b00dbd8U >> 11), -53)));
}

TEST(Uniform, NeverRoundsUpToHigh) {
  const double high = std::nextafter(1.0F, 2.0F);
  const double wide_high = std::nextafter(1.0, 2.0);

  EXPECT_THAT(numbers<float>({256}, seeded(3, 1.0, high)), Each(1.0F));
  EXPECT_THAT(numbers<double>({256}, seeded(3, 1.0, wide_high)), Each(1.0));
}

TEST(Uniform, ReachesTheWholeRangeOfIntegers) {
  const auto x = numbers<std::int32_t>({4}, seeded(0, -0x1p31, 0x1p31));
  const auto wide = numbers<std::int64_t>({2}, seeded(0, -0x1p63, 0x1p63));
  const auto upper = numbers<std::int64_t>({2}, seeded(0, 0, 0x1p63));

  EXPECT_EQ(static_cast<std::uint32_t>(x[1]), 0xe169c58dU - 0x80000000U);
  EXPECT_EQ(static_cast<std::uint64_t>(wide[1]), 0xbc57ac4c9b00dbd8U - 0x8000000000000000U);
  EXPECT_EQ(static_cast<std::uint64_t>(upper[1]), 0xbc57ac4c9b00dbd8U >> 1);
}

TEST(Uniform, TakesWideRangesOfLongIntegersExactly) {
  __extension__ using Wide = unsigned __int128;
  constexpr double low = -0x1.8p62;
  constexpr double high = 0x1.23456789p62;
  constexpr auto width = static_cast<std::uint64_t>(static_cast<std::int64_t>(high)) -
                         static_cast<std::uint64_t>(static_cast<std::int64_t>(low));

  const auto x = numbers<std::int64_t>({500}, seeded(77, low, high));

  for (std::uint64_t i = 0; i < x.size(); ++i) {
    const auto offset = static_cast<std::uint64_t>((Wide{bits_of(77, i, 8)} * width) >> 64);
    ASSERT_EQ(static_cast<std::uint64_t>(x[i]), static_cast<std::uint64_t>(static_cast<std::int64_t>(low)) + offset);
  }
}

TEST(Uniform, MakesEveryIntegerOfASmallRange) {
  const auto x = numbers<std::int32_t>({60'000}, seeded(9, -2, 4));

  for (std::int32_t value = -2; value < 4; ++value) {
    EXPECT_NEAR(static_cast<double>(std::ranges::count(x, value)), 10'000.0, 500.0) << value;
  }
}

TEST(Uniform, WantsBoundsForIntegers) {
  HostArray x(DType::i64, {2});

  EXPECT_EQ(error_of([&] {
              call(uniform_kernel(), {&x}, {{"seed", std::int64_t{1}}});
            }),
            "uniform: x is [2] i64, and the only whole number from 0 (low) to below 1 (high) is 0: give low and high");
}

}  // namespace
}  // namespace penstock::kernels
