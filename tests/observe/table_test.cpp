#include "observe/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace penstock::observe {
namespace {

using testing::ElementsAre;

TEST(Table, AlignsColumnsAndLeavesNoSpaceAtLineEnds) {
  Table table({{"n", Align::right}, {"name"}, {"note"}});
  table.add({"1", "a"});
  table.add({"100", "longer", "x"});

  EXPECT_EQ(table.to_text(2),
            "    n  name    note\n"
            "    1  a\n"
            "  100  longer  x\n");
}

TEST(Table, CountsCharactersNotBytes) {
  Table table({{"a"}, {"b"}});
  table.add({"n\u00e4\u00df", "x"});
  table.add({"abc", "y"});

  EXPECT_EQ(table.to_text(0), "a    b\nn\u00e4\u00df  x\nabc  y\n");
}

TEST(Table, ClipsWhatIsTooLong) {
  Table table({{"a", Align::left, 8}});
  table.add({"0123456789"});

  EXPECT_EQ(table.to_text(0), "a\n01234...\n");
}

TEST(Clipped, ReplacesControlCharacters) { EXPECT_EQ(clipped("a\x1b[2Jb\nc", 20), "a [2Jb c"); }

TEST(Clipped, CutsBetweenCharacters) {
  EXPECT_EQ(clipped("\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4", 5), "\u00e4\u00e4...");
}

TEST(Wrapped, BreaksAtSpacesAndInsideLongWords) {
  EXPECT_THAT(wrapped("aa bb cc", 5, 9), ElementsAre("aa bb", "cc"));
  EXPECT_THAT(wrapped("abcdefgh i", 5, 9), ElementsAre("abcde", "fgh i"));
}

TEST(Wrapped, KeepsLineBreaks) { EXPECT_THAT(wrapped("one\n\ntwo\n", 20, 9), ElementsAre("one", "", "two")); }

TEST(Wrapped, SaysWhenThereWasMore) {
  EXPECT_THAT(wrapped("aaaaaa bbbbbb cccccc", 6, 2), ElementsAre("aaaaaa", "bbb..."));
  EXPECT_THAT(wrapped("a\nb\nc", 6, 2), ElementsAre("a", "b..."));
}

}  // namespace
}  // namespace penstock::observe
