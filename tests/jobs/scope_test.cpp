#include "jobs/scope.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "jobs/source.hpp"

namespace penstock::jobs {
namespace {

using testing::HasSubstr;

const Values values{{"n", std::int64_t{6}},
                    {"sizes", List{ParameterType::integer, {std::int64_t{9}, std::int64_t{4}}}},
                    {"modes", List{ParameterType::text, {std::string("left"), std::string("right")}}}};

std::string mistake(const std::vector<std::string>& ranges) {
  Scope scope(values);
  try {
    for (const std::string& range : ranges) static_cast<void>(scope.add(range));
  } catch (const Mistake& found) {
    return found.what();
  }
  return "accepted";
}

TEST(Scope, RefusesWhatIsNoRange) {
  for (const char* text : {"",
                           "i",
                           "i in",
                           "i in 5",
                           "i 0..5",
                           "in 0..5",
                           "i in 0..",
                           "i in ..5",
                           "i in 5..5",
                           "i in 5..4",
                           "i inn 0..5",
                           "2 in 0..5",
                           "i in 0...5",
                           "i in 0..j",
                           "i in 0..5 extra",
                           "i in 0..5 step",
                           "i in 0..5 step 0",
                           "i in 0..5 step -1",
                           "i in 0..1..2",
                           "i in 0..1099511627777",
                           "i in -9223372036854775807..9223372036854775807"}) {
    EXPECT_NE(mistake({text}), "accepted") << text;
  }
}

TEST(Scope, MistakesSayWhatIsWrong) {
  EXPECT_THAT(mistake({"i in 0..4", "i in 0..1"}), HasSubstr("used by two ranges"));
  EXPECT_THAT(mistake({"n in 0..4"}), HasSubstr("has the name of a value"));
  EXPECT_THAT(mistake({"not in 0..4"}), HasSubstr("is a word of the language"));
  EXPECT_THAT(mistake({"i in n"}), HasSubstr("'n' is an integer, a list is needed"));
  EXPECT_THAT(mistake({"i in size"}), HasSubstr("unknown index or value 'size', did you mean 'sizes'?"));
  EXPECT_THAT(mistake({"i in 0..4", "j in i..i"}), HasSubstr("is empty"));
  EXPECT_THAT(mistake({"i in 0..4", "j in 0..9 step i"}), HasSubstr("no positive constant"));
  EXPECT_THAT(mistake({"m in modes", "j in 0..m"}), HasSubstr("runs over a list of texts"));
  EXPECT_THAT(mistake({"i in 0..4", "j in 4611686018427387904*i..5"}), HasSubstr("64 bits"));
  EXPECT_THAT(mistake({"a in 0..1048576", "b in 0..1048576", "c in 0..2"}), HasSubstr("more than 2^40 steps"));
}

TEST(Scope, StepsMayStandInNames) {
  EXPECT_EQ(mistake({"stepped in 0..4", "j in 0..stepped + 1 step n / 3"}), "accepted");
}

/// The bounds and what the value really is over all steps.
struct Found {
  Extremes bounds;
  Extremes real{INT64_MAX, INT64_MIN};
};

Found found(const std::vector<std::string>& ranges, const std::string& text) {
  Scope scope(values);
  Loop loop;
  for (const std::string& range : ranges) loop.ranges.push_back(scope.add(range));
  const Expression expression = Expression::parse(text, scope);
  Found result{.bounds = scope.extremes(expression)};
  Indices indices{.values = std::vector<std::int64_t>(ranges.size()),
                  .limits = std::vector<std::int64_t>(ranges.size())};
  std::int64_t turns = INT64_MAX;
  Loop::Search search = loop.to_first();
  for (; loop.seek(search, indices, turns) == Loop::Found::step; search = loop.to_next()) {
    const std::int64_t value = expression.evaluate(indices.values);
    result.real = {std::min(result.real.least, value), std::max(result.real.greatest, value)};
  }
  return result;
}

TEST(Scope, ExtremesOfUsualLoopsAreExact) {
  const std::vector<std::string> rectangle{"i in 0..8", "j in -2..5 step 3"};
  const std::vector<std::string> triangle{"i in 0..n", "j in i+1..n"};
  const std::vector<std::string> tetrahedron{"k in 0..n", "i in k+1..n", "j in k+1..i"};
  for (const auto& [ranges, text] :
       std::vector<std::pair<std::vector<std::string>, std::string>>{{rectangle, "3 * i - 2 * j + 1"},
                                                                     {rectangle, "j"},
                                                                     {{"s in sizes"}, "2 * s - 1"},
                                                                     {triangle, "i"},
                                                                     {triangle, "i + 1"},
                                                                     {triangle, "j"},
                                                                     {triangle, "j - i - 1"},
                                                                     {triangle, "n - 1 - j"},
                                                                     {triangle, "j - 1"},
                                                                     {triangle, "i + n - j"},
                                                                     {{"i in 0..n", "j in 0..i+1"}, "i - j"},
                                                                     {{"i in 0..n", "j in 0..i"}, "i - 1"},
                                                                     {{"i in 0..n", "j in i..i+3 step 2"}, "j - i"},
                                                                     {tetrahedron, "j"},
                                                                     {tetrahedron, "i - j"}}) {
    const auto [bounds, real] = found(ranges, text);
    EXPECT_EQ(bounds.least, real.least) << ranges.back() << ": " << text;
    EXPECT_EQ(bounds.greatest, real.greatest) << ranges.back() << ": " << text;
  }
}

TEST(Scope, ExtremesAreNeverTooNarrow) {
  for (int a = -2; a <= 2; ++a) {
    for (int b = -2; b <= 2; ++b) {
      for (int c = -2; c <= 2; ++c) {
        const std::string scale = std::to_string(a);
        const auto [bounds, real] =
            found({"i in -3..4 step 2", "j in " + scale + "*i - 1..n", "k in j..n - " + scale + "*i step 2"},
                  std::to_string(b) + "*j + " + std::to_string(c) + "*k - i");
        EXPECT_LE(bounds.least, real.least);
        EXPECT_GE(bounds.greatest, real.greatest);
      }
    }
  }
}

}  // namespace
}  // namespace penstock::jobs
