/// Paths that lead to no file, or to what is no file; and names that a terminal must not obey.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "jobs/bad/refusal.hpp"
#include "npy/file.hpp"

namespace penstock::jobs::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const std::string reads_file =
    "[data.x]\nshape = [4]\ndtype = \"f64\"\norigin = \"file\"\nfile = \"a.npy\"\n[[save]]\ndata = \"x\"\nfile = "
    "\"x\"\n";

void make_pipe(const std::string& path) { ASSERT_EQ(mkfifo(path.c_str(), 0600), 0); }

void write_array(const std::string& path) {
  const std::vector<double> values(4);
  npy::write(path, {DType::f64, Shape{4}}, std::as_bytes(std::span(values)));
}

/// What is said to the job file of that name, after its name.
std::string said_to(const std::string& path) {
  const std::string message = refusal_of(path);
  EXPECT_THAT(message, StartsWith(path + ':'));
  EXPECT_TRUE(is_inert(message));
  return message.substr(std::min(message.size(), path.size() + 1));
}

TEST(BadFiles, PathsThatAreNoJobFiles) {
  const Scratch scratch;
  make_pipe(scratch.file("pipe"));
  std::filesystem::create_symlink("loop", scratch.file("loop"));
  std::filesystem::create_symlink("/dev/zero", scratch.file("zero"));

  for (const std::string& path : {scratch.file("pipe"), scratch.file(""), std::string("/dev/zero"),
                                  std::string("/dev/null"), scratch.file("zero")}) {
    EXPECT_EQ(said_to(path), "1:1: this is not a regular file, a job file is needed") << path;
  }
  for (const std::string& path : {scratch.file("none.toml"), scratch.file("none/none.toml"), scratch.file("loop"),
                                  std::string("/dev/fd/9999"), "/" + std::string(5000, 'y')}) {
    EXPECT_EQ(said_to(path), "1:1: there is no such file, the path of a job file is needed") << path;
  }
}

TEST(BadFiles, PipeThatOthersHaveOpenIsNotWaitedFor) {
  const Scratch scratch;
  make_pipe(scratch.file("pipe"));
  const int held = open(scratch.file("pipe").c_str(), O_RDWR | O_CLOEXEC);

  EXPECT_THAT(said_to(scratch.file("pipe")), HasSubstr("this is not a regular file"));

  close(held);
}

TEST(BadFiles, FileWithoutPermissionIsNamed) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const Scratch scratch;
  const std::string path = scratch.write("job.toml", good_job).string();
  std::filesystem::permissions(path, std::filesystem::perms::none);

  EXPECT_THAT(said_to(path), HasSubstr("the file cannot be read: Permission denied"));
}

TEST(BadFiles, LineOfAGigabyteIsRefusedByItsSize) {
  const Scratch scratch;
  const std::string path = scratch.write("job.toml", "a = '").string();
  std::filesystem::resize_file(path, std::uintmax_t{1} << 30);

  EXPECT_EQ(said_to(path), "1:1: the file is larger than 64 MiB, at most 64 MiB are read");
}

TEST(BadFiles, LineOfAGigabyteThatIsIncludedIsRefusedByItsSize) {
  const Scratch scratch;
  const std::string path = scratch.write("large.toml", "a = '").string();
  std::filesystem::resize_file(path, std::uintmax_t{1} << 30);

  EXPECT_EQ(scratch.refusal("include = 'large.toml'\n" + good_job),
            path + ":1:1: the file is larger than 64 MiB, at most 64 MiB are read");
}

TEST(BadFiles, IncludedPipeIsNotWaitedFor) {
  const Scratch scratch;
  make_pipe(scratch.file("pipe"));

  EXPECT_THAT(scratch.refusal("include = 'pipe'\n" + good_job), StartsWith("1:11: this is not a regular file"));
}

TEST(BadFiles, LinkedFileIsIncludedOnce) {
  const Scratch scratch;
  scratch.write("a.toml", "[values]\nn = 4\n");
  std::filesystem::create_symlink("a.toml", scratch.file("b.toml"));
  std::filesystem::create_hard_link(scratch.file("a.toml"), scratch.file("c.toml"));

  EXPECT_EQ(scratch.refusal("include = 'b.toml'\n" + good_job), "ok");
  EXPECT_THAT(scratch.refusal("include = ['a.toml', 'b.toml']\n" + good_job),
              StartsWith("1:22: 'b.toml' is included twice, see line 1"));
  EXPECT_THAT(scratch.refusal("include = ['a.toml', 'c.toml']\n" + good_job), HasSubstr("'n' is there already"));
}

TEST(BadFiles, ArraysThatAreNoFiles) {
  const Scratch scratch;
  make_pipe(scratch.file("a.npy"));
  const std::string pipe = scratch.refusal(reads_file);
  std::filesystem::remove(scratch.file("a.npy"));
  std::filesystem::create_symlink("/dev/zero", scratch.file("a.npy"));
  const std::string device = scratch.refusal(reads_file);
  std::filesystem::remove(scratch.file("a.npy"));
  std::filesystem::create_symlink("a.npy", scratch.file("a.npy"));
  const std::string loop = scratch.refusal(reads_file);

  EXPECT_THAT(pipe, StartsWith("5:8: " + scratch.file("a.npy") + ": is not a regular file"));
  EXPECT_THAT(device, StartsWith("5:8: " + scratch.file("a.npy") + ": is not a regular file"));
  EXPECT_THAT(loop, StartsWith("5:8: " + scratch.file("a.npy") + ": cannot be opened: Too many levels"));
}

TEST(BadFiles, ArraysCutShortOrTooLong) {
  const Scratch scratch;
  write_array(scratch.file("a.npy"));
  const auto size = std::filesystem::file_size(scratch.file("a.npy"));

  EXPECT_EQ(scratch.refusal(reads_file), "ok");
  std::filesystem::resize_file(scratch.file("a.npy"), size + 1);
  EXPECT_THAT(scratch.refusal(reads_file), StartsWith("5:8: " + scratch.file("a.npy") + ": "));
  for (std::uintmax_t length = 0; length < size; ++length) {
    std::filesystem::resize_file(scratch.file("a.npy"), size - 1 - length);
    ASSERT_THAT(scratch.refusal(reads_file), StartsWith("5:8: " + scratch.file("a.npy") + ": ")) << length;
  }
}

TEST(BadFiles, ArrayBehindALinkIsTaken) {
  const Scratch scratch;
  write_array(scratch.file("elsewhere.npy"));
  std::filesystem::create_symlink("elsewhere.npy", scratch.file("a.npy"));

  EXPECT_EQ(scratch.refusal(reads_file), "ok");
}

TEST(BadFiles, NamesAreShownInert) {
  const Scratch scratch;
  for (const std::string name :
       {"\x1b[31mred.toml", "two\nlines.toml", "\u202elmot.job", "\u009b31m.toml", "\x7f.toml"}) {
    const std::string message = refusal_of(scratch.write(name, "a = 1"));

    EXPECT_TRUE(is_inert(message)) << message;
    EXPECT_THAT(message, HasSubstr(":1:1: unknown key 'a'"));
  }
}

TEST(BadFiles, NameOfAnIncludedFileIsShownInert) {
  const Scratch scratch;
  scratch.write("\x1b[31m.toml", "a = 1");

  const std::string message = scratch.refusal("include = \"\\u001b[31m.toml\"\n" + good_job);

  EXPECT_TRUE(is_inert(message));
  EXPECT_THAT(message, HasSubstr("?[31m.toml:1:1: unknown key 'a'"));
}

TEST(BadFiles, ManyReadersOfOneFileSayTheSame) {
  const Scratch scratch;
  const std::string good = scratch.write("good.toml", good_job).string();
  const std::string bad = scratch.write("bad.toml", good_job + "[[save]]\n").string();
  const std::string expected = refusal_of(bad);
  std::vector<std::string> said(8);

  {
    std::vector<std::jthread> readers;
    for (std::size_t k = 0; k < said.size(); ++k) {
      readers.emplace_back([&, k] { said[k] = refusal_of(k % 2 == 0 ? good : bad); });
    }
  }

  for (std::size_t k = 0; k < said.size(); ++k) EXPECT_EQ(said[k], k % 2 == 0 ? "ok" : expected);
}

}  // namespace
}  // namespace penstock::jobs::test
