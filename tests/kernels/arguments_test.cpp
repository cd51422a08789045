#include "kernels/arguments.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "kernel_call.hpp"
#include "kernels/builtin.hpp"

namespace penstock::kernels {
namespace {

using testing::ElementsAre;

KernelDescription mixed_kernel() {
  return {
      .name = "mixed",
      .summary = "",
      .accesses = {},
      .parameters = {{.name = "count", .type = ParameterType::integer, .default_value = std::nullopt, .meaning = ""},
                     {.name = "rate", .type = ParameterType::real, .default_value = 0.5, .meaning = ""},
                     {.name = "label", .type = ParameterType::text, .default_value = "none", .meaning = ""},
                     {.name = "loud", .type = ParameterType::boolean, .default_value = false, .meaning = ""}},
      .cpu = [](const TaskContext&) {},
      .check = {}};
}

std::vector<Parameter> resolve(const KernelDescription& kernel, const Named& named,
                               const std::vector<Parameter>& positional = {}) {
  std::vector<Parameter> out;
  resolve_parameters(kernel, named, positional, out);
  return out;
}

TEST(ResolveParameters, PutsNamedValuesInTheOrderOfTheDescription) {
  const auto values = resolve(mixed_kernel(), {{"loud", true}, {"label", "x"}, {"count", std::int64_t{3}}});

  EXPECT_THAT(values, ElementsAre(std::int64_t{3}, 0.5, std::string("x"), true));
}

TEST(ResolveParameters, TakesPositionalValuesFirst) {
  const auto values = resolve(mixed_kernel(), {{"loud", true}}, {std::int64_t{3}, 0.25});

  EXPECT_THAT(values, ElementsAre(std::int64_t{3}, 0.25, std::string("none"), true));
}

TEST(ResolveParameters, MakesAnIntegerARealWhereOneIsWanted) {
  const auto values = resolve(mixed_kernel(), {{"count", std::int64_t{3}}, {"rate", std::int64_t{2}}});

  EXPECT_EQ(values[1], Parameter(2.0));
}

TEST(ResolveParameters, ForgetsWhatTheListHeldBefore) {
  std::vector<Parameter> out{std::string("old"), true, true, true, true, true};

  resolve_parameters(mixed_kernel(), Named{{"count", std::int64_t{1}}}, {}, out);

  EXPECT_THAT(out, ElementsAre(std::int64_t{1}, 0.5, std::string("none"), false));
}

TEST(ResolveParameters, SaysInOneLineWhatDoesNotFit) {
  struct Case {
    Named named;
    std::vector<Parameter> positional;
    std::string message;
  };
  const Parameter three = std::int64_t{3};
  const std::vector<Case> cases{
      {{{"count", three}, {"rat", 0.5}}, {}, "mixed: there is no parameter \"rat\"; did you mean rate?"},
      {{{"velocity", 0.5}}, {}, "mixed: there is no parameter \"velocity\"; it takes count, rate, label, loud"},
      {{{"count", 3.0}}, {}, "mixed: count is of type integer, but 3 is of type real"},
      {{{"count", three}, {"loud", three}}, {}, "mixed: loud is of type boolean, but 3 is of type integer"},
      {{{"count", true}}, {}, "mixed: count is of type integer, but true is of type boolean"},
      {{{"count", three}, {"rate", true}}, {}, "mixed: rate is of type real, but true is of type boolean"},
      {{{"count", three}, {"rate", "a \"b\""}}, {}, R"(mixed: rate is of type real, but "a \"b\"" is of type text)"},
      {{{"count", three}, {"label", 0.5}}, {}, "mixed: label is of type text, but 0.5 is of type real"},
      {{}, {}, "mixed: count (integer) is missing"},
      {{{"count", three}, {"count", three}}, {}, "mixed: count is given twice"},
      {{{"count", three}}, {three}, "mixed: count is given twice"},
      {{}, {three, 0.5, "x", true, true}, "mixed: 5 parameters are given, but it takes 4"},
      {{}, {"x"}, "mixed: count is of type integer, but \"x\" is of type text"},
  };
  for (const Case& wrong : cases) {
    EXPECT_EQ(error_of([&] { (void)resolve(mixed_kernel(), wrong.named, wrong.positional); }), wrong.message);
  }
}

TEST(ResolveParameters, SaysThatAKernelTakesNone) {
  const std::string message = error_of([] { (void)resolve(add_kernel(), {{"alpha", 1.0}}); });

  EXPECT_EQ(message, "add: there is no parameter \"alpha\"; it takes none");
}

struct AccessCase {
  KernelDescription kernel;
  std::vector<TaskAccess> accesses;
  Named named;
  std::string message;  ///< after the kernel's name; empty: all fits
};

std::string fault_of(const AccessCase& task) {
  const auto parameters = resolve(task.kernel, task.named);
  return error_of([&] { check_accesses(task.kernel, task.accesses, parameters); });
}

void expect_faults(const std::vector<AccessCase>& cases) {
  for (const AccessCase& task : cases) {
    EXPECT_EQ(fault_of(task), task.message.empty() ? "" : task.kernel.name + ": " + task.message);
  }
}

TaskAccess reading(DType dtype, const Shape& shape) { return {AccessMode::read, {dtype, shape}}; }
TaskAccess writing(DType dtype, const Shape& shape) { return {AccessMode::write, {dtype, shape}}; }
TaskAccess updating(DType dtype, const Shape& shape) { return {AccessMode::read_write, {dtype, shape}}; }

TEST(CheckAccesses, LooksAtNumberModesAndDtypes) {
  constexpr DType f32 = DType::f32;
  const auto a = reading(f32, {2, 2});
  const auto c = writing(f32, {2, 2});
  expect_faults({
      {gemm_kernel(), {a, a, c}, {}, ""},
      {gemm_kernel(), {a, c}, {}, "2 arrays are given, but it takes 3 (a, b, c)"},
      {gemm_kernel(), {a, a, c, c}, {}, "4 arrays are given, but it takes 3 (a, b, c)"},
      {spin_kernel(), {a}, {{"microseconds", 1.0}}, "1 arrays are given, but it takes 0"},
      {gemm_kernel(), {a, c, c}, {}, "the access of b is write, but needs to be read"},
      {gemm_kernel(), {a, a, a}, {}, "the access of c is read, but needs to be write or read_write"},
      {add_kernel(), {a, a, updating(f32, {2, 2})}, {}, "the access of c is read_write, but needs to be write"},
      {increment_kernel(), {c}, {}, "the access of x is write, but needs to be read_write"},
      {increment_kernel(), {{AccessMode::commute, {f32, {2}}}}, {}, ""},
      {increment_kernel(), {{AccessMode::reduce, {f32, {2}}}}, {}, ""},
      {scale_kernel(), {a}, {{"by", 1.0}}, "the access of x is read, but needs to be read_write"},
      {add_kernel(),
       {a, a, {AccessMode::reduce, {f32, {2, 2}}}},
       {},
       "the access of c is reduce, but needs to be write"},
      {add_kernel(),
       {a, {AccessMode::commute, {f32, {2, 2}}}, c},
       {},
       "the access of b is commute, but needs to be read"},
      {gemm_kernel(), {a, reading(DType::i32, {2, 2}), c}, {}, "b is [2, 2] i32, but needs to be f32 or f64"},
  });
}

TEST(CheckAccesses, ChecksGemm) {
  constexpr DType f32 = DType::f32;
  constexpr DType f64 = DType::f64;
  const auto a = reading(f32, {2, 5});
  const auto b = reading(f32, {5, 3});
  const auto c = writing(f32, {2, 3});
  const Named both{{"transpose_a", true}, {"transpose_b", true}};
  const std::int64_t large = std::int64_t{1} << 31;
  expect_faults({
      {gemm_kernel(), {a, b, c}, {}, ""},
      {gemm_kernel(), {reading(f32, {5, 2}), reading(f32, {3, 5}), c}, both, ""},
      {gemm_kernel(), {a, b, updating(f32, {2, 3})}, {{"beta", 0.5}}, ""},
      {gemm_kernel(), {a, b, updating(f32, {2, 3})}, {}, ""},
      {gemm_kernel(), {a, reading(f32, {3, 4}), c}, {}, "b is [3, 4] f32, but a has 5 columns: b needs 5 rows"},
      {gemm_kernel(),
       {reading(f32, {5, 2}), reading(f32, {3, 4}), c},
       both,
       "b is [3, 4] f32, but transposed a has 5 columns: b needs 5 columns, as it is transposed"},
      {gemm_kernel(), {a, b, writing(f32, {3, 2})}, {}, "c is [3, 2] f32, but the product is [2, 3]"},
      {gemm_kernel(), {reading(f32, {5}), b, c}, {}, "a is [5] f32, but needs two extents"},
      {gemm_kernel(), {a, b, writing(f32, {})}, {}, "c is [] f32, but needs two extents"},
      {gemm_kernel(), {a, reading(f64, {5, 3}), c}, {}, "b is [5, 3] f64, but a is f32: dtypes need to be equal"},
      {gemm_kernel(), {a, b, writing(f64, {2, 3})}, {}, "c is [2, 3] f64, but a is f32: dtypes need to be equal"},
      {gemm_kernel(),
       {a, b, c},
       {{"beta", 0.5}},
       "beta is 0.5, but c is written only: its access needs to be read_write"},
      {gemm_kernel(),
       {reading(f32, {large, 0}), reading(f32, {0, 3}), writing(f32, {large, 3})},
       {},
       "a is [2147483648, 0] f32, but BLAS takes extents up to 2147483647"},
  });
}

TEST(CheckAccesses, ChecksElementwiseKernels) {
  const auto x32 = writing(DType::i32, {4});
  const auto x64 = writing(DType::i64, {4});
  const auto real = writing(DType::f32, {4});
  expect_faults({
      {add_kernel(), {reading(DType::f32, {2}), reading(DType::f32, {2}), writing(DType::f32, {2})}, {}, ""},
      {add_kernel(),
       {reading(DType::f32, {2}), reading(DType::f32, {1, 2}), writing(DType::f32, {2})},
       {},
       "b is [1, 2] f32, but a is [2] f32: shapes and dtypes need to be equal"},
      {add_kernel(),
       {reading(DType::f32, {2}), reading(DType::f32, {2}), writing(DType::f64, {2})},
       {},
       "c is [2] f64, but a is [2] f32: shapes and dtypes need to be equal"},
      {fill_kernel(), {x32}, {{"value", 2147483647.0}}, ""},
      {fill_kernel(),
       {x32},
       {{"value", 2147483648.0}},
       "value is 2147483648, but x is [4] i32: value needs to be a whole number in its range"},
      {fill_kernel(), {x32}, {{"value", -2147483648.0}}, ""},
      {fill_kernel(),
       {x32},
       {{"value", 0.5}},
       "value is 0.5, but x is [4] i32: value needs to be a whole number in its range"},
      {fill_kernel(), {x64}, {{"value", -0x1p63}}, ""},
      {fill_kernel(),
       {x64},
       {{"value", 0x1p63}},
       "value is 9223372036854775808, but x is [4] i64: value needs to be a whole number in its range"},
      {fill_kernel(),
       {x64},
       {{"value", NAN}},
       "value is nan, but x is [4] i64: value needs to be a whole number in its range"},
      {fill_kernel(), {real}, {{"value", NAN}}, ""},
      {fill_kernel(), {real}, {{"value", -INFINITY}}, ""},
      {fill_kernel(), {real}, {{"value", 1e300}}, "value is 1e+300, but x is [4] f32: value needs to be in its range"},
      {increment_kernel(),
       {updating(DType::i32, {4})},
       {{"by", 0.5}},
       "by is 0.5, but x is [4] i32: by needs to be a whole number in its range"},
      {iota_kernel(), {writing(DType::i32, {std::int64_t{1} << 31})}, {}, ""},
      {iota_kernel(),
       {writing(DType::i32, {(std::int64_t{1} << 31) + 1})},
       {},
       "x is [2147483649] i32 and its last element would be 2147483648, but i32 counts to 2147483647 only"},
  });
}

TEST(CheckAccesses, ChecksUniform) {
  const auto range = [](Parameter low, Parameter high) {
    return Named{{"seed", std::int64_t{1}}, {"low", std::move(low)}, {"high", std::move(high)}};
  };
  const auto f32 = writing(DType::f32, {4});
  const auto f64 = writing(DType::f64, {4});
  const auto i32 = writing(DType::i32, {4});
  const auto i64 = writing(DType::i64, {4});
  const std::string needs = ", but [low, high) needs to be a finite, not empty range of ";
  expect_faults({
      {uniform_kernel(), {f32}, range(-1.0, 1.0), ""},
      {uniform_kernel(), {i32}, range(-0x1p31, 0x1p31), ""},
      {uniform_kernel(), {i64}, range(-0x1p63, 0x1p63), ""},
      {uniform_kernel(), {f32}, range(1.0, 1.0), "low is 1 and high is 1" + needs + "f32"},
      {uniform_kernel(), {f32}, range(1.0, 1.0 + 1e-12), "low is 1 and high is 1.000000000001" + needs + "f32"},
      {uniform_kernel(), {f64}, range(-1.7e308, 1.7e308), "low is -1.7e+308 and high is 1.7e+308" + needs + "f64"},
      {uniform_kernel(), {f64}, range(0.0, INFINITY), "low is 0 and high is inf" + needs + "f64"},
      {uniform_kernel(), {f64}, range(NAN, 1.0), "low is nan and high is 1" + needs + "f64"},
      {uniform_kernel(), {i64}, range(2.0, -3.0), "low is 2 and high is -3" + needs + "i64"},
      {uniform_kernel(),
       {i32},
       range(0.5, 2.0),
       "low is 0.5, but x is [4] i32: low needs to be a whole number in its range"},
      {uniform_kernel(),
       {i32},
       range(0.0, 0x1p32),
       "high is 4294967296, but x is [4] i32: high needs to be a whole number in its range"},
  });
}

TEST(CheckAccesses, ChecksFilesAndSpin) {
  const auto x = writing(DType::f32, {4});
  expect_faults({
      {load_kernel(), {x}, {{"path", "a.npy"}}, ""},
      {load_kernel(), {x}, {{"path", ""}}, "path is empty"},
      {load_kernel(), {x}, {{"path", std::string("a\0b", 3)}}, "path has a zero byte in it"},
      {spin_kernel(), {}, {{"microseconds", 0.0}}, ""},
      {spin_kernel(), {}, {{"microseconds", -1.0}}, "microseconds is -1, but needs to be from 0 to 1e+12"},
      {spin_kernel(), {}, {{"microseconds", NAN}}, "microseconds is nan, but needs to be from 0 to 1e+12"},
  });
}

}  // namespace
}  // namespace penstock::kernels
