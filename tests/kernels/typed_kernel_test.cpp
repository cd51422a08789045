#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include <penstock/typed_kernel.hpp>

#include "kernel_call.hpp"
#include "kernels/table.hpp"

namespace penstock::kernels {
namespace {

using testing::ElementsAre;

const auto axpy = kernel("test.axpy", [](In<float> x, InOut<float> y, float alpha, bool negate) {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += (negate ? -alpha : alpha) * x[i];
});

void describe(const std::string& prefix, std::int32_t count, Out<std::int64_t> out) {
  out[0] = static_cast<std::int64_t>(prefix.size()) + count;
  out[1] = out.shape()[0];
}
const auto describing = kernel("test.describe", describe);

const auto told = kernel(
    "test.told",
    [](In<float> x, std::int32_t times, InOut<double> y, double factor, const std::string& label) {
      y[0] = static_cast<double>(x[0]) * times * factor + static_cast<double>(label.size());
    },
    {.summary = "y = x * times * factor.",
     .arguments = {"x", {"times", "how often"}, "y", {"factor", "of x", 3}, {"label", "its length is added", "ab"}},
     .check =
         [](const Shape& x, std::int32_t times, const Shape& y, double, const std::string& label) {
           if (x == y) return std::string();
           return "x and y differ, times is " + std::to_string(times) + ", label is " + label;
         },
     .flops = [](auto x, auto times, auto, auto, auto) { return times * x[0]; },
     .bytes = [](auto, auto, auto y, auto factor, auto) { return factor * static_cast<double>(y[0]); }});

const auto either =
    kernel("test.either", [](In<float>, std::int32_t, Out<float> y) { y[0] = 1; },
           {.cuda = [](const CudaContext& gpu, In<float> x, std::int32_t by,
                       Out<float> y) { y[0] = x[0] + static_cast<float>(by) + static_cast<float>(gpu.scratch_bytes); },
            .summary = "y = x + by, or so."});
const auto gpu_only = kernel("test.gpu_only", [](const CudaContext& gpu, Out<float> y, double by) {
  y[0] = static_cast<float>(by) + static_cast<float>(gpu.scratch_bytes);
});

const KernelDescription& registered(const KernelName& name) {
  const KernelTable& table = KernelTable::process();
  return table[table.at(name.name())];
}

TEST(TypedKernel, IsInTheTableWithTheTypesOfItsBody) {
  const KernelTable& table = KernelTable::process();

  EXPECT_EQ(table.signatures()[table.at("test.axpy").value()],
            "test.axpy(read argument 1 f32, read_write argument 2 f32; parameter 1 real, parameter 2 boolean)");
  EXPECT_EQ(table.signatures()[table.at("test.describe").value()],
            "test.describe(write argument 1 i64; parameter 1 text, parameter 2 integer)");
}

TEST(TypedKernel, HasTheNamesDefaultsAndMeaningsThatItIsGiven) {
  const KernelTable& table = KernelTable::process();
  const KernelDescription& kernel = registered(told);

  EXPECT_EQ(table.signatures()[table.at("test.told").value()],
            "test.told(read x f32, read_write y f64; times integer, factor real = 3, label text = \"ab\")");
  EXPECT_EQ(kernel.summary, "y = x * times * factor.");
  EXPECT_EQ(kernel.parameters[0].meaning, "how often");
  EXPECT_EQ(kernel.parameters[1].meaning, "of x");
}

TEST(TypedKernel, SeesShapesAndParametersInItsCheckAndCounts) {
  const KernelDescription& kernel = registered(told);
  const std::vector<TaskAccess> equal{{AccessMode::read, {DType::f32, {7}}},
                                      {AccessMode::read_write, {DType::f64, {7}}}};
  const std::vector<TaskAccess> unequal{{AccessMode::read, {DType::f32, {7}}},
                                        {AccessMode::read_write, {DType::f64, {5}}}};
  const std::vector<Parameter> parameters{std::int64_t{4}, 0.5, std::string("c")};

  EXPECT_EQ(kernel.check(equal, parameters), "");
  EXPECT_EQ(kernel.check(unequal, parameters), "x and y differ, times is 4, label is c");
  EXPECT_EQ(kernel.flops(equal, parameters), 28.0);
  EXPECT_EQ(kernel.bytes(unequal, parameters), 2.5);
  EXPECT_FALSE(registered(axpy).check);
  EXPECT_FALSE(registered(axpy).flops);
}

TEST(TypedKernel, TakesItsDefaultsByName) {
  HostArray x = HostArray::of<float>({1}, {5});
  HostArray y(DType::f64, {1});

  call(registered(told), {&x, &y}, {{"times", std::int64_t{2}}});

  EXPECT_THAT(y.values<double>(), ElementsAre(5.0 * 2 * 3 + 2));
}

TEST(TypedKernel, RefusesADefaultOfAnArray) {
  EXPECT_EQ(error_of([] {
              static_cast<void>(kernel("test.odd", [](In<float>) {}, {.arguments = {{"x", "what it is", 1.0}}}));
            }),
            "cannot describe kernel \"test.odd\": x is an array, which has neither meaning nor default");
}

TEST(TypedKernel, CallsItsBodyWithArraysAndParameters) {
  HostArray x = HostArray::of<float>({3}, {1, 2, 3});
  HostArray y = HostArray::of<float>({3}, {10, 20, 30});

  call(registered(axpy), {&x, &y}, {{"parameter 1", 2.0}, {"parameter 2", true}});

  EXPECT_THAT(y.values<float>(), ElementsAre(8.0F, 16.0F, 24.0F));
}

TEST(TypedKernel, PassesTextIntegersAndShapesToAFunction) {
  HostArray out(DType::i64, {2});

  call(registered(describing), {&out}, {{"parameter 1", "four"}, {"parameter 2", std::int64_t{38}}});

  EXPECT_THAT(out.values<std::int64_t>(), ElementsAre(42, 2));
}

/// The body for GPUs, with host memory.
float called_as_on_a_gpu(const KernelDescription& kernel, std::vector<HostArray*> arrays, const Parameter& by) {
  std::vector<ArrayView> views;
  for (HostArray* const array : arrays) views.push_back(array->view());
  kernel.cuda({.arrays = views, .parameters = std::span(&by, 1), .scratch_bytes = 100});
  return arrays.back()->values<float>()[0];
}

TEST(TypedKernel, CallsItsBodyForGpusWithTheSameArgumentsAndTheContext) {
  HostArray x = HostArray::of<float>({1}, {5});
  HostArray y(DType::f32, {1});

  EXPECT_TRUE(registered(either).cpu);
  EXPECT_EQ(called_as_on_a_gpu(registered(either), {&x, &y}, std::int64_t{20}), 125.0F);
  EXPECT_EQ(registered(either).summary, "y = x + by, or so.");
  EXPECT_FALSE(registered(axpy).cuda);
}

TEST(TypedKernel, IsForGpusOnlyWhereItsBodyTakesTheContext) {
  HostArray y(DType::f32, {1});

  EXPECT_FALSE(registered(gpu_only).cpu);
  EXPECT_EQ(called_as_on_a_gpu(registered(gpu_only), {&y}, 7.0), 107.0F);
  EXPECT_EQ(KernelTable::process().signatures()[KernelTable::process().at("test.gpu_only").value()],
            "test.gpu_only(write argument 1 f32; parameter 1 real)");
  EXPECT_EQ(error_of([] {
              static_cast<void>(kernel("test.two", [](const CudaContext&, In<float>) {},
                                       {.cuda = [](const CudaContext&, In<float>) {}}));
            }),
            "cannot describe kernel \"test.two\": it has two bodies for GPUs");
}

TEST(TypedKernel, TakesItsParametersByPosition) {
  const std::vector<Parameter> values{2.0, false};
  std::vector<Parameter> out;

  resolve_parameters(registered(axpy), {}, values, out);

  EXPECT_EQ(out, values);
}

TEST(TypedKernel, RefusesArraysOfAnotherDtype) {
  const std::vector<TaskAccess> accesses{{AccessMode::read, {DType::f64, {3}}},
                                         {AccessMode::read_write, {DType::f32, {3}}}};

  EXPECT_EQ(error_of([&] { check_accesses(registered(axpy), accesses, {}); }),
            "test.axpy: argument 1 is [3] f64, but needs to be f32");
}

}  // namespace
}  // namespace penstock::kernels
