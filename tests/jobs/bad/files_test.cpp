/// The files of the folder `files`. The first line of each says what is said to it:
///
///     # expect: ok
///     # expect: 12:8: a part of the message
///     # expect: parts/other.toml:3:9: likewise, where the mistake is in a file that is included
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "jobs/bad/refusal.hpp"

namespace penstock::jobs::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view mark = "# expect: ";

std::vector<std::filesystem::path> files() {
  std::vector<std::filesystem::path> result;
  for (const auto& entry : std::filesystem::directory_iterator(PENSTOCK_BAD_JOBS)) {
    if (entry.path().extension() == ".toml") result.push_back(entry.path());
  }
  std::ranges::sort(result);
  return result;
}

/// Where the mistake is, with the name of the file, and what is said about it.
struct Expectation {
  std::string place;
  std::string phrase;
};

Expectation expectation_of(const std::filesystem::path& file) {
  std::string line;
  std::ifstream in(file);
  std::getline(in, line);
  if (!line.starts_with(mark)) return {.place = "a first line that says what to expect", .phrase = line};
  line.erase(0, mark.size());
  const std::size_t end = line.find(": ");
  if (end == std::string::npos) return {.place = line, .phrase = ""};
  const std::string place = line.substr(0, end + 2);
  const bool is_of_main = place.front() >= '0' && place.front() <= '9';
  const std::filesystem::path folder = file.parent_path();
  return {.place = is_of_main ? file.string() + ':' + place : (folder / place).string(),
          .phrase = line.substr(end + 2)};
}

TEST(BadJobFiles, AreAnsweredWithPlaceAndReasonInOneLine) {
  for (const std::filesystem::path& file : files()) {
    SCOPED_TRACE(file.filename().string());
    const Expectation expected = expectation_of(file);

    const std::string message = refusal_of(file);

    EXPECT_THAT(message, StartsWith(expected.place));
    EXPECT_THAT(message, HasSubstr(expected.phrase));
    EXPECT_TRUE(is_inert(message));
  }
}

TEST(BadJobFiles, AreMany) { EXPECT_GE(files().size(), 250U); }

}  // namespace
}  // namespace penstock::jobs::test
