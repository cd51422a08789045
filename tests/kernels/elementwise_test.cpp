#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <type_traits>
#include <vector>

#include "kernel_call.hpp"
#include "kernels/builtin.hpp"
#include "random_values.hpp"

namespace penstock::kernels {
namespace {

using testing::Each;
using testing::ElementsAre;

constexpr std::int32_t int_max = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t int_min = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t long_max = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t long_min = std::numeric_limits<std::int64_t>::min();

template <class T>
class Elementwise : public testing::Test {};
using ElementTypes = testing::Types<float, double, std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(Elementwise, ElementTypes);

TYPED_TEST(Elementwise, AddsByElement) {
  using T = TypeParam;
  HostArray a = HostArray::of<T>({2, 2}, {1, 2, 3, 4});
  HostArray b = HostArray::of<T>({2, 2}, {10, 20, 30, -40});
  HostArray c(dtype_of<T>, {2, 2});

  call(add_kernel(), {&a, &b, &c});

  EXPECT_THAT(c.values<T>(), ElementsAre(T{11}, T{22}, T{33}, T{-36}));
}

TYPED_TEST(Elementwise, IncrementsByOneUnlessToldOtherwise) {
  using T = TypeParam;
  HostArray x = HostArray::of<T>({3}, {1, 2, 3});

  call(increment_kernel(), {&x});
  call(increment_kernel(), {&x}, {{"by", -5.0}});

  EXPECT_THAT(x.values<T>(), ElementsAre(T{-3}, T{-2}, T{-1}));
}

TYPED_TEST(Elementwise, FillsWithOneValue) {
  using T = TypeParam;
  HostArray x(dtype_of<T>, {5, 3});

  call(fill_kernel(), {&x}, {{"value", std::int64_t{-7}}});

  EXPECT_THAT(x.values<T>(), Each(T{-7}));
}

TYPED_TEST(Elementwise, CountsInRowMajorOrderInAnyNumberOfPanels) {
  using T = TypeParam;
  std::vector<T> expected(1001);
  std::iota(expected.begin(), expected.end(), T{0});
  for (int panels = 1; panels <= 20; ++panels) {
    HostArray x(dtype_of<T>, {7, 143});

    call(iota_kernel(), {&x}, {}, panels);

    ASSERT_EQ(x.values<T>(), expected) << panels << " panels";
  }
}

TYPED_TEST(Elementwise, TouchesEachElementOnceInAnyNumberOfPanels) {
  using T = TypeParam;
  for (int panels = 1; panels <= 20; ++panels) {
    HostArray x(dtype_of<T>, {1000});
    HostArray sum(dtype_of<T>, {1000});

    call(fill_kernel(), {&x}, {{"value", 1.0}}, panels);
    call(increment_kernel(), {&x}, {{"by", 2.0}}, panels);
    call(add_kernel(), {&x, &x, &sum}, {}, panels);

    ASSERT_THAT(sum.values<T>(), Each(T{6})) << panels << " panels";
  }
}

TYPED_TEST(Elementwise, TakesScalarsAndEmptyArrays) {
  using T = TypeParam;
  HostArray scalar(dtype_of<T>, {});
  HostArray empty(dtype_of<T>, {3, 0});

  call(fill_kernel(), {&scalar}, {{"value", 4.0}}, 3);
  call(fill_kernel(), {&empty}, {{"value", 4.0}}, 3);
  call(add_kernel(), {&empty, &empty, &empty}, {}, 2);

  EXPECT_THAT(scalar.values<T>(), ElementsAre(T{4}));
}

TEST(Add, WrapsIntegersAround) {
  HostArray a = HostArray::of<std::int32_t>({2}, {int_max, int_min});
  HostArray b = HostArray::of<std::int32_t>({2}, {1, -1});
  HostArray wide_a = HostArray::of<std::int64_t>({2}, {long_max, long_min});
  HostArray wide_b = HostArray::of<std::int64_t>({2}, {1, -1});

  call(add_kernel(), {&a, &b, &a});
  call(add_kernel(), {&wide_a, &wide_b, &wide_a});

  EXPECT_THAT(a.values<std::int32_t>(), ElementsAre(int_min, int_max));
  EXPECT_THAT(wide_a.values<std::int64_t>(), ElementsAre(long_min, long_max));
}

TEST(Increment, WrapsIntegersAround) {
  HostArray x = HostArray::of<std::int32_t>({2}, {int_max, 0});

  call(increment_kernel(), {&x}, {{"by", 2147483647.0}});

  EXPECT_THAT(x.values<std::int32_t>(), ElementsAre(-2, int_max));
}

TEST(Increment, TakesFractionsForReals) {
  HostArray x = HostArray::of<float>({2}, {1.0F, -1.0F});

  call(increment_kernel(), {&x}, {{"by", 0.25}});

  EXPECT_THAT(x.values<float>(), ElementsAre(1.25F, -0.75F));
}

TEST(Fill, TakesWhatIsNoNumberForReals) {
  HostArray x(DType::f32, {2});

  call(fill_kernel(), {&x}, {{"value", static_cast<double>(NAN)}});

  EXPECT_THAT(x.values<float>(), Each(testing::IsNan()));
}

/// left * right + addend in wider arithmetic, then wrapped or rounded as a kernel does.
template <class T>
T expected_sum(T addend, T left, T right) {
  if constexpr (std::is_integral_v<T>) {
    const auto wide = [](T value) { return static_cast<std::uint64_t>(static_cast<std::int64_t>(value)); };
    return static_cast<T>(wide(addend) + wide(left) * wide(right));
  } else {
    // Each step is rounded: a product of two T is exact in long double, or differs from T's in no way that shows here.
    const T product = static_cast<T>(static_cast<long double>(left) * static_cast<long double>(right));
    return static_cast<T>(static_cast<long double>(addend) + static_cast<long double>(product));
  }
}

TYPED_TEST(Elementwise, MultipliesByElementInAnyNumberOfPanels) {
  using T = TypeParam;
  std::mt19937_64 random(1);
  HostArray a = random_array<T>({3, 333}, random);
  HostArray b = random_array<T>({3, 333}, random);
  for (int panels = 1; panels <= 17; ++panels) {
    HostArray c(dtype_of<T>, {3, 333});

    call(mul_kernel(), {&a, &b, &c}, {}, panels);

    for (std::size_t i = 0; i < 999; ++i) {
      ASSERT_EQ(c.as<T>()[i], expected_sum(T{0}, a.as<T>()[i], b.as<T>()[i])) << panels << " panels, element " << i;
    }
  }
}

TYPED_TEST(Elementwise, AddsAMultipleInAnyNumberOfPanels) {
  using T = TypeParam;
  std::mt19937_64 random(2);
  const double alpha = std::is_integral_v<T> ? -2000000007.0 : -0.7;
  HostArray x = random_array<T>({999}, random);
  HostArray y = random_array<T>({999}, random);
  for (int panels = 1; panels <= 17; ++panels) {
    HostArray result = y;

    call(axpy_kernel(), {&x, &result}, {{"alpha", alpha}}, panels);

    for (std::size_t i = 0; i < 999; ++i) {
      ASSERT_EQ(result.as<T>()[i], expected_sum(y.as<T>()[i], static_cast<T>(alpha), x.as<T>()[i]))
          << panels << " panels, element " << i;
    }
  }
}

TYPED_TEST(Elementwise, ScalesInAnyNumberOfPanels) {
  using T = TypeParam;
  std::mt19937_64 random(3);
  const double by = std::is_integral_v<T> ? -65537.0 : 0.3;
  HostArray x = random_array<T>({31, 31}, random);
  for (int panels = 1; panels <= 17; ++panels) {
    HostArray result = x;

    call(scale_kernel(), {&result}, {{"by", by}}, panels);

    for (std::size_t i = 0; i < 961; ++i) {
      ASSERT_EQ(result.as<T>()[i], expected_sum(T{0}, x.as<T>()[i], static_cast<T>(by))) << panels << " panels";
    }
  }
}

TYPED_TEST(Elementwise, CopiesInAnyNumberOfPanels) {
  using T = TypeParam;
  std::mt19937_64 random(4);
  HostArray x = random_array<T>({5, 7, 29}, random);
  for (int panels = 1; panels <= 17; ++panels) {
    HostArray y(dtype_of<T>, {5, 7, 29});

    call(copy_kernel(), {&x, &y}, {}, panels);

    ASSERT_EQ(y.values<T>(), x.values<T>()) << panels << " panels";
  }
}

TYPED_TEST(Elementwise, RectifiesAndItsGradientInAnyNumberOfPanels) {
  using T = TypeParam;
  std::mt19937_64 random(5);
  HostArray x = random_array<T>({999}, random);
  x.as<T>()[7] = T{0};
  HostArray dy = random_array<T>({999}, random);
  for (int panels = 1; panels <= 17; ++panels) {
    HostArray y(dtype_of<T>, {999});
    HostArray dx(dtype_of<T>, {999});

    call(relu_kernel(), {&x, &y}, {}, panels);
    call(relu_gradient_kernel(), {&x, &dy, &dx}, {}, panels);

    for (std::size_t i = 0; i < 999; ++i) {
      const bool is_positive = x.as<T>()[i] > T{0};
      ASSERT_EQ(y.as<T>()[i], is_positive ? x.as<T>()[i] : T{0}) << panels << " panels, element " << i;
      ASSERT_EQ(dx.as<T>()[i], is_positive ? dy.as<T>()[i] : T{0}) << panels << " panels, element " << i;
    }
  }
}

TEST(Relu, KeepsWhatIsNoNumberAndHasNoGradientThere) {
  HostArray x = HostArray::of<double>({3}, {static_cast<double>(NAN), -INFINITY, INFINITY});
  HostArray dy = HostArray::of<double>({3}, {1, 2, 3});
  HostArray y(DType::f64, {3});
  HostArray dx(DType::f64, {3});

  call(relu_kernel(), {&x, &y});
  call(relu_gradient_kernel(), {&x, &dy, &dx});

  EXPECT_THAT(y.values<double>(), ElementsAre(testing::IsNan(), 0.0, static_cast<double>(INFINITY)));
  EXPECT_THAT(dx.values<double>(), ElementsAre(0.0, 0.0, 3.0));
}

TEST(ElementwiseChecks, NameTheArrayThatDiffers) {
  HostArray x(DType::f32, {3});
  HostArray other_shape(DType::f32, {4});
  HostArray other_dtype(DType::i32, {3});

  EXPECT_EQ(error_of([&] {
              call(mul_kernel(), {&x, &x, &other_shape});
            }),
            "mul: c is [4] f32, but a is [3] f32: shapes and dtypes need to be equal");
  EXPECT_EQ(error_of([&] {
              call(copy_kernel(), {&x, &other_dtype});
            }),
            "copy: y is [3] i32, but x is [3] f32: shapes and dtypes need to be equal");
  EXPECT_EQ(error_of([&] {
              call(axpy_kernel(), {&x, &other_shape});
            }),
            "axpy: y is [4] f32, but x is [3] f32: shapes and dtypes need to be equal");
  EXPECT_EQ(error_of([&] {
              call(relu_kernel(), {&x, &other_shape});
            }),
            "relu: y is [4] f32, but x is [3] f32: shapes and dtypes need to be equal");
  EXPECT_EQ(error_of([&] {
              call(relu_gradient_kernel(), {&x, &other_dtype, &x});
            }),
            "relu_gradient: dy is [3] i32, but x is [3] f32: shapes and dtypes need to be equal");
}

TEST(ElementwiseChecks, WantWholeFactorsForIntegers) {
  HostArray x(DType::i32, {3});

  EXPECT_EQ(error_of([&] {
              call(scale_kernel(), {&x}, {{"by", 0.5}});
            }),
            "scale: by is 0.5, but x is [3] i32: by needs to be a whole number in its range");
  EXPECT_EQ(error_of([&] {
              call(axpy_kernel(), {&x, &x}, {{"alpha", 3e9}});
            }),
            "axpy: alpha is 3e+09, but x is [3] i32: alpha needs to be a whole number in its range");
}

}  // namespace
}  // namespace penstock::kernels
