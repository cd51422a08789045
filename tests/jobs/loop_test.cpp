#include "jobs/loop.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "jobs/source.hpp"

namespace penstock::jobs {
namespace {

using Indices = std::vector<std::int64_t>;

TEST(Loop, WithoutRangesHasOneStep) {
  const Loop loop;
  Indices indices{7};

  loop.first(indices);

  EXPECT_EQ(loop.steps(), 1);
  EXPECT_TRUE(indices.empty());
  EXPECT_FALSE(loop.advance(indices));
}

TEST(Loop, LastRangeIsFastest) {
  Loop loop;
  loop.add("i in 0..2");
  loop.add("j in -1 .. 2*1");
  std::vector<Indices> seen;
  Indices indices;

  loop.first(indices);
  do seen.push_back(indices);
  while (loop.advance(indices));

  EXPECT_EQ(loop.steps(), 6);
  EXPECT_EQ(seen, (std::vector<Indices>{{0, -1}, {0, 0}, {0, 1}, {1, -1}, {1, 0}, {1, 1}}));
}

TEST(Loop, FindsTheIndicesOfAnyStep) {
  Loop loop;
  loop.add("i in 3..7");
  loop.add("j in 0..5");
  loop.add("k in -2..0");
  Indices walked;
  Indices found;

  loop.first(walked);
  for (std::int64_t step = 0; step < loop.steps(); ++step, loop.advance(walked)) {
    loop.at(step, found);
    EXPECT_EQ(found, walked);
  }
}

TEST(Loop, RefusesWhatIsNoRange) {
  for (const char* text : {"", "i", "i in", "i in 5", "i 0..5", "in 0..5", "i in 0..", "i in ..5", "i in 5..5",
                           "i in 5..4", "i inn 0..5", "2 in 0..5", "i in 0...5", "i in 0..j", "i in 0..5 extra",
                           "i in 0..1099511627777", "i in -9223372036854775807..9223372036854775807"}) {
    Loop loop;
    EXPECT_THROW(loop.add(text), Mistake) << text;
  }
}

TEST(Loop, RefusesTooManySteps) {
  Loop loop;
  loop.add("a in 0..1048576");
  loop.add("b in 0..1048576");

  EXPECT_THROW(loop.add("c in 0..2"), Mistake);
}

TEST(Loop, RefusesTheSameIndexTwice) {
  Loop loop;
  loop.add("a in 0..4");

  EXPECT_THROW(loop.add("a in 0..1"), Mistake);
}

TEST(Loop, TakesEightRangesAndNoMore) {
  Loop loop;
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h"}) loop.add(std::string(name) + " in 0..2");

  EXPECT_EQ(loop.steps(), 256);
  EXPECT_THROW(loop.add("i in 0..1"), Mistake);
}

}  // namespace
}  // namespace penstock::jobs
