#include "coherence/version_list.hpp"

#include <gtest/gtest.h>

#include <iterator>
#include <map>

#include "support/random.hpp"

namespace penstock::coherence {
namespace {

using core::Version;

struct Entry {
  Version version;
  int mark = 0;
};

TEST(VersionList, FindsWhatLives) {
  VersionList<Entry> list;
  list.add(Version(3)).mark = 30;
  list.add(Version(7)).mark = 70;

  list.erase(list.find(Version(3)));

  EXPECT_EQ(list.find(Version(3)), nullptr);
  EXPECT_EQ(list.find(Version(5)), nullptr);
  ASSERT_NE(list.find(Version(7)), nullptr);
  EXPECT_EQ(list.find(Version(7))->mark, 70);
  EXPECT_EQ(list.back().mark, 70);
}

TEST(VersionList, IsEmptyAfterItsLast) {
  VersionList<Entry> list;
  EXPECT_TRUE(list.empty());
  list.add(Version(1));
  EXPECT_FALSE(list.empty());

  list.erase(list.find(Version(1)));

  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.find(Version(1)), nullptr);
}

TEST(VersionList, DoesWhatAMapDoes) {
  support::Random random(17);
  VersionList<Entry> list;
  std::map<std::uint64_t, int> model;
  std::uint64_t next = 1;
  for (int i = 0; i < 20'000; ++i) {
    if (random.chance(50)) {
      list.add(Version(next)).mark = i;
      model[next++] = i;
    } else if (!model.empty()) {
      auto victim = model.begin();  // mostly the oldest
      if (random.chance(20)) std::advance(victim, static_cast<std::ptrdiff_t>(random.below(model.size())));
      list.erase(list.find(Version(victim->first)));
      model.erase(victim);
    }
    const std::uint64_t asked = random.between(next > 20 ? next - 20 : 0, next);
    const Entry* const found = list.find(Version(asked));
    const auto expected = model.find(asked);

    ASSERT_EQ(list.empty(), model.empty());
    ASSERT_EQ(found != nullptr, expected != model.end());
    if (found != nullptr) {
      ASSERT_EQ(found->mark, expected->second);
    }
  }
}

}  // namespace
}  // namespace penstock::coherence
