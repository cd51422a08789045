#include "bench/scratch_folder.hpp"

#include <stdlib.h>

#include <fstream>
#include <limits>

#include <gtest/gtest.h>

namespace penstock::bench {
namespace {

namespace fs = std::filesystem;

void put_file(const fs::path& folder) {
  fs::create_directories(folder / "deep");
  std::ofstream(folder / "deep" / "file") << "content";
}

TEST(ScratchFolder, IsRemovedWithItsContent) {
  fs::path path;
  {
    const ScratchFolder folder(1);
    path = folder.path();
    put_file(path);
    ASSERT_TRUE(fs::is_directory(path));
  }

  EXPECT_FALSE(fs::exists(path));
}

TEST(ScratchFolder, IsEmptiedInPlace) {
  const ScratchFolder folder(1);
  put_file(folder.path());

  folder.empty();

  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(ScratchFolder, GoesToTheDiskWhenMemoryIsTooSmall) {
  const ScratchFolder parent(1);
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before != nullptr ? before : "";
  ::setenv("TMPDIR", parent.path().c_str(), 1);

  const ScratchFolder folder(std::numeric_limits<std::uint64_t>::max());
  if (before != nullptr)
    ::setenv("TMPDIR", kept.c_str(), 1);
  else
    ::unsetenv("TMPDIR");

  EXPECT_EQ(folder.path().parent_path(), parent.path());
}

}  // namespace
}  // namespace penstock::bench
