#include "jobs/expression.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <set>
#include <string>

#include "jobs/loop.hpp"
#include "jobs/source.hpp"

namespace penstock::jobs {
namespace {

using testing::HasSubstr;

const std::array<Variable, 2> variables{Variable{"i", 0, 8}, Variable{"j", -2, 5}};

std::int64_t value(std::string_view text, std::int64_t i, std::int64_t j) {
  return Expression::parse(text, variables).evaluate(std::array{i, j});
}

std::string mistake(const std::string& text) {
  try {
    static_cast<void>(Expression::parse(text, variables).extremes(variables));
  } catch (const Mistake& found) {
    return found.what();
  }
  return "accepted";
}

TEST(Expression, FollowsTheRulesOfArithmetic) {
  EXPECT_EQ(value("2 + 3 * 4", 0, 0), 14);
  EXPECT_EQ(value("(2 + 3) * 4 - 1", 0, 0), 19);
  EXPECT_EQ(value("10 - 3 - 2", 0, 0), 5);
  EXPECT_EQ(value("--3", 0, 0), 3);
  EXPECT_EQ(value(" i*8+j ", 3, 2), 26);
  EXPECT_EQ(value("2 * (i - 3 * j) * 5 - i", 7, -1), 93);
  EXPECT_EQ(value("i - i", 5, 0), 0);
  EXPECT_EQ(value("(2 * 3) * i", 5, 0), 30);
}

TEST(Expression, ExtremesAreThoseOfAllIndices) {
  const auto [least, greatest] = Expression::parse("3 * i - 2 * j + 1", variables).extremes(variables);

  EXPECT_EQ(least, -7);
  EXPECT_EQ(greatest, 26);
}

TEST(Expression, MistakesSayWhatIsWrong) {
  EXPECT_THAT(mistake("i * j"), HasSubstr("one side must be a number"));
  EXPECT_THAT(mistake("k"), HasSubstr("unknown index 'k', the indices here are i, j"));
  EXPECT_THAT(mistake(""), HasSubstr("its end"));
  EXPECT_THAT(mistake("i +"), HasSubstr("its end"));
  EXPECT_THAT(mistake("i / 2"), HasSubstr("'/'"));
  EXPECT_THAT(mistake("(i"), HasSubstr("its end"));
  EXPECT_THAT(mistake("2i"), HasSubstr("'i'"));
  EXPECT_THAT(mistake("i j"), HasSubstr("'j'"));
  EXPECT_THAT(mistake("1.5"), HasSubstr("'.'"));
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
  EXPECT_EQ(value(std::string(1'000'000, '-') + "i", 3, 0), 3);
}

TEST(Expression, InjectivityIsNeverClaimedWrongly) {
  Loop loop;
  loop.add("a in 0..4");
  loop.add("b in -1..3");
  loop.add("c in 5..6");
  int claimed = 0;
  for (std::int64_t p = -6; p <= 6; ++p) {
    for (std::int64_t q = -6; q <= 6; ++q) {
      const std::string text = std::to_string(p) + "*a + " + std::to_string(q) + "*b + 0*c";
      const Expression expression = Expression::parse(text, loop.variables());
      if (!expression.is_injective(loop.variables())) continue;
      ++claimed;
      std::set<std::int64_t> values;
      std::vector<std::int64_t> indices;
      loop.first(indices);
      do values.insert(expression.evaluate(indices));
      while (loop.advance(indices));
      EXPECT_EQ(static_cast<std::int64_t>(values.size()), loop.steps()) << text;
    }
  }
  EXPECT_GT(claimed, 20);
}

}  // namespace
}  // namespace penstock::jobs
