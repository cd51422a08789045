#include "observe/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "observe/temporary_folder.hpp"

namespace penstock::observe {
namespace {

namespace fs = std::filesystem;

Descriptor opened(const fs::path& folder) { return Descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY)); }

TEST(WriteAll, ReportsAFullDisk) {
  const Descriptor full(::open("/dev/full", O_WRONLY));
  ASSERT_TRUE(full.valid());

  EXPECT_EQ(write_all(full.get(), "text"), ENOSPC);
}

TEST(ReplaceFile, PutsTheNewTextForItsOwnerOnly) {
  const TemporaryFolder folder;
  write_file(folder.path() / "a", "old and longer");

  ASSERT_EQ(replace_file_at(opened(folder.path()).get(), "a", "new"), 0);

  EXPECT_EQ(read_file(folder.path() / "a"), "new");
  EXPECT_EQ(fs::status(folder.path() / "a").permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST(ReplaceFile, LeavesNothingBehindWhenItFails) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path() / "a");

  EXPECT_EQ(replace_file_at(opened(folder.path()).get(), "a", "new"), EISDIR);

  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

TEST(ReplaceFile, ReplacesASymbolicLinkNotItsTarget) {
  const TemporaryFolder folder;
  write_file(folder.path() / "target", "untouched");
  fs::create_symlink("target", folder.path() / "a");
  fs::create_symlink("target", folder.path() / ".penstock-a.new");

  ASSERT_EQ(replace_file_at(opened(folder.path()).get(), "a", "new"), 0);

  EXPECT_EQ(read_file(folder.path() / "target"), "untouched");
  EXPECT_FALSE(fs::is_symlink(folder.path() / "a"));
}

TEST(ReadFile, RefusesLinksPipesAndLongFiles) {
  const TemporaryFolder folder;
  const Descriptor descriptor = opened(folder.path());
  write_file(folder.path() / "long", std::string(5000, 'x'));
  fs::create_symlink("long", folder.path() / "link");
  ASSERT_EQ(::mkfifo((folder.path() / "pipe").c_str(), 0600), 0);
  std::string text;

  EXPECT_EQ(read_file_at(descriptor.get(), "link", 10'000, text), ELOOP);
  EXPECT_EQ(read_file_at(descriptor.get(), "pipe", 10'000, text), EINVAL);
  EXPECT_EQ(read_file_at(descriptor.get(), "long", 4999, text), EFBIG);
  EXPECT_EQ(read_file_at(descriptor.get(), "missing", 10, text), ENOENT);
  EXPECT_EQ(read_file_at(descriptor.get(), "long", 5000, text), 0);
  EXPECT_EQ(text.size(), 5000U);
}

TEST(RemoveContents, RemovesTreesAndLinksButNotWhatLinksPointTo) {
  const TemporaryFolder outside;
  write_file(outside.path() / "precious", "x");
  const TemporaryFolder folder;
  fs::create_directories(folder.path() / "a" / "b" / "c");
  write_file(folder.path() / "a" / "b" / "file", "x");
  fs::create_directory_symlink(outside.path(), folder.path() / "link");
  fs::create_directory_symlink(outside.path(), folder.path() / "a" / "link");
  std::string where;

  ASSERT_EQ(remove_contents(
                opened(folder.path()).get(), [](std::string_view) { return false; }, where),
            0);

  EXPECT_TRUE(fs::is_empty(folder.path()));
  EXPECT_TRUE(fs::exists(outside.path() / "precious"));
}

TEST(RemoveContents, KeepsWhatItIsToldToKeepAtTheTopOnly) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path() / "a");
  write_file(folder.path() / "a" / "kept", "x");
  write_file(folder.path() / "kept", "x");
  std::vector<std::string> names;
  std::string where;

  const auto keep = [](std::string_view name) { return name == "kept"; };
  ASSERT_EQ(remove_contents(opened(folder.path()).get(), keep, where), 0);

  ASSERT_EQ(list_folder(opened(folder.path()).get(), names), 0);
  EXPECT_THAT(names, testing::ElementsAre("kept"));
}

}  // namespace
}  // namespace penstock::observe
