#include "plugins/trusted_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <penstock/error.hpp>

#include "plugins/temporary_folder.hpp"

namespace penstock::plugins {
namespace {

/// What is said of a file that is refused; empty: it is not.
std::string refusal(const std::filesystem::path& path) {
  try {
    const TrustedFile file(path);
    return {};
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    return error.what();
  }
}

void set_mode(const std::filesystem::path& path, mode_t mode) { ASSERT_EQ(chmod(path.c_str(), mode), 0); }

TEST(TrustedFile, OpensWhatOnlyItsOwnerMayWrite) {
  const TemporaryFolder folder;
  const auto path = folder.write("file", "content");

  const TrustedFile file(path);

  EXPECT_GE(file.descriptor(), 0);
  EXPECT_TRUE(std::filesystem::equivalent(file.own_path(), path));
  EXPECT_EQ(file.identity(), TrustedFile(path).identity());
  EXPECT_FALSE(file.is_elf());
  EXPECT_TRUE(TrustedFile("/proc/self/exe").is_elf());
}

TEST(TrustedFile, RefusesWhatIsNoFile) {
  const TemporaryFolder folder;
  const auto pipe = folder.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);

  EXPECT_EQ(refusal(folder.path() / "none"), "there is no such file");
  EXPECT_EQ(refusal(folder.write("file", "") / "below"), "there is no such file");
  EXPECT_EQ(refusal(folder.path()), "it is not a regular file");
  EXPECT_EQ(refusal(pipe), "it is not a regular file");
}

TEST(TrustedFile, RefusesWhatOthersMayWriteButNotTheGroup) {
  const TemporaryFolder folder;
  const auto path = folder.write("file", "content");

  set_mode(path, 0664);
  EXPECT_EQ(refusal(path), "");
  set_mode(path, 0666);
  EXPECT_EQ(refusal(path), "every user may write it (chmod o-w)");
}

TEST(TrustedFile, RefusesWhatOthersMayReplace) {
  const TemporaryFolder folder;
  const auto outer = folder.path() / "outer";
  std::filesystem::create_directories(outer / "inner");
  const auto path = folder.write("outer/inner/file", "content");

  set_mode(outer / "inner", 0777);
  EXPECT_EQ(refusal(path), "every user may replace it: the folder " + (outer / "inner").string() +
                               " is writable by others (chmod o-w)");
  set_mode(outer / "inner", 01777);
  EXPECT_EQ(refusal(path), "");
  set_mode(outer, 0777);
  EXPECT_EQ(refusal(path),
            "every user may replace it: the folder " + outer.string() + " is writable by others (chmod o-w)");
}

TEST(TrustedFile, FollowsLinksToTheFileThatIsChecked) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "open");
  const auto path = folder.write("open/file", "content");
  std::filesystem::create_symlink(path, folder.path() / "link");

  EXPECT_EQ(refusal(folder.path() / "link"), "");
  set_mode(folder.path() / "open", 0777);
  EXPECT_NE(refusal(folder.path() / "link"), "");
}

TEST(TrustedFile, RefusesWhatBelongsToAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  const TemporaryFolder folder;
  const auto path = folder.write("file", "content");
  ASSERT_EQ(chown(path.c_str(), 12'345, static_cast<gid_t>(-1)), 0);

  EXPECT_EQ(refusal(path), "it belongs to user 12345, neither to you nor to root");
}

TEST(TrustedFile, IsClosedAtTheEndUnlessItIsKept) {
  const TemporaryFolder folder;
  const auto path = folder.write("file", "content");
  int closed = -1;
  int kept = -1;
  {
    TrustedFile first(path);
    const TrustedFile second(path);
    kept = first.descriptor();
    closed = second.descriptor();
    first.keep_open();
  }

  EXPECT_EQ(fcntl(closed, F_GETFD), -1);
  EXPECT_EQ(fcntl(kept, F_GETFD), FD_CLOEXEC);
  close(kept);
}

}  // namespace
}  // namespace penstock::plugins
