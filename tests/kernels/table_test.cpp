#include "kernels/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernel_call.hpp"
#include "kernels/registry.hpp"
#include "kernels/signature.hpp"

namespace penstock::kernels {
namespace {

using testing::ElementsAre;

std::vector<KernelDescription> with(std::initializer_list<const char*> names) {
  Registry registry;
  for (const char* const name : names) {
    KernelDescription description;
    description.name = name;
    description.cpu = [](const TaskContext&) {};
    registry.add(std::move(description));
  }
  return registry.freeze();
}

TEST(KernelTable, EveryBuiltInKernelSaysWhatItAndItsParametersAre) {
  const KernelTable table(with({}));

  for (const KernelDescription* const kernel : table.all()) {
    EXPECT_THAT(kernel->summary, testing::EndsWith(".")) << kernel->name;
    for (const ParameterDescription& parameter : kernel->parameters) {
      EXPECT_FALSE(parameter.meaning.empty()) << kernel->name << ", " << parameter.name;
    }
  }
}

TEST(KernelTable, HoldsTheBuiltInKernelsAsDescribed) {
  const KernelTable table(with({}));

  const std::vector<std::string> expected{
      "add(read a any, read b any, write c any) panels",
      "add_diagonal(read_write a any; by real)",
      "axpy(read x any, read_write y any; alpha real = 1) panels",
      "combine(read_write into any, read from any; operation text) panels",
      "copy(read x any, write y any) panels",
      "fill(write x any; value real) panels",
      "gemm(read a f32|f64, read b f32|f64, write|read_write c f32|f64; transpose_a boolean = false, transpose_b "
      "boolean "
      "= false, alpha real = 1, beta real = 0) panels",
      "increment(read_write x any; by real = 1) panels",
      "iota(write x any; first integer = 0, row_stride integer = 0) panels",
      "load(write x any; path text, part boolean = false, row integer = 0, column integer = 0)",
      "max(read x any, write s any)",
      "mul(read a any, read b any, write c any) panels",
      "neutral(write x any; operation text) panels",
      "norm2(read x f32|f64, write s f32|f64)",
      "normal(write x f32|f64; seed integer, mean real = 0, deviation real = 1, first integer = 0, row_stride integer "
      "= "
      "0) panels",
      "potrf(read_write a f32|f64; lower boolean = true)",
      "publish(read written i64; path text, elements integer)",
      "relu(read x any, write y any) panels",
      "relu_gradient(read x any, read dy any, write dx any) panels",
      "save(read x any; path text)",
      "save_part(read x any, write written i64; path text, rows integer, columns integer = 0, row integer = 0, column "
      "integer = 0)",
      "scale(read_write x any; by real) panels",
      "sleep(; microseconds real)",
      "spin(; microseconds real)",
      "sum(read x any, write s any)",
      "syrk(read a f32|f64, write|read_write c f32|f64; transpose boolean = false, lower boolean = true, alpha real = "
      "1, "
      "beta real = 0)",
      "then(read x any; number integer)",
      "trsm(read a f32|f64, read_write b f32|f64; side text = \"left\", lower boolean = true, transpose boolean = "
      "false, "
      "unit_diagonal boolean = false, alpha real = 1)",
      "uniform(write x any; seed integer, low real = 0, high real = 1, first integer = 0, row_stride integer = 0) "
      "panels",
  };

  EXPECT_EQ(table.signatures(), expected);
}

TEST(KernelTable, DescribesEveryBuiltInKernelAndParameter) {
  const KernelTable table(with({}));

  for (const KernelDescription* const kernel : table.all()) {
    EXPECT_FALSE(kernel->summary.empty()) << kernel->name;
    for (const ParameterDescription& parameter : kernel->parameters) {
      EXPECT_FALSE(parameter.meaning.empty()) << kernel->name << ' ' << parameter.name;
    }
  }
}

TEST(KernelTable, NumbersKernelsInTheOrderOfTheirNames) {
  const KernelTable table(with({"zeta", "alpha"}));

  for (std::uint16_t i = 0; i < table.all().size(); ++i) {
    const core::KernelId id(i);
    EXPECT_TRUE(table.contains(id));
    EXPECT_EQ(&table[id], table.all()[i]);
    EXPECT_EQ(table.find(table[id].name), id);
  }
  EXPECT_TRUE(std::ranges::is_sorted(table.all(), {}, &KernelDescription::name));
  EXPECT_FALSE(table.contains(core::KernelId(static_cast<std::uint16_t>(table.all().size()))));
}

TEST(KernelTable, FindsNothingUnderAnUnknownName) {
  const KernelTable table(with({}));

  EXPECT_EQ(table.find("gem"), std::nullopt);
  EXPECT_EQ(error_of([&] { (void)table.at("gem"); }), "there is no kernel \"gem\"; did you mean gemm?");
  EXPECT_EQ(error_of([&] { (void)table.at("unrelated"); }), "there is no kernel \"unrelated\"");
}

TEST(KernelTable, HasOneFingerprintWhateverTheOrderOfRegistration) {
  const KernelTable one(with({"x", "y"}));
  const KernelTable other(with({"y", "x"}));

  EXPECT_EQ(one.fingerprint(), other.fingerprint());
  EXPECT_EQ(one.first_difference(other.signatures()), "");
}

TEST(KernelTable, HasAnotherFingerprintForOtherKernels) {
  const KernelTable one(with({"x", "y"}));
  const KernelTable other(with({"x", "z"}));

  EXPECT_NE(one.fingerprint(), other.fingerprint());
  EXPECT_EQ(one.fingerprint(one.at("x")), other.fingerprint(other.at("x")));
  EXPECT_NE(one.fingerprint(one.at("x")), one.fingerprint(one.at("y")));
}

TEST(Signature, TellsApartWhateverRanksMustAgreeOn) {
  KernelDescription base;
  base.name = "k";
  base.accesses = {{.name = "x", .mode = AccessMode::write, .dtypes = {DType::f32}}};
  base.parameters = {{.name = "p", .type = ParameterType::real, .default_value = 0.1, .meaning = ""}};
  std::vector<KernelDescription> variants(9, base);
  variants[1].name = "l";
  variants[2].accesses[0].name = "y";
  variants[3].accesses[0].mode = AccessMode::read_write;
  variants[4].accesses[0].allows_read_write = true;
  variants[5].accesses[0].dtypes.push_back(DType::f64);
  variants[6].parameters[0].default_value = 0.1 + 1e-17 * 2;
  variants[7].parameters[0].default_value.reset();
  variants[8].allows_panels = true;
  std::vector<std::string> signatures;

  for (const KernelDescription& variant : variants) signatures.push_back(signature_of(variant));

  std::ranges::sort(signatures);
  EXPECT_EQ(std::ranges::adjacent_find(signatures), signatures.end());
}

TEST(Signature, IgnoresWhatIsForReadersOnly) {
  KernelDescription one;
  one.name = "k";
  KernelDescription other = one;
  other.summary = "says more";

  EXPECT_EQ(signature_of(one), signature_of(other));
}

TEST(Signature, IsHashedByTheSameNumbersEverywhere) {
  EXPECT_EQ(hash_of(""), 0xcbf29ce484222325U);
  EXPECT_EQ(hash_of("a"), 0xaf63dc4c8601ec8cU);  // published values of FNV-1a
  EXPECT_EQ(hash_of("foobar"), 0x85944171f73967e8U);
  EXPECT_EQ(hash_of("bar", hash_of("foo")), hash_of("foobar"));
}

TEST(FirstDifference, NamesTheFirstKernelThatDiffers) {
  using Lines = std::vector<std::string>;
  struct Case {
    Lines here;
    Lines there;
    std::string message;
  };
  const std::vector<Case> cases{
      {{}, {}, ""},
      {{"a()", "b()"}, {"a()", "b()"}, ""},
      {{"a()", "b()"}, {"a()", "b(; p real)"}, "kernel \"b\" differs: here b(), there b(; p real)"},
      {{"a()", "b()", "c()"}, {"a()", "c()"}, "kernel \"b\" is registered only here"},
      {{"a()", "c()"}, {"a()", "b()", "c()"}, "kernel \"b\" is registered only there"},
      {{"a()"}, {"a()", "b()"}, "kernel \"b\" is registered only there"},
      {{"a()", "b()"}, {"a()"}, "kernel \"b\" is registered only here"},
      {{"a()", "a-b()"}, {"a(; p real)"}, "kernel \"a\" differs: here a(), there a(; p real)"},
  };
  for (const Case& tables : cases) EXPECT_EQ(first_difference(tables.here, tables.there), tables.message);
}

}  // namespace
}  // namespace penstock::kernels
