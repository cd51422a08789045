#include "cli/suggest.hpp"

#include <array>

#include <gtest/gtest.h>

namespace penstock::cli {
namespace {

TEST(EditDistance, CountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("fresh", "fesh"), 1U);
  EXPECT_EQ(edit_distance("fresh", "frsesh"), 1U);
  EXPECT_EQ(edit_distance("fresh", "frash"), 1U);
  EXPECT_EQ(edit_distance("fresh", "frehs"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

constexpr std::array<std::string_view, 4> known{"run", "check", "devices", "window-tasks"};

TEST(Nearest, FindsWhatWasMeant) {
  EXPECT_EQ(nearest("rnu", known), "run");
  EXPECT_EQ(nearest("chekc", known), "check");
  EXPECT_EQ(nearest("device", known), "devices");
  EXPECT_EQ(nearest("windows-task", known), "window-tasks");
  EXPECT_EQ(nearest("dev", known), "devices");
}

TEST(Nearest, SaysNothingWhenNothingIsNear) {
  EXPECT_EQ(nearest("", known), "");
  EXPECT_EQ(nearest("abc", known), "");
  EXPECT_EQ(nearest("fly", known), "");
  EXPECT_EQ(nearest(std::string(10'000, 'x'), known), "");
}

}  // namespace
}  // namespace penstock::cli
