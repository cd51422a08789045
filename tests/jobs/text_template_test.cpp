#include "jobs/text_template.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "jobs/source.hpp"

namespace penstock::jobs {
namespace {

using testing::HasSubstr;

const Values values{{"n", std::int64_t{40}},
                    {"tolerance", 0.5},
                    {"fast", true},
                    {"side", std::string("{left}/right")},
                    {"sizes", List{ParameterType::integer, {std::int64_t{3}, std::int64_t{5}}}},
                    {"factors", List{ParameterType::real, {0.25, 1e-9}}},
                    {"modes", List{ParameterType::text, {std::string("left"), std::string("right")}}}};

Scope scope_of_test() {
  Scope scope(values);
  static_cast<void>(scope.add("i in -20..2000"));
  static_cast<void>(scope.add("j in 0..10"));
  static_cast<void>(scope.add("size in sizes"));
  static_cast<void>(scope.add("factor in factors"));
  static_cast<void>(scope.add("mode in modes"));
  return scope;
}

std::string made(const std::string& text, std::int64_t i, std::int64_t j) {
  std::string result = "left over";
  TextTemplate::parse(text, scope_of_test(), "path").make({.values = {i, j, 5, 0, 1}, .limits = {}}, result);
  return result;
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
  return mistake_of([&] { static_cast<void>(TextTemplate::parse(text, scope_of_test(), "path")); });
}

std::string inside(const std::string& path) {
  return mistake_of([&] { check_inside(path); });
}

TEST(TextTemplate, PutsNumbersIn) {
  EXPECT_EQ(made("a.npy", 1, 2), "a.npy");
  EXPECT_EQ(made("{i}", 12, 0), "12");
  EXPECT_EQ(made("d/{i}_{j}.npy", -3, 4), "d/-3_4.npy");
  EXPECT_EQ(made("{2 * i + j}x", 5, 1), "11x");
}

TEST(TextTemplate, PutsValuesAndItemsOfListsIn) {
  EXPECT_EQ(made("{n}-{n / 8:03}-{tolerance}-{fast}", 0, 0), "40-005-0.5-true");
  EXPECT_EQ(made("{side}: { side }{i}", 4, 0), "{left}/right: {left}/right4") << "as it is";
  EXPECT_EQ(made("{size}-{size + i}-{ factor }-{mode}.npy", 1, 0), "5-6-0.25-right.npy");
}

TEST(TextTemplate, PadsWithZerosAsPythonDoes) {
  EXPECT_EQ(made("{i:03}", 7, 0), "007");
  EXPECT_EQ(made("{i:03}", 1234, 0), "1234");
  EXPECT_EQ(made("{i:04}", -7, 0), "-007");
  EXPECT_EQ(made("{i:02}", -7, 0), "-7");
}

TEST(TextTemplate, DoubledBracesAreBraces) { EXPECT_EQ(made("{{{i}}}", 5, 0), "{5}"); }

TEST(TextTemplate, MistakesSayWhatIsWrong) {
  EXPECT_THAT(syntax("a{i"), HasSubstr("the path 'a{i' has a '{' without"));
  EXPECT_THAT(syntax("a}i"), HasSubstr("'}' without"));
  EXPECT_THAT(syntax("{}"), HasSubstr("its end"));
  EXPECT_THAT(syntax("{k}"), HasSubstr("unknown index or value 'k'"));
  EXPECT_THAT(syntax("{sizes}"), HasSubstr("the value 'sizes' is a list of integers, an integer is needed"));
  EXPECT_THAT(syntax("{mode + 1}"), HasSubstr("'mode' runs over a list of texts, an integer is needed"));
  EXPECT_THAT(syntax("{i:3}"), HasSubstr("not of the form 03"));
  EXPECT_THAT(syntax("{i:0}"), HasSubstr("not of the form 03"));
  EXPECT_THAT(syntax("{i:099}"), HasSubstr("not of the form 03"));
  EXPECT_THAT(syntax("{i:03x}"), HasSubstr("not of the form 03"));
  EXPECT_THAT(syntax(std::string("a\0b", 3)), HasSubstr("control characters"));
  EXPECT_THAT(syntax("a\x1b[31m"), HasSubstr("control characters"));
  EXPECT_THAT(syntax("a\xe2\x80\xae"
                     "b"),
              HasSubstr("the path 'a?b' has control characters"));
  EXPECT_THAT(syntax("a\xc2\x9b"
                     "b"),
              HasSubstr("control characters"));
  EXPECT_EQ(syntax("\xe2\x82\xac \xc3\xa4"), "accepted");
  EXPECT_THAT(syntax("{9223372036854775807 * i}"), HasSubstr("64 bits"));
}

TEST(TextTemplate, PathsOutOfTheFolderAreFound) {
  EXPECT_EQ(inside("a/b/3.npy"), "accepted");
  EXPECT_EQ(inside("..a/b.."), "accepted");
  EXPECT_THAT(inside("/a"), HasSubstr("absolute"));
  EXPECT_THAT(inside("../a"), HasSubstr("'..'"));
  EXPECT_THAT(inside("a/../b"), HasSubstr("'..'"));
  EXPECT_THAT(inside("a/.."), HasSubstr("'..'"));
  EXPECT_THAT(inside("a//b"), HasSubstr("empty or '.'"));
  EXPECT_THAT(inside("./a"), HasSubstr("empty or '.'"));
  EXPECT_THAT(inside("a/"), HasSubstr("empty or '.'"));
  EXPECT_THAT(inside(std::string(256, 'a')), HasSubstr("a name of more than 255 bytes"));
  EXPECT_THAT(inside(std::string(5000, 'a')), HasSubstr("longer than 3000 bytes"));
}

}  // namespace
}  // namespace penstock::jobs
