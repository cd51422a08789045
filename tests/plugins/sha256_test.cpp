#include "plugins/sha256.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <penstock/error.hpp>

#include "plugins/temporary_folder.hpp"

namespace penstock::plugins {
namespace {

std::string hash_of_file(const std::filesystem::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const std::string hash = sha256_of(file);
  close(file);
  return hash;
}

TEST(Sha256, IsThatOfTheStandardsExamples) {
  const TemporaryFolder folder;

  EXPECT_EQ(hash_of_file(folder.write("none", "")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hash_of_file(folder.write("abc", "abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hash_of_file(folder.write("million", std::string(1'000'000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, SaysWhenTheFileCannotBeRead) {
  const int folder = open("/", O_RDONLY | O_CLOEXEC);

  EXPECT_THROW(static_cast<void>(sha256_of(folder)), Error);

  close(folder);
}

}  // namespace
}  // namespace penstock::plugins
