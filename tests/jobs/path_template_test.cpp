#include "jobs/path_template.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>

#include "jobs/source.hpp"

namespace penstock::jobs {
namespace {

using testing::HasSubstr;

const std::array<Variable, 2> variables{Variable{"i", -20, 2000}, Variable{"j", 0, 10}};

std::string path(const std::string& text, std::int64_t i, std::int64_t j) {
  std::string made = "left over";
  PathTemplate::parse(text, variables).make(std::array{i, j}, made);
  return made;
}

template <class Action>
std::string mistake_of(Action action) {
  try {
    action();
  } catch (const Mistake& mistake) {
    return mistake.what();
  }
  return "accepted";
}

std::string syntax(const std::string& text) {
  return mistake_of([&] { static_cast<void>(PathTemplate::parse(text, variables)); });
}

std::string inside(const std::string& text) {
  return mistake_of([&] { PathTemplate::parse(text, variables).check_inside(variables); });
}

TEST(PathTemplate, PutsNumbersIn) {
  EXPECT_EQ(path("a.npy", 1, 2), "a.npy");
  EXPECT_EQ(path("{i}", 12, 0), "12");
  EXPECT_EQ(path("d/{i}_{j}.npy", -3, 4), "d/-3_4.npy");
  EXPECT_EQ(path("{2 * i + j}x", 5, 1), "11x");
}

TEST(PathTemplate, PadsWithZerosAsPythonDoes) {
  EXPECT_EQ(path("{i:03}", 7, 0), "007");
  EXPECT_EQ(path("{i:03}", 1234, 0), "1234");
  EXPECT_EQ(path("{i:04}", -7, 0), "-007");
  EXPECT_EQ(path("{i:02}", -7, 0), "-7");
}

TEST(PathTemplate, DoubledBracesAreBraces) { EXPECT_EQ(path("{{{i}}}", 5, 0), "{5}"); }

TEST(PathTemplate, MistakesSayWhatIsWrong) {
  EXPECT_THAT(syntax(""), HasSubstr("empty"));
  EXPECT_THAT(syntax("a{i"), HasSubstr("'{' without"));
  EXPECT_THAT(syntax("a}i"), HasSubstr("'}' without"));
  EXPECT_THAT(syntax("{}"), HasSubstr("its end"));
  EXPECT_THAT(syntax("{k}"), HasSubstr("unknown index 'k'"));
  EXPECT_THAT(syntax("{i:3}"), HasSubstr("not of the form 03"));
  EXPECT_THAT(syntax("{i:0}"), HasSubstr("not of the form 03"));
  EXPECT_THAT(syntax("{i:099}"), HasSubstr("not of the form 03"));
  EXPECT_THAT(syntax("{i:03x}"), HasSubstr("not of the form 03"));
  EXPECT_THAT(syntax(std::string("a\0b", 3)), HasSubstr("control characters"));
  EXPECT_THAT(syntax("{9223372036854775807 * i}"), HasSubstr("64 bits"));
}

TEST(PathTemplate, PathsOutOfTheFolderAreFound) {
  EXPECT_EQ(inside("a/b/{i}.npy"), "accepted");
  EXPECT_EQ(inside("..a/b..{i}"), "accepted");
  EXPECT_THAT(inside("/a"), HasSubstr("absolute"));
  EXPECT_THAT(inside("../a"), HasSubstr("'..'"));
  EXPECT_THAT(inside("a/../b"), HasSubstr("'..'"));
  EXPECT_THAT(inside("a/.."), HasSubstr("'..'"));
  EXPECT_THAT(inside("a//b"), HasSubstr("empty or '.'"));
  EXPECT_THAT(inside("./a"), HasSubstr("empty or '.'"));
  EXPECT_THAT(inside("a/"), HasSubstr("empty or '.'"));
}

}  // namespace
}  // namespace penstock::jobs
