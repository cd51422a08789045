#include "jobs/condition.hpp"

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

const Values values{{"n", std::int64_t{7}}, {"pi", 3.14}};

Scope scope_of_test() {
  Scope scope(values);
  static_cast<void>(scope.add("i in -10..10"));
  static_cast<void>(scope.add("j in 0..10"));
  return scope;
}

bool holds(const std::string& text, std::int64_t i, std::int64_t j = 0) {
  return Condition::parse(text, scope_of_test()).holds(std::array{i, j});
}

std::string mistake(const std::string& text) {
  try {
    static_cast<void>(Condition::parse(text, scope_of_test()));
  } catch (const Mistake& found) {
    return found.what();
  }
  return "accepted";
}

TEST(Condition, WithoutTextHoldsAlways) { EXPECT_TRUE(Condition().holds({})); }

TEST(Condition, ComparesNumbers) {
  EXPECT_TRUE(holds("i == 3", 3));
  EXPECT_FALSE(holds("i == 3", 4));
  EXPECT_TRUE(holds("i != j", 1, 2));
  EXPECT_FALSE(holds("i != j", 2, 2));
  EXPECT_TRUE(holds("i < j", 1, 2));
  EXPECT_FALSE(holds("i < j", 2, 2));
  EXPECT_TRUE(holds("i <= j", 2, 2));
  EXPECT_FALSE(holds("i <= j", 3, 2));
  EXPECT_TRUE(holds("i > -n", 0));
  EXPECT_FALSE(holds("i > -n", -7));
  EXPECT_TRUE(holds("i >= j", 2, 2));
  EXPECT_FALSE(holds("i >= j", 1, 2));
}

TEST(Condition, JoinsComparisonsAsPythonDoes) {
  EXPECT_TRUE(holds("i == 1 or i == 2 and j == 9", 1, 0));
  EXPECT_FALSE(holds("(i == 1 or i == 2) and j == 9", 1, 0));
  EXPECT_TRUE(holds("not i == 1 and j == 0", 2, 0));
  EXPECT_FALSE(holds("not (i == 1 or j == 0)", 2, 0));
  EXPECT_TRUE(holds("not not i == 1", 1));
  EXPECT_TRUE(holds("(i) < ((j))", 1, 2));
}

TEST(Condition, DividesAndMultipliesVariables) {
  EXPECT_TRUE(holds("i % 3 == 2", -1));
  EXPECT_TRUE(holds("i / 3 == -1", -1));
  EXPECT_TRUE(holds("floor(i / 3) == -2", -4));
  EXPECT_TRUE(holds("ceil(i / 3) == -1", -4));
  EXPECT_TRUE(holds("(i + j) % 2 == 0", -3, 5));
  EXPECT_TRUE(holds("i * j == -6", -2, 3));
  EXPECT_TRUE(holds("i * i + j * j <= n * n", 5, 4));
  EXPECT_TRUE(holds("n / 2 == 3", 0));
}

TEST(Condition, DividesByVariablesThatArePositive) {
  EXPECT_TRUE(holds("i % (j + 1) == 2", -10, 3));
  EXPECT_TRUE(holds("i / (j + 1) == -3", -10, 3));
  EXPECT_TRUE(holds("ceil(i / (j + 1)) == -2", -10, 3));
  EXPECT_TRUE(holds("n % (j * j + 1) == 2", 0, 2));
}

/// The range of a quotient or rest is that of what is really there, at both ends of the divisor: it would go beyond 64
/// bits in the products otherwise, or be no divisor itself.
TEST(Condition, BoundsWhatIsDividedByVariables) {
  const std::string most = "9223372036854775807";

  EXPECT_TRUE(holds("j * 900000000000000000 / (j + 1) + 1000000000000000000 > 0", 0, 9));
  EXPECT_THAT(mistake("j * 900000000000000000 / (j + 1) * 2 >= 0"), HasSubstr("64 bits"));
  EXPECT_TRUE(holds("1 / (1 + i / (j + 2) + 5) == 1", -10, 0));  // -5 to 5, and 6
  EXPECT_THAT(mistake("1 / (i / (j + 2) + 5) == 1"), HasSubstr("no positive number"));
  EXPECT_TRUE(holds("i % (j + 1) * (" + most + " / 10) >= 0", 9, 9));
  EXPECT_THAT(mistake("i % (j + 1) * (" + most + " / 8) >= 0"), HasSubstr("64 bits"));
  EXPECT_THAT(mistake("i % (j - 1) == 0"), HasSubstr("divides by what is no positive number"));
}

/// In steps that are done, j is never 0: without any, it would be a divisor all the same.
TEST(Condition, KnowsWhichDivisorsThereAre) {
  Scope triangle(values);
  for (const char* range : {"i in 0..10", "j in 1..i"}) static_cast<void>(triangle.add(range));
  Scope nothing(values);
  for (const char* range : {"i in 0..3", "j in i+10..1"}) static_cast<void>(nothing.add(range));

  EXPECT_TRUE(Condition::parse("i % j == 1", triangle).holds(std::array{std::int64_t{7}, std::int64_t{3}}));
  EXPECT_TRUE(Condition::parse("j % i == 3", triangle).holds(std::array{std::int64_t{7}, std::int64_t{3}}));
  EXPECT_NO_THROW(static_cast<void>(Condition::parse("9 % j == 0 or 9 / j == 0", nothing)));
}

TEST(Condition, MistakesSayWhatIsWrong) {
  EXPECT_THAT(mistake(""), HasSubstr("its end"));
  EXPECT_THAT(mistake("i"), HasSubstr("is a number, a comparison such as i != j is needed"));
  EXPECT_THAT(mistake("i + 1"), HasSubstr("is a number"));
  EXPECT_THAT(mistake("i = 1"), HasSubstr("'='"));
  EXPECT_THAT(mistake("0 <= i < 3"), HasSubstr("'<'"));
  EXPECT_THAT(mistake("i and j == 1"), HasSubstr("joins numbers"));
  EXPECT_THAT(mistake("not i"), HasSubstr("joins numbers"));
  EXPECT_THAT(mistake("(i == 1) + 1 == 2"), HasSubstr("computes with a comparison"));
  EXPECT_THAT(mistake("(i == 1) == (j == 1)"), HasSubstr("computes with a comparison"));
  EXPECT_THAT(mistake("-(i == 1) == 1"), HasSubstr("computes with a comparison"));
  EXPECT_THAT(mistake("i % j == 1"), HasSubstr("divides by what is no positive number"));
  EXPECT_THAT(mistake("i / 0 == 1"), HasSubstr("divides by what is no positive number"));
  EXPECT_THAT(mistake("i / -2 == 1"), HasSubstr("divides by what is no positive number"));
  EXPECT_THAT(mistake("k == 1"), HasSubstr("unknown index or value 'k'"));
  EXPECT_THAT(mistake("pi == 3"), HasSubstr("an integer is needed"));
  EXPECT_THAT(mistake("i == 1 and"), HasSubstr("its end"));
  EXPECT_THAT(mistake("i * i * i * 9223372036854775807 == 1"), HasSubstr("64 bits"));
  EXPECT_THAT(mistake(std::string(100'000, '(')), HasSubstr("more than 32 parentheses"));
}

TEST(Condition, LongTextsTakeNoStack) {
  std::string text = "i == 0";
  for (int k = 1; k < 20'000; ++k) text += " or i == " + std::to_string(k);

  EXPECT_TRUE(holds(text, 5));
  EXPECT_FALSE(holds(text, -5));
}

}  // namespace
}  // namespace penstock::jobs
