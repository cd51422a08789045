#include "kernels/registry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <penstock/error.hpp>

#include "kernel_call.hpp"
#include "kernels/builtin.hpp"
#include "kernels/table.hpp"

namespace penstock::kernels {
namespace {

KernelDescription described(std::string name) {
  KernelDescription description;
  description.name = std::move(name);
  description.cpu = [](const TaskContext&) {};
  return description;
}

ParameterDescription parameter(std::string name) {
  return {.name = std::move(name), .default_value = {}, .meaning = {}};
}
AccessDescription access(std::string name) { return {.name = std::move(name), .dtypes = {}}; }

std::string refusal(KernelDescription description) {
  Registry registry;
  return error_of([&] { registry.add(std::move(description)); });
}

TEST(Registry, BeginsWithTheBuiltInKernels) {
  Registry registry;

  const auto kernels = registry.freeze();

  EXPECT_EQ(kernels.size(), std::size(built_in_kernels));
}

TEST(Registry, HandsOverWhatWasAdded) {
  Registry registry;

  registry.add(described("my.kernel-2_x"));

  const auto kernels = registry.freeze();
  EXPECT_EQ(kernels.back().name, "my.kernel-2_x");
}

TEST(Registry, RefusesNames) {
  const std::string rule = "a name is 1 to 64 characters of a-z, 0-9, '_', '.' and '-'";
  for (const std::string& name : {std::string(), std::string("Axpy"), std::string("a b"), std::string(65, 'a')}) {
    EXPECT_EQ(refusal(described(name)),
              std::string("cannot register kernel \"").append(name).append("\": ").append(rule));
  }
  EXPECT_EQ(refusal(described(std::string(64, 'a'))), "");
}

TEST(Registry, RefusesATakenName) {
  Registry registry;
  registry.add(described("mine"));

  EXPECT_EQ(error_of([&] { registry.add(described("mine")); }), "cannot register kernel \"mine\": the name is taken");
  EXPECT_EQ(error_of([&] { registry.add(described("gemm")); }), "cannot register kernel \"gemm\": the name is taken");
}

TEST(Registry, TakesAllOfSeveralOrNone) {
  Registry registry;
  const auto several = [](std::initializer_list<const char*> names) {
    std::vector<KernelDescription> descriptions;
    for (const char* const name : names) descriptions.push_back(described(name));
    return descriptions;
  };
  registry.add_all(several({"a", "b"}));

  EXPECT_EQ(error_of([&] {
              registry.add_all(several({"c", "b"}));
            }),
            "cannot register kernel \"b\": the name is taken");
  EXPECT_EQ(error_of([&] {
              registry.add_all(several({"c", "c"}));
            }),
            "cannot register kernel \"c\": the name is taken");
  EXPECT_NE(error_of([&] { registry.add_all(several({"c", "D"})); }), "");

  EXPECT_EQ(registry.freeze().size(), std::size(built_in_kernels) + 2);
}

TEST(Registry, RefusesAKernelWithoutABody) {
  auto description = described("idle");
  description.cpu = nullptr;

  EXPECT_EQ(refusal(description), "cannot register kernel \"idle\": it has no body");
}

TEST(Registry, TakesAKernelForGpusOnly) {
  auto description = described("parallel");
  description.cpu = nullptr;
  description.cuda = [](const CudaContext&) {};

  EXPECT_EQ(refusal(description), "");
}

TEST(Registry, RefusesTooManyAccessesAndParameters) {
  auto accesses = described("wide");
  auto parameters = described("wide");
  for (int i = 0; i < 16; ++i) {
    accesses.accesses.push_back(access(std::string("a").append(std::to_string(i))));
    parameters.parameters.push_back(parameter(std::string("p").append(std::to_string(i))));
  }
  EXPECT_EQ(refusal(accesses), "");
  EXPECT_EQ(refusal(parameters), "");

  accesses.accesses.push_back(access("last"));
  parameters.parameters.push_back(parameter("last"));

  EXPECT_EQ(refusal(accesses), "cannot register kernel \"wide\": it has 17 accesses, but at most 16 are allowed");
  EXPECT_EQ(refusal(parameters), "cannot register kernel \"wide\": it has 17 parameters, but at most 16 are allowed");
}

TEST(Registry, RefusesInnerNamesThatAreEmptyOrOccurTwice) {
  auto twice = described("k");
  twice.accesses = {access("x")};
  twice.parameters = {parameter("x")};
  auto empty = described("k");
  empty.parameters = {parameter("")};

  EXPECT_EQ(refusal(twice), "cannot register kernel \"k\": the name \"x\" occurs twice in it");
  EXPECT_EQ(refusal(empty), "cannot register kernel \"k\": an access or a parameter has no name");
}

TEST(Registry, RefusesADefaultOfAnotherType) {
  auto description = described("k");
  description.parameters = {parameter("p")};
  description.parameters[0].default_value = std::int64_t{3};

  EXPECT_EQ(refusal(description), "cannot register kernel \"k\": the default of p is 3, but it is of type real");
}

TEST(Registry, RefusesWhatComesAfterTheTable) {
  (void)KernelTable::process();

  const std::string message = error_of([] { register_kernel(described("late")); });

  EXPECT_EQ(
      message,
      "cannot register kernel \"late\": the kernel table was made before; kernels are registered before the first "
      "runtime");
}

}  // namespace
}  // namespace penstock::kernels
