#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "kernel_call.hpp"
#include "kernels/builtin.hpp"
#include "kernels/normal_pair.hpp"
#include "kernels/philox.hpp"
#include "kernels/signature.hpp"

namespace penstock::kernels {
namespace {

Named seeded(std::int64_t seed, double mean = 0.0, double deviation = 1.0) {
  return {{"seed", seed}, {"mean", mean}, {"deviation", deviation}};
}

template <class T>
std::vector<T> numbers(const Shape& shape, const Named& parameters, int panels = 1) {
  HostArray x(dtype_of<T>, shape);
  call(normal_kernel(), {&x}, parameters, panels);
  return x.values<T>();
}

/// An element by the definition in long double: Box and Muller of the words of its counter in the stream of `normal`.
template <class T>
long double defined(std::uint64_t seed, std::uint64_t index) {
  constexpr std::uint64_t per_counter = 16 / sizeof(T);
  const std::uint64_t counter = index / per_counter;
  PhiloxBlock<1> block{{{static_cast<std::uint32_t>(counter)}, {static_cast<std::uint32_t>(counter >> 32)}, {1}, {0}}};
  philox4x32_10(block, {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  const std::uint64_t pair = index % per_counter / 2;
  const auto word = [&](std::size_t w) { return std::uint64_t{block.word[w][0]}; };
  long double u = 0;
  long double turn = 0;
  if (sizeof(T) == 4) {
    u = std::ldexp(static_cast<long double>(word(2 * pair) + 1), -32);
    turn = std::ldexp(static_cast<long double>(word(2 * pair + 1)), -32);
  } else {
    u = std::ldexp(static_cast<long double>(((word(0) << 32 | word(1)) >> 11) + 1), -53);
    turn = std::ldexp(static_cast<long double>((word(2) << 32 | word(3)) >> 11), -53);
  }
  const long double radius = std::sqrt(-2.0L * std::log(u));
  const long double angle = 2.0L * std::numbers::pi_v<long double> * turn;
  return radius * (index % 2 == 0 ? std::cos(angle) : std::sin(angle));
}

/// The distance in units of the last place of `value`.
long double units(double value, long double exact) {
  const auto unit = std::ldexp(1.0L, std::ilogb(static_cast<double>(exact)) - 52);
  return std::abs(static_cast<long double>(value) - exact) / unit;
}

template <class T>
class NormalOf : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(NormalOf, Reals);

/// Near multiples of a quarter turn the reference itself loses digits: its angle is rounded to 2^-64 of a turn. Hence
/// an absolute part of the bound.
TYPED_TEST(NormalOf, EqualsItsDefinitionElementByElement) {
  using T = TypeParam;
  constexpr std::int64_t seed = 0x123456789abcdef;

  const auto x = numbers<T>({50'037}, seeded(seed));

  for (std::uint64_t i = 0; i < x.size(); ++i) {
    const long double exact = defined<T>(seed, i);
    const long double relative = sizeof(T) == 4 ? 0.501L * std::numeric_limits<float>::epsilon() : 4.0L * 0x1p-53L;
    ASSERT_NEAR(static_cast<double>(static_cast<long double>(x[i]) - exact), 0.0,
                static_cast<double>(relative * std::abs(exact) + 0x1p-60L))
        << "element " << i;
  }
}

TYPED_TEST(NormalOf, DependsOnNeitherShapeNorPanels) {
  using T = TypeParam;
  const auto expected = numbers<T>({3003}, seeded(5, 10.0, 2.0));

  EXPECT_EQ(numbers<T>({3, 1001}, seeded(5, 10.0, 2.0)), expected);
  for (int panels = 2; panels <= 50; ++panels) {
    ASSERT_EQ(numbers<T>({3003}, seeded(5, 10.0, 2.0), panels), expected) << panels << " panels";
  }
}

TYPED_TEST(NormalOf, DependsOnAllBitsOfTheSeed) {
  using T = TypeParam;
  const auto x = numbers<T>({64}, seeded(1));

  EXPECT_NE(numbers<T>({64}, seeded(2)), x);
  EXPECT_NE(numbers<T>({64}, seeded(1 + (std::int64_t{1} << 32))), x);
  EXPECT_NE(numbers<T>({64}, seeded(-1)), x);
}

/// Five standard errors of each estimate for normal numbers: of the mean 1, of the variance sqrt(2), of the third
/// moment sqrt(15), of the fourth sqrt(96), over the root of the count.
TYPED_TEST(NormalOf, HasTheMomentsOfTheDistribution) {
  using T = TypeParam;
  constexpr double count = 1 << 20;

  const auto x = numbers<T>({1 << 20}, seeded(11));

  std::array<double, 4> moment{};
  for (const T element : x) {
    for (std::size_t k = 0; k < 4; ++k) moment[k] += std::pow(static_cast<double>(element), k + 1) / count;
  }
  const double error = 5.0 / std::sqrt(count);
  EXPECT_NEAR(moment[0], 0.0, error);
  EXPECT_NEAR(moment[1], 1.0, error * std::sqrt(2.0));
  EXPECT_NEAR(moment[2], 0.0, error * std::sqrt(15.0));
  EXPECT_NEAR(moment[3], 3.0, error * std::sqrt(96.0));
}

TYPED_TEST(NormalOf, HasTheTailsOfTheDistribution) {
  using T = TypeParam;
  constexpr double count = 1 << 21;

  const auto x = numbers<T>({1 << 21}, seeded(12));

  for (const double bound : {0.5, 1.0, 2.0, 3.0, 4.0, 4.5}) {
    const double chance = std::erfc(bound / std::numbers::sqrt2) / 2;
    const double error = 5.0 * std::sqrt(count * chance * (1.0 - chance));
    const auto above = std::ranges::count_if(x, [&](T element) { return static_cast<double>(element) > bound; });
    const auto below = std::ranges::count_if(x, [&](T element) { return static_cast<double>(element) < -bound; });
    EXPECT_NEAR(static_cast<double>(above), count * chance, error) << bound;
    EXPECT_NEAR(static_cast<double>(below), count * chance, error) << bound;
  }
}

TYPED_TEST(NormalOf, IsIndependentOfItsNeighboursAndOfUniform) {
  using T = TypeParam;
  constexpr double count = 1 << 18;
  const auto x = numbers<T>({1 << 18}, seeded(13));
  HostArray uniform(dtype_of<T>, {1 << 18});
  call(uniform_kernel(), {&uniform}, {{"seed", std::int64_t{13}}, {"low", -1.0}});
  const auto u = uniform.as<T>();

  std::array<double, 4> neighbours{};
  std::array<double, 2> others{};
  for (std::size_t i = 0; i + 4 < x.size(); ++i) {
    for (std::size_t k = 0; k < 4; ++k) neighbours[k] += static_cast<double>(x[i]) * static_cast<double>(x[i + k + 1]);
    for (std::size_t k = 0; k < 2; ++k) others[k] += static_cast<double>(x[i]) * static_cast<double>(u[i + k]);
  }

  for (const double sum : neighbours) EXPECT_NEAR(sum / count, 0.0, 5.0 / std::sqrt(count));
  for (const double sum : others) EXPECT_NEAR(sum / count, 0.0, 5.0 / std::sqrt(3.0 * count));
}

TYPED_TEST(NormalOf, MovesAndStretches) {
  using T = TypeParam;
  const auto standard = numbers<T>({200}, seeded(3));

  const auto x = numbers<T>({200}, seeded(3, 5.0, 0.25));
  const auto constant = numbers<T>({200}, seeded(3, -7.0, 0.0));

  for (std::size_t i = 0; i < x.size(); ++i) {
    ASSERT_NEAR(static_cast<double>(x[i]), 5.0 + 0.25 * static_cast<double>(standard[i]),
                10.0 * std::numeric_limits<T>::epsilon());
  }
  EXPECT_THAT(constant, testing::Each(T{-7}));
}

TEST(NormalPair, LogarithmIsWithinAUnit) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200'000; ++i) {
    const double u = std::ldexp(static_cast<double>((random() >> 11) | 1), -53);
    const double small = std::ldexp(u, -static_cast<int>(random() % 52));
    for (const double x : {u, small}) {
      ASSERT_LE(units(log_of(x), std::log(static_cast<long double>(x))), 1.0L) << x;
    }
  }
  EXPECT_EQ(log_of(1.0), 0.0);
  EXPECT_LE(units(log_of(0x1p-53), std::log(0x1p-53L)), 1.0L);
  EXPECT_LE(units(log_of(1.0 - 0x1p-53), std::log(1.0L - 0x1p-53L)), 1.0L);
}

TEST(NormalPair, SineAndCosineAreWithinAUnit) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> octant(-std::numbers::pi / 4, std::numbers::pi / 4);
  for (int i = 0; i < 200'000; ++i) {
    const double x = octant(random);

    const SineAndCosine got = octant_of(x);

    ASSERT_LE(units(got.sine, std::sin(static_cast<long double>(x))), 1.0L) << x;
    ASSERT_LE(units(got.cosine, std::cos(static_cast<long double>(x))), 1.0L) << x;
  }
}

TEST(NormalPair, TurnsByQuarters) {
  for (std::uint64_t quarter = 0; quarter < 4; ++quarter) {
    const long double angle = static_cast<long double>(quarter) * std::numbers::pi_v<long double> / 2 + 0.3L;

    const SineAndCosine got = turned(quarter, 0.3);

    EXPECT_NEAR(got.sine, static_cast<double>(std::sin(angle)), 1e-15);
    EXPECT_NEAR(got.cosine, static_cast<double>(std::cos(angle)), 1e-15);
  }
}

/// The bits are part of the contract, on every processor and by every compiler.
TEST(Normal, MakesTheSameBitsEverywhere) {
  const auto hash = [](const auto& x) {
    return hash_of({reinterpret_cast<const char*>(x.data()), x.size() * sizeof(x[0])});
  };

  EXPECT_EQ(hash(numbers<float>({100'003}, seeded(7, 0.5, 3.0))), 0xb88eb6925513ded9U);
  EXPECT_EQ(hash(numbers<double>({100'003}, seeded(7, 0.5, 3.0))), 0xc2121008a157ca1aU);
}

TEST(Normal, RefusesWhatIsNoDistribution) {
  HostArray x(DType::f32, {2});
  HostArray whole(DType::i32, {2});

  EXPECT_EQ(error_of([&] { call(normal_kernel(), {&x}, seeded(1, 0.0, -1.0)); }),
            "normal: deviation is -1, but needs to be 0 or more");
  EXPECT_EQ(error_of([&] { call(normal_kernel(), {&x}, seeded(1, 0.0, static_cast<double>(NAN))); }),
            "normal: deviation is nan, but needs to be 0 or more");
  EXPECT_EQ(error_of([&] { call(normal_kernel(), {&x}, seeded(1, static_cast<double>(NAN))); }),
            "normal: mean is nan and deviation is 1, but the numbers would not be in the range of f32");
  EXPECT_EQ(error_of([&] { call(normal_kernel(), {&x}, seeded(1, 0.0, 1e38)); }),
            "normal: mean is 0 and deviation is 1e+38, but the numbers would not be in the range of f32");
  EXPECT_EQ(error_of([&] { call(normal_kernel(), {&whole}, seeded(1)); }),
            "normal: x is [2] i32, but needs to be f32 or f64");
}

}  // namespace
}  // namespace penstock::kernels
