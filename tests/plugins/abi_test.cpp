#include "plugins/abi.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace penstock::plugins {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr PluginHeader ours = make_plugin_header(nullptr);

// A type that a plugin shares with penstock has changed: so must plugin_abi_version, and then these numbers.
static_assert(plugin_abi_version == 3);
#if defined(__x86_64__) && defined(__GLIBCXX__) && !defined(_GLIBCXX_DEBUG)
static_assert(sizeof(KernelDescription) == 280);
static_assert(sizeof(AccessDescription) == 72);
static_assert(sizeof(ParameterDescription) == 120);
static_assert(sizeof(TaskContext) == 40);
static_assert(sizeof(ArrayView) == 88);
static_assert(sizeof(TaskAccess) == 88);
#endif

TEST(PluginAbi, FitsItself) {
  EXPECT_TRUE(has_magic(ours));
  EXPECT_EQ(misfit_of(ours), "");
}

TEST(PluginAbi, KnowsAHeaderByItsMagic) {
  PluginHeader header = ours;
  header.magic[3] = 'x';

  EXPECT_FALSE(has_magic(header));
}

TEST(PluginAbi, FitsAnotherVersionOfOneAbi) {
  PluginHeader header = ours;
  header.penstock_version = {'9', '.', '9'};

  EXPECT_EQ(misfit_of(header), "");
}

TEST(PluginAbi, NamesBothVersions) {
  PluginHeader header = ours;
  header.abi_version = 9;
  header.penstock_version = {'0', '.', '0', '.', '9'};

  EXPECT_THAT(misfit_of(header),
              AllOf(HasSubstr("built for penstock 0.0.9 (plugin ABI 9, "),
                    HasSubstr("but this is penstock " + std::string(header_version) + " (plugin ABI 3, "),
                    HasSubstr("rebuild the plugin")));
}

TEST(PluginAbi, LooksAtEveryNumber) {
  for (std::uint32_t PluginHeader::*const number : {&PluginHeader::abi_version, &PluginHeader::compiler_abi,
                                                    &PluginHeader::library_abi, &PluginHeader::description_bytes}) {
    PluginHeader header = ours;
    header.*number += 1;

    EXPECT_THAT(misfit_of(header), HasSubstr(std::to_string(header.*number)));
  }
}

TEST(PluginAbi, ShowsAVersionThatHasNoEndOnOneLine) {
  PluginHeader header = ours;
  header.abi_version = 9;
  header.penstock_version.fill('\n');

  EXPECT_THAT(misfit_of(header), HasSubstr("penstock " + std::string(header.penstock_version.size(), '?') + " ("));
}

}  // namespace
}  // namespace penstock::plugins
