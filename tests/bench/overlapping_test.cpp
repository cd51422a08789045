#include "bench/overlapping.hpp"

#include <gtest/gtest.h>

namespace penstock::bench {
namespace {

TEST(Overlapping, EfficiencyIsTheShareOfTheShorterThatWasHidden) {
  EXPECT_DOUBLE_EQ(with_efficiency({10.0, 4.0, 14.0}).back(), 0.0);
  EXPECT_DOUBLE_EQ(with_efficiency({10.0, 4.0, 10.0}).back(), 1.0);
  EXPECT_DOUBLE_EQ(with_efficiency({4.0, 10.0, 11.0}).back(), 0.75);
  EXPECT_DOUBLE_EQ(with_efficiency({4.0, 4.0, 10.0}).back(), -0.5);
}

TEST(Overlapping, MeasuresAreAsManyAsTheFigures) {
  const std::vector<Measure> measures = overlap_measures("pinned, ", "products", "one stream", 0.98);

  EXPECT_EQ(measures.size(), with_efficiency({1.0, 1.0, 1.0}).size());
  EXPECT_EQ(measures.front().name, "pinned, products");
  EXPECT_EQ(measures.back().limit, 0.98);
}

}  // namespace
}  // namespace penstock::bench
