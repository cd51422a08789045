#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "kernel_call.hpp"
#include "kernels/builtin.hpp"

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

}  // namespace
}  // namespace penstock::kernels
