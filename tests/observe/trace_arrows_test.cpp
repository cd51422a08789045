#include "observe/trace_arrows.hpp"

#include <gtest/gtest.h>

#include "observe/trace_builder.hpp"

namespace penstock::observe {
namespace {

using core::DataId;
using core::Direction;
using core::Version;

SliceEnd slice(std::int64_t begin_ns, std::int64_t end_ns) {
  return {.rank = 0, .row = 0, .begin_ns = begin_ns, .end_ns = end_ns};
}

TEST(Arrow, GoesFromTheEndToTheBeginning) {
  const auto arrow = arrow_between(slice(10, 20), slice(20, 30));

  ASSERT_TRUE(arrow);
  EXPECT_EQ(arrow->from_ns, 19);
  EXPECT_EQ(arrow->to_ns, 21);
}

TEST(Arrow, EndsStayInsideOfShortSlices) {
  const auto arrow = arrow_between(slice(10, 11), slice(11, 12));

  ASSERT_TRUE(arrow);
  EXPECT_EQ(arrow->from_ns, 10);
  EXPECT_EQ(arrow->to_ns, 11);
}

TEST(Arrow, BetweenSlicesThatOverlapDoesNotGoBack) {
  for (const auto& [from, to] : {std::pair(slice(10, 20), slice(5, 18)), std::pair(slice(10, 20), slice(15, 40)),
                                 std::pair(slice(10, 20), slice(12, 13)), std::pair(slice(10, 12), slice(0, 100))}) {
    const auto arrow = arrow_between(from, to);

    ASSERT_TRUE(arrow);
    EXPECT_LE(arrow->from_ns, arrow->to_ns);
    EXPECT_GE(arrow->from_ns, from.begin_ns);
    EXPECT_LT(arrow->from_ns, from.end_ns);
    EXPECT_GE(arrow->to_ns, to.begin_ns);
    EXPECT_LT(arrow->to_ns, to.end_ns);
  }
}

TEST(Arrow, BackInTimeIsNone) {
  EXPECT_FALSE(arrow_between(slice(20, 30), slice(10, 20)).has_value());
  EXPECT_FALSE(arrow_between(slice(10, 10), slice(20, 30)).has_value()) << "nothing is inside of no time";
}

TEST(VersionIndex, SourceIsTheTaskHereThenTheReceiptThenATaskElsewhere) {
  TraceBuilder front(0, 3);
  front.task(0, 1, 10, 20, {writes(7, 1)}).task(0, 2, 20, 30, {updates(7, 1), writes(8, 5)});
  front.transfer(Direction::out, 1, 30, 40, reads(7, 2));
  TraceBuilder other(1, 3);
  other.transfer(Direction::in, 0, 25, 45, reads(7, 2)).task(1, 3, 50, 60, {reads(7, 2), writes(8, 6)});
  VersionIndex index;
  index.add(RankTimeline(other.shared(), {}));
  index.add(RankTimeline(front.shared(), {}));
  index.sort();

  EXPECT_EQ(index.source_on(0, DataId(7), Version(2))->begin_ns, 20);
  EXPECT_EQ(index.source_on(1, DataId(7), Version(2))->begin_ns, 25);
  EXPECT_EQ(index.source_on(2, DataId(7), Version(2))->begin_ns, 20);
  EXPECT_EQ(index.source_on(2, DataId(8), Version(6))->rank, 1);
  EXPECT_EQ(index.source_on(0, DataId(7), Version(3)), nullptr);
  EXPECT_EQ(index.source_on(0, DataId(9), Version(1)), nullptr);
  EXPECT_EQ(index.maker(DataId(7), Version(1))->begin_ns, 10);
  EXPECT_EQ(index.sending(DataId(7), Version(2), 1)->begin_ns, 30);
  EXPECT_EQ(index.sending(DataId(7), Version(2), 2), nullptr);
}

}  // namespace
}  // namespace penstock::observe
