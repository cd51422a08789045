#include "observe/progress.hpp"

#include <sstream>

#include <gtest/gtest.h>

namespace penstock::observe {
namespace {

TEST(ProgressLine, ShowsAllPartsWhereTheyFit) {
  const ProgressCounts counts{.done = 1234, .failed = 3, .skipped = 2, .total = 10'000};

  EXPECT_EQ(progress_line(counts, 12.34, 812.0, 80),
            "1234/10000 tasks, 3 failed, 2 skipped, 812/s, 12.3 s, 10.8 s left");
}

TEST(ProgressLine, LeavesOutWhatIsNotKnown) {
  EXPECT_EQ(progress_line({.done = 7, .total = {}}, 0.5, 0.0, 80), "7 tasks done, 500.0 ms");
}

TEST(ProgressLine, SaysNoTimeLeftAtTheEnd) {
  EXPECT_EQ(progress_line({.done = 10, .total = 10}, 2.0, 5.0, 80), "10/10 tasks, 5.00/s, 2.0 s");
}

TEST(ProgressLine, DropsTheLeastImportantPartsFirst) {
  const ProgressCounts counts{.done = 50, .failed = 3, .total = 103};

  EXPECT_EQ(progress_line(counts, 10.0, 5.0, 43), "50/103 tasks, 3 failed, 10.0 s, 10.0 s left");
  EXPECT_EQ(progress_line(counts, 10.0, 5.0, 42), "50/103 tasks, 3 failed, 10.0 s left");
  EXPECT_EQ(progress_line(counts, 10.0, 5.0, 24), "50/103 tasks, 3 failed");
  EXPECT_EQ(progress_line(counts, 10.0, 5.0, 15), "50/103 tasks");
  EXPECT_EQ(progress_line(counts, 10.0, 5.0, 8), "50/10...");
}

class ProgressTest : public testing::Test {
 protected:
  std::ostringstream out;
  std::size_t columns = 80;

  ProgressTarget terminal() {
    return {.quiet = false, .terminal = true, .columns = [this] { return columns; }};
  }
};

TEST_F(ProgressTest, RedrawsInPlaceOverALongerLine) {
  Progress progress(out, terminal());

  progress.update({.done = 0, .skipped = 1000, .total = {}}, 1.0);
  progress.update({.done = 1, .total = {}}, 2.0);

  EXPECT_EQ(out.str(),
            "\r0 tasks done, 1000 skipped, 1.0 k/s, 1.0 s"
            "\r1 tasks done, 0.50/s, 2.0 s               ");
}

TEST_F(ProgressTest, ClearsItsLineAtTheEnd) {
  {
    Progress progress(out, terminal());
    progress.update({.done = 0, .total = 4}, 0.0);
    out.str("");
  }

  EXPECT_EQ(out.str(), "\r" + std::string(std::string("0/4 tasks, 0 us").size(), ' ') + "\r");
}

TEST_F(ProgressTest, WritesNothingWhenNothingChanged) {
  Progress progress(out, terminal());
  progress.update({.done = 0, .total = 4}, 3.0);
  out.str("");

  progress.update({.done = 0, .total = 4}, 3.01);

  EXPECT_EQ(out.str(), "");
}

TEST_F(ProgressTest, LeavesTheLastColumnOfTheTerminalFree) {
  columns = 13;
  Progress progress(out, terminal());

  progress.update({.done = 10, .failed = 5, .total = 100}, 2.0);

  EXPECT_EQ(out.str(), "\r10/100 tasks");
}

TEST_F(ProgressTest, RateFollowsTheLastSeconds) {
  Progress progress(out, terminal());
  for (int second = 1; second <= 20; ++second) progress.update({.done = 1000, .total = {}}, second);
  out.str("");

  progress.update({.done = 1100, .total = {}}, 21.0);

  EXPECT_EQ(out.str(), "\r1100 tasks done, 10/s, 21.0 s");
}

TEST_F(ProgressTest, PrintsNoLineForShortRunsIntoAFile) {
  {
    Progress progress(out, {.quiet = false, .terminal = false, .columns = {}});
    for (int tenth = 0; tenth < 50; ++tenth) progress.update({.done = 1, .total = {}}, 0.1 * tenth);
  }

  EXPECT_EQ(out.str(), "");
}

TEST_F(ProgressTest, PrintsALineEveryFiveSecondsIntoAFile) {
  Progress progress(out, {.quiet = false, .terminal = false, .columns = {}});

  for (int half = 0; half <= 24; ++half) progress.update({.done = 60, .total = 120}, 0.5 * half);

  EXPECT_EQ(out.str(),
            "60/120 tasks, 12/s, 5.0 s, 5.0 s left\n"
            "60/120 tasks, 6.00/s, 10.0 s, 10.0 s left\n");
}

TEST_F(ProgressTest, QuietPrintsNothing) {
  ProgressTarget target = terminal();
  target.quiet = true;
  Progress progress(out, target);

  progress.update({.done = 1, .total = 2}, 30.0);
  progress.clear();

  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace penstock::observe
