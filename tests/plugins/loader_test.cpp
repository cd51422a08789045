#include "plugins/loader.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <penstock/error.hpp>
#include <penstock/version.hpp>

#include "plugins/temporary_folder.hpp"

namespace penstock::plugins {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::filesystem::path sample(const std::string& name) {
  return std::filesystem::path(PENSTOCK_SAMPLES) / (name + ".so");
}

/// Each test has a registry and a loader of its own; what the system has mapped stays between tests.
class LoaderTest : public testing::Test {
 protected:
  /// What is said of a plugin that is refused, without its name; empty: it is loaded.
  std::string refusal(const std::filesystem::path& path) {
    try {
      static_cast<void>(loader_.load(path));
      return {};
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
      const std::string text = error.what();
      const std::string begin = "plugin " + path.string() + ": ";
      EXPECT_THAT(text, AllOf(StartsWith(begin), Not(HasSubstr("\n"))));
      return text.substr(std::min(begin.size(), text.size()));
    }
  }

  /// The kernels of the registry by name; ends registration.
  KernelDescription registered(const std::string& name) {
    for (KernelDescription& kernel : registry_.freeze()) {
      if (kernel.name == name) return std::move(kernel);
    }
    return {};
  }

  kernels::Registry registry_;
  Loader loader_{registry_};
};

/// What sha256sum says of a file.
std::string sha256sum_of(const std::filesystem::path& path) {
  const std::string command = "sha256sum < '" + path.string() + "'";
  FILE* const pipe = popen(command.c_str(), "r");
  std::array<char, 65> text{};
  const std::size_t count = fread(text.data(), 1, 64, pipe);
  pclose(pipe);
  return {text.data(), count};
}

TEST_F(LoaderTest, AddsTheKernelsOfAllSourceFiles) {
  const Plugin plugin = loader_.load(sample("good"));

  EXPECT_EQ(plugin.path, sample("good"));
  EXPECT_THAT(plugin.kernels, ElementsAre("sample.bare", "sample.clear", "sample.saxpy"));
  EXPECT_THAT(registry_.freeze(), testing::Contains(testing::Field(&KernelDescription::name, "sample.clear")));
}

TEST_F(LoaderTest, HashesAsSha256sumDoes) {
  const std::string hash = sha256sum_of(sample("good"));
  ASSERT_EQ(hash.size(), 64U);

  EXPECT_EQ(loader_.load(sample("good")).sha256, hash);
}

TEST_F(LoaderTest, BringsAllThatThePluginSaysOfAKernel) {
  static_cast<void>(loader_.load(sample("good")));
  const KernelDescription saxpy = registered("sample.saxpy");
  const std::vector<TaskAccess> accesses{{AccessMode::read, {DType::f32, {3}}},
                                         {AccessMode::read_write, {DType::f32, {3}}}};
  const std::vector<TaskAccess> unequal{{AccessMode::read, {DType::f32, {3}}},
                                        {AccessMode::read_write, {DType::f32, {4}}}};
  const std::vector<Parameter> parameters{1.0};

  EXPECT_EQ(saxpy.summary, "y = y + alpha * x, by element.");
  ASSERT_EQ(saxpy.accesses.size(), 2U);
  EXPECT_EQ(saxpy.accesses[1].name, "y");
  EXPECT_EQ(saxpy.accesses[1].mode, AccessMode::read_write);
  EXPECT_THAT(saxpy.accesses[1].dtypes, ElementsAre(DType::f32));
  ASSERT_EQ(saxpy.parameters.size(), 1U);
  EXPECT_EQ(saxpy.parameters[0].name, "alpha");
  EXPECT_EQ(saxpy.parameters[0].meaning, "factor of x");
  EXPECT_EQ(saxpy.parameters[0].default_value, Parameter(1.0));
  EXPECT_EQ(saxpy.check(accesses, parameters), "");
  EXPECT_EQ(saxpy.check(unequal, parameters), "x and y have different shapes");
  EXPECT_EQ(saxpy.flops(accesses, parameters), 6.0);
  EXPECT_EQ(saxpy.bytes(accesses, parameters), 36.0);
}

TEST_F(LoaderTest, BringsBodiesThatRun) {
  static_cast<void>(loader_.load(sample("good")));
  const KernelDescription saxpy = registered("sample.saxpy");
  alignas(64) std::array<float, 3> x{1, 2, 3};
  alignas(64) std::array<float, 3> y{10, 20, 30};
  const std::array<ArrayView, 2> arrays{{{reinterpret_cast<std::byte*>(x.data()), {DType::f32, {3}}},
                                         {reinterpret_cast<std::byte*>(y.data()), {DType::f32, {3}}}}};
  const std::array<Parameter, 1> parameters{2.0};

  saxpy.cpu({.arrays = arrays, .parameters = parameters});

  EXPECT_THAT(y, ElementsAre(12.0F, 24.0F, 36.0F));
}

TEST_F(LoaderTest, LoadsAFileOnceByAnyOfItsNames) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink(sample("good"), folder.path() / "link.so");
  const Plugin first = loader_.load(sample("good"));

  const Plugin again = loader_.load(sample("good"));
  const Plugin by_link = loader_.load(folder.path() / "link.so");

  EXPECT_EQ(again.path, first.path);
  EXPECT_EQ(by_link.path, first.path);
  EXPECT_EQ(by_link.sha256, first.sha256);
  EXPECT_EQ(loader_.loaded().size(), 1U);
}

TEST_F(LoaderTest, KeepsPluginsApart) {
  static_cast<void>(loader_.load(sample("good")));
  const Plugin other = loader_.load(sample("other"));

  EXPECT_THAT(other.kernels, ElementsAre("sample.other"));
  const std::vector<Plugin> loaded = loader_.loaded();
  ASSERT_EQ(loaded.size(), 2U);
  EXPECT_EQ(loaded[0].path, sample("good"));
  EXPECT_EQ(loaded[1].path, sample("other"));
  EXPECT_NE(loaded[0].sha256, loaded[1].sha256);
}

TEST_F(LoaderTest, RefusesWhatIsNoPlugin) {
  const TemporaryFolder folder;

  EXPECT_EQ(refusal(folder.path() / "none.so"), "there is no such file");
  EXPECT_EQ(refusal(folder.write("text.so", "#!/bin/sh\n")), "it is not a shared object");
  EXPECT_EQ(refusal(folder.write("empty.so", "")), "it is not a shared object");
  EXPECT_EQ(refusal(folder.write("cut.so", "\177ELF")), "it cannot be loaded: file too short");
  EXPECT_EQ(refusal(sample("no_symbol")), "it is no plugin of penstock: see <penstock/plugin.hpp>");
  EXPECT_EQ(refusal(sample("other_symbol")), "it is no plugin of penstock: see <penstock/plugin.hpp>");
}

TEST_F(LoaderTest, RefusesAPluginOfAnotherAbiBeforeItCallsIt) {
  EXPECT_THAT(refusal(sample("other_abi")),
              AllOf(StartsWith("it was built for penstock 0.0.7?x (plugin ABI 77, "),
                    HasSubstr(", but this is penstock " + std::string(header_version) + " (plugin ABI 3, "),
                    HasSubstr("rebuild the plugin")));
}

TEST_F(LoaderTest, SaysWhatTheSystemsLoaderSays) {
  EXPECT_THAT(refusal(sample("unresolved")), AllOf(StartsWith("it cannot be loaded: undefined symbol: "),
                                                   HasSubstr("sample_function_that_nobody_has")));
}

TEST_F(LoaderTest, SaysWhatADescriptionThrows) {
  EXPECT_EQ(refusal(sample("throwing")), "it failed to describe its kernels: no licence found");
  EXPECT_EQ(refusal(sample("throwing_oddly")), "it failed to describe its kernels: it threw what is no std::exception");
  EXPECT_EQ(
      refusal(sample("array_default")),
      "it failed to describe its kernels: cannot describe kernel \"sample.odd\": x is an array, which has neither "
      "meaning nor default");
}

TEST_F(LoaderTest, RefusesNamesThatAreNone) {
  EXPECT_THAT(refusal(sample("invalid_name")),
              StartsWith("cannot register kernel \"Sample Kernel\": a name is 1 to 64 characters"));
}

TEST_F(LoaderTest, RefusesANameThatIsTakenAndTakesNothingThen) {
  static_cast<void>(loader_.load(sample("good")));

  EXPECT_EQ(refusal(sample("duplicate")),
            "its kernel \"sample.saxpy\" is in the plugin " + sample("good").string() + " already");
  EXPECT_EQ(refusal(sample("built_in")), "cannot register kernel \"gemm\": the name is taken");

  EXPECT_EQ(loader_.loaded().size(), 1U);
  const auto kernels = registry_.freeze();
  EXPECT_TRUE(std::ranges::none_of(kernels, [](const KernelDescription& kernel) {
    return kernel.name == "sample.only-here" || kernel.name == "sample.innocent";
  }));
}

TEST_F(LoaderTest, RefusesWhatComesAfterTheTable) {
  static_cast<void>(registry_.freeze());

  EXPECT_THAT(refusal(sample("good")), HasSubstr("the kernel table was made before"));
}

TEST_F(LoaderTest, RefusesAPluginThatOthersMayWrite) {
  const TemporaryFolder folder;
  const auto copy = folder.path() / "copy.so";
  std::filesystem::copy_file(sample("good"), copy);
  ASSERT_EQ(chmod(copy.c_str(), 0777), 0);

  EXPECT_EQ(refusal(copy), "every user may write it (chmod o-w)");

  ASSERT_EQ(chmod(copy.c_str(), 0755), 0);
  EXPECT_EQ(refusal(copy), "");
}

TEST_F(LoaderTest, GoesOnAfterAPluginThatWasRefused) {
  EXPECT_NE(refusal(sample("no_symbol")), "");
  EXPECT_NE(refusal(sample("other_abi")), "");

  EXPECT_EQ(refusal(sample("other")), "");  // not one of the two above by the number of its descriptor
  EXPECT_EQ(loader_.loaded().front().kernels.front(), "sample.other");
}

}  // namespace
}  // namespace penstock::plugins
