#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "kernel_call.hpp"
#include "kernels/builtin.hpp"
#include "random_values.hpp"

namespace penstock::kernels {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

template <class T>
T one_of(const KernelDescription& kernel, HostArray& x) {
  HostArray s(dtype_of<T>, {});
  call(kernel, {&x, &s});
  return s.as<T>()[0];
}

const std::vector<std::int64_t> counts{0, 1, 2, 15, 16, 17, 100, 1023, 1024, 1025, 2048, 3000, 5000, 100'003};

template <class T>
class Reduce : public testing::Test {};
using ElementTypes = testing::Types<float, double, std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(Reduce, ElementTypes);

/// The bound of pairwise summation, with the depth of the tree: leaves of 1024 in 16 lanes, then halves.
template <class T>
long double sum_bound(const std::vector<T>& x) {
  long double magnitude = 0;
  for (const T element : x) magnitude += std::abs(static_cast<long double>(element));
  const auto depth = 1024 / 16 + 4 + std::ceil(std::log2(static_cast<double>(x.size()) / 1024 + 1));
  return depth * std::numeric_limits<T>::epsilon() * magnitude;
}

TYPED_TEST(Reduce, SumsEverything) {
  using T = TypeParam;
  std::mt19937_64 random(1);
  for (const std::int64_t count : counts) {
    HostArray x = random_array<T>({count}, random);

    const T sum = one_of<T>(sum_kernel(), x);

    const auto values = x.template values<T>();
    if constexpr (std::is_integral_v<T>) {
      std::uint64_t wrapped = 0;
      for (const T value : values) wrapped += static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
      EXPECT_EQ(sum, static_cast<T>(wrapped)) << count;
    } else {
      long double exact = 0;
      for (const T value : values) exact += static_cast<long double>(value);
      EXPECT_LE(std::abs(static_cast<long double>(sum) - exact), sum_bound(values)) << count;
    }
  }
}

TYPED_TEST(Reduce, FindsTheGreatestWhereverItIs) {
  using T = TypeParam;
  for (const std::int64_t count : {1, 5, 16, 17, 100, 1000}) {
    for (std::int64_t place = 0; place < count; ++place) {
      HostArray x(dtype_of<T>, {count});
      std::ranges::fill(x.as<T>(), std::numeric_limits<T>::lowest());
      x.as<T>()[static_cast<std::size_t>(place)] = T{-3};

      ASSERT_EQ(one_of<T>(max_kernel(), x), T{-3}) << "element " << place << " of " << count;
    }
  }
}

template <class T>
class ReduceReals : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(ReduceReals, Reals);

TYPED_TEST(ReduceReals, NoNumberIsGreatest) {
  using T = TypeParam;
  for (std::size_t place = 0; place < 50; ++place) {
    HostArray x(dtype_of<T>, {50});
    x.as<T>()[0] = static_cast<T>(inf);
    x.as<T>()[place] = static_cast<T>(nan);

    ASSERT_TRUE(std::isnan(one_of<T>(max_kernel(), x))) << "element " << place;
  }
}

TYPED_TEST(ReduceReals, NormIsTheRootOfTheSquares) {
  using T = TypeParam;
  std::mt19937_64 random(2);
  for (const std::int64_t count : counts) {
    HostArray x = random_array<T>({count}, random);
    long double squares = 0;
    for (const T value : x.template values<T>()) squares += static_cast<long double>(value) * value;

    const T norm = one_of<T>(norm2_kernel(), x);

    const long double exact = std::sqrt(squares);
    EXPECT_LE(std::abs(static_cast<long double>(norm) - exact), 64 * std::numeric_limits<T>::epsilon() * exact)
        << count;
  }
}

TYPED_TEST(ReduceReals, NormNeitherOverflowsNorUnderflows) {
  using T = TypeParam;
  HostArray large(dtype_of<T>, {4});
  std::ranges::fill(large.as<T>(), std::numeric_limits<T>::max() / 4);
  HostArray small(dtype_of<T>, {4});
  std::ranges::fill(small.as<T>(), std::numeric_limits<T>::min());

  EXPECT_NEAR(one_of<T>(norm2_kernel(), large) / (std::numeric_limits<T>::max() / 2), T{1}, static_cast<T>(1e-6));
  EXPECT_NEAR(one_of<T>(norm2_kernel(), small) / (std::numeric_limits<T>::min() * 2), T{1}, static_cast<T>(1e-6));
}

TYPED_TEST(ReduceReals, WhatIsNoNumberOrInfiniteShowsInSumAndNorm) {
  using T = TypeParam;
  HostArray x(dtype_of<T>, {100});
  x.as<T>()[70] = static_cast<T>(nan);
  HostArray y(dtype_of<T>, {100});
  y.as<T>()[70] = static_cast<T>(-inf);

  EXPECT_TRUE(std::isnan(one_of<T>(sum_kernel(), x)));
  EXPECT_TRUE(std::isnan(one_of<T>(norm2_kernel(), x)));
  EXPECT_EQ(one_of<T>(sum_kernel(), y), static_cast<T>(-inf));
  EXPECT_EQ(one_of<T>(norm2_kernel(), y), static_cast<T>(inf));
}

/// More than one stretch that BLAS is given at once.
TEST(Norm, CountsMoreElementsThanOneStretch) {
  HostArray x(DType::f32, {(std::int64_t{1} << 24) + 9});
  std::ranges::fill(x.as<float>(), 0.0F);
  x.as<float>().front() = 3.0F;
  x.as<float>().back() = 4.0F;

  EXPECT_EQ(one_of<float>(norm2_kernel(), x), 5.0F);
}

/// The order is part of the contract: results of another build may be compared bit for bit.
TEST(Sum, HasAFixedOrder) {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 20; ++trial) {
    HostArray x = random_array<float>({5000}, random);
    const auto leaf = [&](std::size_t begin, std::size_t end) {
      float lane[16] = {};
      for (std::size_t i = begin; i < end; ++i) lane[(i - begin) % 16] += x.as<float>()[i];
      for (const std::size_t width : {8U, 4U, 2U, 1U}) {
        for (std::size_t l = 0; l < width; ++l) lane[l] += lane[l + width];
      }
      return lane[0];
    };

    const float sum = one_of<float>(sum_kernel(), x);

    const float four = (leaf(0, 1024) + leaf(1024, 2048)) + (leaf(2048, 3072) + leaf(3072, 4096));
    ASSERT_EQ(sum, four + leaf(4096, 5000)) << "trial " << trial;
  }
}

TEST(ReduceChecks, WantOneElementOfTheSameDtype) {
  HostArray x(DType::f32, {3});
  HostArray two(DType::f32, {2});
  HostArray matrix(DType::f32, {1, 1});
  HostArray wide(DType::f64, {});
  HostArray one(DType::f32, {1});

  EXPECT_EQ(error_of([&] {
              call(sum_kernel(), {&x, &two});
            }),
            "sum: s is [2] f32, but needs to be one element ([] or [1]) of f32, as x is");
  EXPECT_EQ(error_of([&] {
              call(max_kernel(), {&x, &matrix});
            }),
            "max: s is [1, 1] f32, but needs to be one element ([] or [1]) of f32, as x is");
  EXPECT_EQ(error_of([&] {
              call(norm2_kernel(), {&x, &wide});
            }),
            "norm2: s is [] f64, but needs to be one element ([] or [1]) of f32, as x is");
  EXPECT_EQ(error_of([&] { call(sum_kernel(), {&x, &one}); }), "");
}

TEST(ReduceChecks, NothingHasNoGreatest) {
  HostArray x(DType::i64, {3, 0});
  HostArray s(DType::i64, {});

  EXPECT_EQ(error_of([&] {
              call(max_kernel(), {&x, &s});
            }),
            "max: x is [3, 0] i64, but no elements have no greatest one");
}

}  // namespace
}  // namespace penstock::kernels
