#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include <penstock/kernel.hpp>

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
