#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "kernels/builtin.hpp"
#include "kernels/kernel_call.hpp"

namespace penstock::kernels {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

template <class T>
std::vector<T> combined(const char* operation, std::initializer_list<T> into, std::initializer_list<T> from) {
  const Shape shape{static_cast<std::int64_t>(into.size())};
  HostArray x = HostArray::of<T>(shape, into);
  HostArray y = HostArray::of<T>(shape, from);
  call(combine_kernel(), {&x, &y}, {{"operation", std::string(operation)}});
  return x.values<T>();
}

template <class T>
T neutral(const char* operation) {
  HostArray x(dtype_of<T>, {3});
  call(neutral_kernel(), {&x}, {{"operation", std::string(operation)}});
  EXPECT_THAT(x.values<T>(), Each(x.values<T>()[0]));
  return x.values<T>()[0];
}

TEST(CombineKernel, CombinesByElement) {
  EXPECT_THAT(combined<float>("sum", {1.5F, -2.0F}, {2.0F, 0.5F}), ElementsAre(3.5F, -1.5F));
  EXPECT_THAT(combined<double>("product", {1.5, -2.0}, {2.0, 0.5}), ElementsAre(3.0, -1.0));
  EXPECT_THAT(combined<std::int32_t>("minimum", {3, -4}, {2, 7}), ElementsAre(2, -4));
  EXPECT_THAT(combined<std::int64_t>("maximum", {3, -4}, {2, 7}), ElementsAre(3, 7));
}

TEST(CombineKernel, WrapsIntegersAround) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT(combined<std::int64_t>("sum", {most}, {1}), ElementsAre(std::numeric_limits<std::int64_t>::min()));
  EXPECT_THAT(combined<std::int32_t>("product", {1 << 30}, {4}), ElementsAre(0));
}

TEST(CombineKernel, KeepsWhatIsNotANumberFromEitherSide) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  for (const char* const operation : {"sum", "product", "minimum", "maximum"}) {
    EXPECT_THAT(combined<double>(operation, {none, 1.0}, {1.0, none}), Each(testing::IsNan())) << operation;
  }
}

template <class T>
class NeutralKernel : public testing::Test {};
using Elements = testing::Types<float, double, std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(NeutralKernel, Elements);

TYPED_TEST(NeutralKernel, ChangesNothingWhenItIsCombined) {
  using Limits = std::numeric_limits<TypeParam>;
  std::vector<TypeParam> values{TypeParam{-7}, TypeParam{0}, TypeParam{5}, Limits::lowest(), Limits::max()};
  if (Limits::has_infinity) values.insert(values.end(), {Limits::infinity(), -Limits::infinity()});

  for (const char* const operation : {"sum", "product", "minimum", "maximum"}) {
    const TypeParam none = neutral<TypeParam>(operation);
    for (const TypeParam value : values) {
      EXPECT_THAT((combined<TypeParam>(operation, {value, none}, {none, value})), Each(value)) << operation;
    }
  }
}

TEST(CombineKernel, IsTheSameInPanels) {
  HostArray x(DType::f64, {1000});
  HostArray y(DType::f64, {1000});

  call(neutral_kernel(), {&x}, {{"operation", std::string("product")}}, 3);
  call(neutral_kernel(), {&y}, {{"operation", std::string("product")}}, 7);
  call(combine_kernel(), {&x, &y}, {{"operation", std::string("sum")}}, 5);

  EXPECT_THAT(x.values<double>(), Each(2.0));
}

TEST(CombineKernel, RefusesOtherOperationsAndOtherTypes) {
  HostArray x(DType::f64, {2});
  HostArray y(DType::f32, {2});

  EXPECT_THAT(error_of([&] {
                call(combine_kernel(), {&x, &x}, {{"operation", std::string("maximun")}});
              }),
              HasSubstr("did you mean maximum?"));
  EXPECT_THAT(error_of([&] {
                call(neutral_kernel(), {&x}, {{"operation", std::string("max")}});
              }),
              HasSubstr("operation is \"max\""));
  EXPECT_THAT(error_of([&] {
                call(combine_kernel(), {&x, &y}, {{"operation", std::string("sum")}});
              }),
              HasSubstr("from is [2] f32"));
}

}  // namespace
}  // namespace penstock::kernels
