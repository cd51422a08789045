#include "kernels/checked.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <penstock/typed_kernel.hpp>

#include "kernel_call.hpp"
#include "kernels/builtin.hpp"

namespace penstock::kernels {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

using I32 = std::int32_t;

KernelDescription watched(const KernelDescription& kernel) {
  const KernelDescription* const one = &kernel;
  return checked({&one, 1}).front();
}

/// What a call of the watched kernel throws; "": nothing.
std::string fault(const KernelDescription& kernel, std::initializer_list<HostArray*> arrays, int panels = 1) {
  return error_of([&] { call(watched(kernel), arrays, {}, panels); });
}

/// Leaves out the elements `from` to `to`, which it gives `value` when it is called once more.
template <class T>
KernelDescription writes_but(std::size_t from, std::size_t to) {
  return detail::describe_kernel("t.writes_but",
                                 [from, to](Out<T> out) {
                                   for (std::size_t i = 0; i < out.size(); ++i) {
                                     if (i < from || i >= to) out[i] = static_cast<T>(i);
                                   }
                                 },
                                 {.arguments = {"out"}});
}

TEST(Checked, LeavesKernelsThatKeepToTheirDeclarationAlone) {
  const KernelDescription add =
      detail::describe_kernel("t.add", [](In<double> x, InOut<double> sum, Out<double> before) {
        for (std::size_t i = 0; i < x.size(); ++i) before[i] = std::exchange(sum[i], sum[i] + x[i]);
      });
  HostArray x = HostArray::of<double>({2}, {1, 2});
  HostArray sum = HostArray::of<double>({2}, {10, 20});
  HostArray before(DType::f64, {2});

  EXPECT_EQ(fault(add, {&x, &sum, &before}), "");

  EXPECT_THAT(sum.values<double>(), ElementsAre(11, 22));
  EXPECT_THAT(before.values<double>(), ElementsAre(10, 20));
}

TEST(Checked, KeepsAllElseOfADescription) {
  const KernelDescription gemm = gemm_kernel();

  const KernelDescription same = watched(gemm);

  EXPECT_EQ(same.name, gemm.name);
  EXPECT_EQ(same.accesses.size(), gemm.accesses.size());
  EXPECT_EQ(same.allows_panels, gemm.allows_panels);
  EXPECT_TRUE(same.check && same.flops);
}

TEST(Checked, NamesWhatWasReadAndChangedAndKeepsTheData) {
  const KernelDescription spoil = detail::describe_kernel("t.spoil",
                                                          [](In<float> x, Out<float> out) {
                                                            auto* const data = const_cast<float*>(x.data());
                                                            data[4] = data[5] = -1;
                                                            for (float& value : out) value = 0;
                                                          },
                                                          {.arguments = {"x", "out"}});
  HostArray x = HostArray::of<float>({2, 3}, {0, 1, 2, 3, 4, 5});
  HostArray out(DType::f32, {1});

  EXPECT_EQ(fault(spoil, {&x, &out}),
            "the access of x is declared as read, but 2 of its 6 elements were changed, the first at [1, 1]");

  EXPECT_THAT(x.values<float>(), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(Checked, SeesTheSmallestChange) {
  const KernelDescription flip =
      detail::describe_kernel("t.flip", [](In<double> x) { const_cast<double&>(x[1]) = -0.0; }, {.arguments = {"x"}});
  HostArray x(DType::f64, {2});

  EXPECT_EQ(fault(flip, {&x}),
            "the access of x is declared as read, but 1 of its 2 elements were changed, the first at [1]");
}

template <class T>
class CheckedWrite : public ::testing::Test {};
using Types = ::testing::Types<float, double, I32, std::int64_t>;
TYPED_TEST_SUITE(CheckedWrite, Types);

TYPED_TEST(CheckedWrite, NamesWhatWasNeverWritten) {
  HostArray out(dtype_of<TypeParam>, {4, 5});

  EXPECT_EQ(fault(writes_but<TypeParam>(0, 0), {&out}), "");
  EXPECT_EQ(fault(writes_but<TypeParam>(19, 20), {&out}),
            "the access of out is declared as write, but 1 of its 20 elements were never written, the first at [3, 4]");
  EXPECT_EQ(fault(writes_but<TypeParam>(7, 9), {&out}),
            "the access of out is declared as write, but 2 of its 20 elements were never written, the first at [1, 2]");
  EXPECT_EQ(
      fault(writes_but<TypeParam>(0, 20), {&out}),
      "the access of out is declared as write, but 20 of its 20 elements were never written, the first at [0, 0]");
}

TYPED_TEST(CheckedWrite, TakesNoValueForAMissingOne) {
  std::vector<HostArray> seen;
  const auto look = detail::describe_kernel("t.look", [&seen](Out<TypeParam> out) {
    seen.emplace_back(dtype_of<TypeParam>, Shape{3});
    std::memcpy(seen.back().view().data, out.data(), out.size_bytes());
  });
  HostArray out(dtype_of<TypeParam>, {3});
  ASSERT_NE(fault(look, {&out}), "");
  ASSERT_EQ(seen.size(), 2U);

  for (HostArray& value : seen) {
    const auto copy = detail::describe_kernel(
        "t.copy", [](In<TypeParam> x, Out<TypeParam> y) { std::memcpy(y.data(), x.data(), x.size_bytes()); });
    EXPECT_EQ(fault(copy, {&value, &out}), "");
    EXPECT_EQ(std::memcmp(out.view().data, value.view().data, 3 * sizeof(TypeParam)), 0);
  }
}

TEST(Checked, GivesASecondRunTheSameInputs) {
  int runs = 0;
  const KernelDescription twice = detail::describe_kernel("t.twice", [&runs](InOut<I32> sum, Out<I32> out) {
    sum[0] += 5;
    if (++runs == 2) out[0] = sum[0];
  });
  HostArray sum = HostArray::of<I32>({1}, {1});
  HostArray out(DType::i32, {1});

  EXPECT_EQ(fault(twice, {&sum, &out}), "");

  EXPECT_EQ(runs, 2);
  EXPECT_EQ(sum.as<I32>()[0], 6);
  EXPECT_EQ(out.as<I32>()[0], 6);
}

TEST(Checked, SaysWhatTheFirstRunHasShownWhenTheSecondThrows) {
  int runs = 0;
  const KernelDescription once = detail::describe_kernel("t.once",
                                                         [&runs](Out<I32> /*out*/) {
                                                           if (++runs == 2)
                                                             throw std::runtime_error("there is such a file already");
                                                         },
                                                         {.arguments = {"out"}});
  HostArray out(DType::i32, {2});

  EXPECT_EQ(fault(once, {&out}),
            "the access of out is declared as write, but 2 of its 2 elements were never written, the first at [0]");
}

TEST(Checked, LetsTheBodysOwnFailureThrough) {
  const KernelDescription fail =
      detail::describe_kernel("t.fail", [](Out<I32> /*out*/) { throw Error(ErrorCode::invalid_argument, "its own"); });
  HostArray out(DType::i32, {2});

  EXPECT_EQ(fault(fail, {&out}), "its own");
}

TEST(Checked, WatchesPanelsForWhatTheyReadOnly) {
  KernelDescription halves = detail::describe_kernel("t.halves", [](In<I32> /*x*/, Out<I32> /*out*/) {});
  halves.allows_panels = true;
  halves.cpu = [](const TaskContext& task) {
    task.arrays[1].data[task.panel * 4] = std::byte{1};
    if (task.panel == 1 && task.parameters.empty()) task.arrays[0].data[4] = std::byte{1};
  };
  halves.accesses[0].name = "x";
  HostArray x(DType::i32, {2});
  HostArray out = HostArray::of<I32>({2}, {0, 0});

  EXPECT_EQ(fault(halves, {&x, &out}, 2),
            "the access of x is declared as read, but 1 of its 2 elements were changed, the first at [1]");

  EXPECT_THAT(x.values<I32>(), Each(0));
}

TEST(Checked, TakesEmptyArraysAndScalars) {
  HostArray empty(DType::f32, {0, 3});
  HostArray scalar(DType::f32, {});
  const KernelDescription none =
      detail::describe_kernel("t.none", [](In<float> /*x*/, Out<float> /*out*/) {}, {.arguments = {"x", "out"}});

  EXPECT_EQ(fault(none, {&empty, &empty}), "");
  EXPECT_EQ(fault(none, {&empty, &scalar}),
            "the access of out is declared as write, but 1 of its 1 elements were never written, the first at []");
}

TEST(Checked, FindsNoFaultInAReadWriteOrAWriteThatMayBeOne) {
  HostArray a = HostArray::of<double>({1, 1}, {3});
  HostArray c = HostArray::of<double>({1, 1}, {4});

  EXPECT_EQ(error_of([&] { call(watched(gemm_kernel()), {&a, &a, &c}, {{"beta", 1.0}}, 1, true); }), "");

  EXPECT_EQ(c.as<double>()[0], 13);
}

}  // namespace
}  // namespace penstock::kernels
