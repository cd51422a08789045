// What kernels say of their floating-point operations and bytes.
#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

#include "kernel_call.hpp"
#include "kernels/builtin.hpp"

namespace penstock::kernels {
namespace {

struct Costs {
  KernelDescription kernel;
  std::vector<TaskAccess> accesses;
  std::vector<Parameter> parameters;

  Costs(KernelDescription description, std::initializer_list<ArrayType> types, const Named& named = {})
      : kernel(std::move(description)) {
    for (const ArrayType& type : types) accesses.push_back({kernel.accesses.at(accesses.size()).mode, type});
    resolve_parameters(kernel, named, {}, parameters);
  }
  [[nodiscard]] double flops() const { return kernel.flops(accesses, parameters); }
  [[nodiscard]] double bytes() const { return kernel.bytes(accesses, parameters); }
};

constexpr DType f32 = DType::f32;
constexpr DType f64 = DType::f64;
constexpr DType i32 = DType::i32;

TEST(Flops, OfMatrixKernels) {
  EXPECT_EQ(Costs(gemm_kernel(), {{f32, {3, 5}}, {f32, {5, 7}}, {f32, {3, 7}}}).flops(), 2.0 * 3 * 5 * 7);
  EXPECT_EQ(Costs(gemm_kernel(), {{f32, {5, 3}}, {f32, {5, 7}}, {f32, {3, 7}}}, {{"transpose_a", true}}).flops(),
            2.0 * 3 * 5 * 7);
  EXPECT_EQ(Costs(potrf_kernel(), {{f64, {6, 6}}}).flops(), 72.0);
  EXPECT_EQ(Costs(trsm_kernel(), {{f64, {6, 6}}, {f64, {6, 5}}}).flops(), 6.0 * 6 * 5);
  EXPECT_EQ(Costs(trsm_kernel(), {{f64, {6, 6}}, {f64, {5, 6}}}, {{"side", std::string("right")}}).flops(),
            6.0 * 6 * 5);
  EXPECT_EQ(Costs(syrk_kernel(), {{f64, {6, 4}}, {f64, {6, 6}}}).flops(), 4.0 * 6 * 7);
  EXPECT_EQ(Costs(syrk_kernel(), {{f64, {4, 6}}, {f64, {6, 6}}}, {{"transpose", true}}).flops(), 4.0 * 6 * 7);
  EXPECT_EQ(Costs(add_diagonal_kernel(), {{f64, {6, 6}}}, {{"by", 1.0}}).flops(), 6.0);
}

TEST(Flops, OfElementWiseKernels) {
  const ArrayType x{f32, {10, 10}};

  EXPECT_EQ(Costs(add_kernel(), {x, x, x}).flops(), 100.0);
  EXPECT_EQ(Costs(axpy_kernel(), {x, x}).flops(), 200.0);
  EXPECT_EQ(Costs(norm2_kernel(), {x, {f32, {}}}).flops(), 200.0);
  EXPECT_EQ(Costs(sum_kernel(), {x, {f32, {}}}).flops(), 100.0);
}

TEST(Flops, AreNoneOfIntegers) {
  const ArrayType x{i32, {10}};

  EXPECT_EQ(Costs(add_kernel(), {x, x, x}).flops(), 0.0);
  EXPECT_EQ(Costs(add_diagonal_kernel(), {{i32, {6, 6}}}, {{"by", 1.0}}).flops(), 0.0);
}

TEST(Bytes, AreThoseOfOneTriangleWhereNoMoreIsTouched) {
  EXPECT_EQ(Costs(potrf_kernel(), {{f64, {6, 6}}}).bytes(), 2.0 * 21 * 8);
  EXPECT_EQ(Costs(trsm_kernel(), {{f64, {6, 6}}, {f64, {6, 5}}}).bytes(), 21.0 * 8 + 2.0 * 30 * 8);
  EXPECT_EQ(Costs(syrk_kernel(), {{f64, {6, 4}}, {f64, {6, 6}}}).bytes(), 24.0 * 8 + 36.0 * 8);
  EXPECT_EQ(Costs(syrk_kernel(), {{f64, {6, 4}}, {f64, {6, 6}}}, {{"beta", 1.0}}).bytes(), 24.0 * 8 + 2.0 * 21 * 8);
  EXPECT_EQ(Costs(add_diagonal_kernel(), {{f64, {6, 6}}}, {{"by", 1.0}}).bytes(), 2.0 * 6 * 8);
}

}  // namespace
}  // namespace penstock::kernels
