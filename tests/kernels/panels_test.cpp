#include <gtest/gtest.h>

#include <cstdint>

#include "kernels/elements.hpp"

namespace penstock::kernels {
namespace {

TEST(PanelOf, CoversEverythingOnceInOrder) {
  for (const std::int64_t count : {0, 1, 15, 16, 17, 100, 1000}) {
    for (int panels = 1; panels <= 9; ++panels) {
      std::int64_t end = 0;
      for (int panel = 0; panel < panels; ++panel) {
        const Interval part = panel_of(count, 16, panel, panels);
        EXPECT_EQ(part.begin, end);
        EXPECT_GE(part.length(), 0);
        end = part.end;
      }
      EXPECT_EQ(end, count);
    }
  }
}

TEST(PanelOf, IsBalancedAndBeginsAtMultiples) {
  for (int panel = 0; panel < 7; ++panel) {
    const Interval part = panel_of(1600, 16, panel, 7);

    EXPECT_EQ(part.begin % 16, 0);
    EXPECT_GE(part.length(), 14 * 16);
    EXPECT_LE(part.length(), 15 * 16);
  }
}

TEST(PanelOf, DoesNotOverflowForTheLargestCounts) {
  constexpr std::int64_t count = std::int64_t{1} << 60;

  EXPECT_EQ(panel_of(count, 64, 1023, 1024).end, count);
}

}  // namespace
}  // namespace penstock::kernels
