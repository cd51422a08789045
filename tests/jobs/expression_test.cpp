#include "jobs/expression.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>

#include "jobs/scope.hpp"
#include "jobs/source.hpp"

namespace penstock::jobs {
namespace {

using testing::HasSubstr;

const Values values{{"n", std::int64_t{12}}, {"tile", std::int64_t{5}}, {"pi", 3.14}};

Scope scope_of_test() {
  Scope scope(values);
  static_cast<void>(scope.add("i in 0..8"));
  static_cast<void>(scope.add("j in -2..5"));
  return scope;
}

std::int64_t value(std::string_view text, std::int64_t i = 0, std::int64_t j = 0) {
  return Expression::parse(text, scope_of_test()).evaluate(std::array{i, j});
}

std::string mistake(const std::string& text) {
  try {
    const Scope scope = scope_of_test();
    static_cast<void>(scope.extremes(Expression::parse(text, scope)));
  } catch (const Mistake& found) {
    return found.what();
  }
  return "accepted";
}

TEST(Expression, FollowsTheRulesOfArithmetic) {
  EXPECT_EQ(value("2 + 3 * 4"), 14);
  EXPECT_EQ(value("(2 + 3) * 4 - 1"), 19);
  EXPECT_EQ(value("10 - 3 - 2"), 5);
  EXPECT_EQ(value("--3"), 3);
  EXPECT_EQ(value("-(2 - 5) * -2"), -6);
  EXPECT_EQ(value(" i*8+j ", 3, 2), 26);
  EXPECT_EQ(value("2 * (i - 3 * j) * 5 - i", 7, -1), 93);
  EXPECT_EQ(value("i - i", 5), 0);
  EXPECT_EQ(value("(2 * 3) * i", 5), 30);
  EXPECT_EQ(value("i * (2 + 3) + j - 2 * j", 5, 1), 24);
}

TEST(Expression, ValuesStandForThemselves) {
  EXPECT_EQ(value("n * i - tile", 2), 19);
  EXPECT_EQ(value("n / 4 / 3"), 1);
  EXPECT_EQ(value("-n / 4"), -3);
  EXPECT_EQ(value("ceil(n / tile)"), 3);
  EXPECT_EQ(value("floor(n / tile) * i", 7), 14);
  EXPECT_EQ(value("ceil(-n / tile)"), -2);
  EXPECT_EQ(value("floor(-n / tile)"), -3);
  EXPECT_EQ(value("ceil((n + 3) / tile)"), 3);
  EXPECT_EQ(value("n % tile"), 2);
}

TEST(Expression, MistakesSayWhatIsWrong) {
  EXPECT_THAT(mistake("i * j"), HasSubstr("one side must be a number"));
  EXPECT_THAT(mistake("k"), HasSubstr("unknown index or value 'k'; known: i, j, n, pi, tile"));
  EXPECT_THAT(mistake(""), HasSubstr("its end"));
  EXPECT_THAT(mistake("i +"), HasSubstr("its end"));
  EXPECT_THAT(mistake("i / 2"), HasSubstr("divides a variable"));
  EXPECT_THAT(mistake("n / tile"), HasSubstr("divides 12 by 5, which leaves a rest, ceil() or floor()"));
  EXPECT_THAT(mistake("n / 0"), HasSubstr("divides by 0, a positive number is needed"));
  EXPECT_THAT(mistake("ceil(n)"), HasSubstr("no quotient, ceil(n / tile) would be"));
  EXPECT_THAT(mistake("ceil(n / tile + 1)"), HasSubstr("no quotient"));
  EXPECT_THAT(mistake("ceil n"), HasSubstr("'n' where"));
  EXPECT_THAT(mistake("pi"), HasSubstr("the value 'pi' is a real number, an integer is needed"));
  EXPECT_THAT(mistake("(i"), HasSubstr("its end"));
  EXPECT_THAT(mistake("i)"), HasSubstr("')'"));
  EXPECT_THAT(mistake("2i"), HasSubstr("'i'"));
  EXPECT_THAT(mistake("i j"), HasSubstr("'j'"));
  EXPECT_THAT(mistake("1.5"), HasSubstr("'.'"));
  EXPECT_THAT(mistake("i == 2"), HasSubstr("'='"));
}

TEST(Expression, NumbersBeyond64BitsAreRefused) {
  EXPECT_THAT(mistake("9223372036854775808"), HasSubstr("64 bits"));
  EXPECT_THAT(mistake("9223372036854775807 + 1"), HasSubstr("64 bits"));
  EXPECT_THAT(mistake("3037000500 * 3037000500"), HasSubstr("64 bits"));
  EXPECT_THAT(mistake("4611686018427387904 * i"), HasSubstr("64 bits"));
  EXPECT_EQ(mistake("9223372036854775807 - i"), "accepted");
}

TEST(Expression, DeepParenthesesAreRefused) {
  EXPECT_THAT(mistake(std::string(1'000'000, '(')), HasSubstr("more than 32 parentheses"));
  EXPECT_EQ(value(std::string(1'000'000, '-') + "i", 3), 3);
}

TEST(Expression, LongSumsTakeNoStack) {
  std::string text = "i";
  for (int k = 0; k < 100'000; ++k) text += " + 1";

  EXPECT_EQ(value(text, 3), 100'003);
}

}  // namespace
}  // namespace penstock::jobs
