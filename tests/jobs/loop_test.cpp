#include "jobs/loop.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "jobs/scope.hpp"

namespace penstock::jobs {
namespace {

using Values64 = std::vector<std::int64_t>;

const Values values{{"sizes", List{ParameterType::integer, {std::int64_t{9}, std::int64_t{4}, std::int64_t{9}}}},
                    {"modes", List{ParameterType::text, {std::string("left"), std::string("right")}}}};

Loop loop_of(const std::vector<std::string>& ranges, const std::string& condition = "") {
  Scope scope(values);
  Loop loop;
  for (const std::string& range : ranges) loop.ranges.push_back(scope.add(range));
  if (!condition.empty()) loop.condition = Condition::parse(condition, scope);
  return loop;
}

/// The indices of all steps.
std::vector<Values64> steps_of(const Loop& loop) {
  std::vector<Values64> steps;
  Indices indices;
  indices.values.resize(loop.ranges.size());
  indices.limits.resize(loop.ranges.size());
  std::int64_t turns = INT64_MAX;
  Loop::Search search = loop.to_first();
  for (; loop.seek(search, indices, turns) == Loop::Found::step; search = loop.to_next()) {
    steps.push_back(indices.values);
  }
  return steps;
}

TEST(Loop, WithoutRangesHasOneStep) {
  EXPECT_EQ(steps_of(Loop()), (std::vector<Values64>{{}}));
  EXPECT_TRUE(steps_of(loop_of({}, "1 == 2")).empty());
}

TEST(Loop, LastRangeIsFastest) {
  EXPECT_EQ(steps_of(loop_of({"i in 0..2", "j in -1 .. 2*1"})),
            (std::vector<Values64>{{0, -1}, {0, 0}, {0, 1}, {1, -1}, {1, 0}, {1, 1}}));
}

TEST(Loop, StepsAreCountedFromTheBegin) {
  EXPECT_EQ(steps_of(loop_of({"i in 1..8 step 3"})), (std::vector<Values64>{{1}, {4}, {7}}));
  EXPECT_EQ(steps_of(loop_of({"i in 1..7 step 3"})), (std::vector<Values64>{{1}, {4}}));
  EXPECT_EQ(steps_of(loop_of({"i in 1..2 step 1000000000000000000"})), (std::vector<Values64>{{1}}));
}

TEST(Loop, BoundsFollowTheIndicesFurtherOut) {
  EXPECT_EQ(steps_of(loop_of({"i in 0..3", "j in i+1..3"})), (std::vector<Values64>{{0, 1}, {0, 2}, {1, 2}}));
  EXPECT_EQ(steps_of(loop_of({"i in 0..3", "j in i..2*i step 2", "k in j..i+1"})),
            (std::vector<Values64>{{1, 1, 1}, {2, 2, 2}}));
}

TEST(Loop, EmptyInnerRangesAreNoStep) {
  EXPECT_TRUE(steps_of(loop_of({"i in 0..3", "j in i..i - 0*i + i - 2"})).size() == 0U);
  EXPECT_EQ(steps_of(loop_of({"i in 0..4", "j in 2..i", "k in 0..2"})), (std::vector<Values64>{{3, 2, 0}, {3, 2, 1}}));
}

TEST(Loop, RunsOverLists) {
  EXPECT_EQ(steps_of(loop_of({"s in sizes"})), (std::vector<Values64>{{9}, {4}, {9}}));
  EXPECT_EQ(steps_of(loop_of({"s in sizes", "m in modes", "j in s..10"})), (std::vector<Values64>{{9, 0, 9},
                                                                                                  {9, 1, 9},
                                                                                                  {4, 0, 4},
                                                                                                  {4, 0, 5},
                                                                                                  {4, 0, 6},
                                                                                                  {4, 0, 7},
                                                                                                  {4, 0, 8},
                                                                                                  {4, 0, 9},
                                                                                                  {4, 1, 4},
                                                                                                  {4, 1, 5},
                                                                                                  {4, 1, 6},
                                                                                                  {4, 1, 7},
                                                                                                  {4, 1, 8},
                                                                                                  {4, 1, 9},
                                                                                                  {9, 0, 9},
                                                                                                  {9, 1, 9}}));
}

TEST(Loop, ConditionLeavesStepsOut) {
  EXPECT_EQ(steps_of(loop_of({"i in 0..3", "j in 0..3"}, "i != j and (i + j) % 2 == 0")),
            (std::vector<Values64>{{0, 2}, {2, 0}}));
  EXPECT_TRUE(steps_of(loop_of({"i in 0..1000000"}, "i < 0")).empty());
}

TEST(Loop, SaysWhichRangeMovedOn) {
  const Loop loop = loop_of({"i in 0..2", "j in 0..2", "k in 0..2"}, "i == 0 or j == 1");
  Indices indices{.values = Values64(3), .limits = Values64(3)};
  std::vector<std::size_t> moved;

  std::int64_t turns = INT64_MAX;
  Loop::Search search = loop.to_first();
  ASSERT_EQ(loop.seek(search, indices, turns), Loop::Found::step);
  for (search = loop.to_next(); loop.seek(search, indices, turns) == Loop::Found::step; search = loop.to_next()) {
    moved.push_back(search.outermost);
  }

  EXPECT_EQ(moved, (std::vector<std::size_t>{2, 1, 2, 0, 2})) << "from 0,1,1 to 1,1,0 both i and j moved";
}

/// A search that was broken off goes on as if it had not been.
TEST(Loop, IsSearchedInAsManyTurnsAsThereAre) {
  const Loop loop = loop_of({"i in 0..6", "j in i..3", "k in 0..2"}, "i == 0 and j == 2 or i == 2 and k == 1");
  Indices indices{.values = Values64(3), .limits = Values64(3)};
  std::vector<Values64> steps;
  std::vector<std::size_t> moved;
  int broken_off = 0;

  for (Loop::Search search = loop.to_first();;) {
    std::int64_t turns = 1;
    const Loop::Found found = loop.seek(search, indices, turns);
    if (found == Loop::Found::end) break;
    broken_off += found == Loop::Found::not_yet ? 1 : 0;
    if (found == Loop::Found::not_yet) continue;
    steps.push_back(indices.values);
    moved.push_back(search.outermost);
    search = loop.to_next();
  }

  EXPECT_EQ(steps, (std::vector<Values64>{{0, 2, 0}, {0, 2, 1}, {2, 2, 1}}));
  EXPECT_EQ(moved, (std::vector<std::size_t>{1, 2, 0}));
  EXPECT_EQ(broken_off, 4 + 5 + 3) << "(0, 0, 0) to (0, 1, 1); (1, 1, 0) to (2, 2, 0); three without any j";
}

}  // namespace
}  // namespace penstock::jobs
