/// Bytes that are no text, and texts that are good all the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "jobs/bad/refusal.hpp"

namespace penstock::jobs::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

using namespace std::string_literals;

struct Row {
  std::string name;
  std::string text;
  std::string place;
  std::string phrase;
};

std::string with_line_ends(const std::string& end) {
  std::string text;
  for (const char c : good_job) text += c == '\n' ? end : std::string(1, c);
  return text;
}

std::string as_utf16(bool is_little) {
  std::string text = is_little ? "\xff\xfe" : "\xfe\xff";
  for (const char c : good_job) text += is_little ? std::string{c, '\0'} : std::string{'\0', c};
  return text;
}

/// In a string of the second line, which begins in column 8.
std::string in_string(const std::string& bytes) { return "[job]\nname = \"" + bytes + "\"\n" + good_job; }

const std::string no_toml = "this is not TOML";

const std::vector<Row> rows = {
    {"nothing", "", "1:1", "the job is empty"},
    {"a byte order mark alone", "\xef\xbb\xbf", "1:1", "the job is empty"},
    {"half a byte order mark", "\xef\xbb", "1:1", no_toml},
    {"blank lines", "\n\n \t\n", "1:1", "the job is empty"},
    {"a comment alone", "# nothing", "1:1", "the job is empty"},
    {"two byte order marks", "\xef\xbb\xbf\xef\xbb\xbf" + good_job, "1:1", no_toml},
    {"UTF-16, little-endian", as_utf16(true), "1:1", no_toml},
    {"UTF-16, big-endian", as_utf16(false), "1:1", no_toml},
    {"UTF-32", "\xff\xfe\0\0[\0\0\0"s, "1:1", no_toml},
    {"carriage returns alone", with_line_ends("\r"), "1:10", no_toml},
    {"a program",
     "\x7f"
     "ELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0"s,
     "1:1", no_toml},
    {"an array file", "\x93NUMPY\x01\0v\0{'descr': '<f8'"s, "1:1", no_toml},
    {"JSON", R"({"data": {"x": {"shape": [4]}}})", "1:1", no_toml},
    {"YAML", "data:\n  x:\n    shape: [4]\n", "1:5", no_toml},
    {"a NUL in a key", "[job]\nna\0me = 1\n"s, "2:3", no_toml},
    {"a NUL in a string", in_string("a\0b"s), "2:10", no_toml},
    {"a NUL in a comment", "# a\0b\n"s + good_job, "1:4", no_toml},
    {"a NUL at the end", good_job + "\0"s, "11:1", no_toml},
    {"an escape sequence in a string", in_string("\x1b[2J"), "2:9", no_toml},
    {"an escape sequence in a comment", "# \x1b[2J\n" + good_job, "1:3", no_toml},
    {"an escape sequence as a key", "\x1b[2J = 1\n", "1:1", no_toml},
    {"a delete in a string", in_string("\x7f"), "2:9", no_toml},
    {"an overlong slash", in_string("\xc0\xaf"), "2:8", no_toml},
    {"an overlong NUL", in_string("\xe0\x80\x80"), "2:8", no_toml},
    {"a lone surrogate", in_string("\xed\xa0\x80"), "2:8", no_toml},
    {"a code point beyond U+10FFFF", in_string("\xf4\x90\x80\x80"), "2:8", no_toml},
    {"a lone continuation", in_string("\x80"), "2:8", no_toml},
    {"a character cut short", in_string("\xe2\x82"), "2:8", no_toml},
    {"a character cut short in a comment", "# \xe2\x82\n" + good_job, "1:2", no_toml},
    {"a character cut short at the end", good_job + "# \xe2\x82", "11:2", no_toml},
    {"a sequence of five bytes", in_string("\xf8\x88\x80\x80\x80"), "2:8", no_toml},
    {"Latin-1", in_string("gr\xfc\xdf"), "2:10", no_toml},
    {"text that turns its direction", in_string("\u202ecod.exe"), "2:8", "is not usable"},
};

TEST(BadEncodings, AreAnsweredWithPlaceAndReasonInOneLine) {
  const Scratch scratch;
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);

    const std::string message = scratch.refusal(row.text);

    EXPECT_THAT(message, StartsWith(row.place + ": "));
    EXPECT_THAT(message, HasSubstr(row.phrase));
    EXPECT_TRUE(is_inert(message));
  }
}

TEST(BadEncodings, GoodOnesAreTaken) {
  const Scratch scratch;

  EXPECT_EQ(scratch.refusal("\xef\xbb\xbf" + good_job), "ok");
  EXPECT_EQ(scratch.refusal(with_line_ends("\r\n")), "ok");
  EXPECT_EQ(scratch.refusal(good_job.substr(0, good_job.size() - 1)), "ok");
  EXPECT_EQ(scratch.refusal("# größer, 中, \U0001f600\n" + good_job), "ok");
}

}  // namespace
}  // namespace penstock::jobs::test
