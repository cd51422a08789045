#include "coherence/directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace penstock::coherence {
namespace {

using core::DataId;
using core::RankId;
using core::TaskId;
using core::Version;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr DataId x{0};
constexpr Version v1{1};
constexpr Version v2{2};
constexpr RankId a{0};
constexpr RankId b{1};
constexpr RankId far_away{700};

/// One datum; what died since the last look is in dead.
class DirectoryTest : public ::testing::Test {
 protected:
  DirectoryTest() { directory.add(x, {DType::f64, Shape{10}}); }

  void expect(Version version, std::uint32_t producer = 0) { directory.expect(x, version, producer, dead); }
  void make(Version version, RankId rank) {
    directory.add_holder(x, version, rank);
    directory.made(x, version, rank, dead);
  }
  void bind(Version version, RankId rank) { directory.bind_reader(x, version, rank); }
  void read(Version version) { directory.add_reader(x, version); }
  void end_read(Version version, bool was_bound = true) { directory.end_reader(x, version, was_bound, dead); }

  /// Rank and version of each replica to drop.
  std::vector<std::pair<int, std::uint64_t>> drops() {
    std::vector<std::pair<int, std::uint64_t>> found;
    for (const Drop& drop : std::exchange(dead.drops, {})) found.emplace_back(drop.rank.value(), drop.version.value());
    return found;
  }

  Directory directory;
  Dead dead;
};

TEST_F(DirectoryTest, KnowsTheTypeAndTheProducer) {
  expect(v1, 17);

  EXPECT_EQ(directory.type(x).bytes(), 80);
  EXPECT_EQ(directory.producer(x, v1), 17u);
  EXPECT_EQ(directory.state(x, v1), VersionState::pending);
}

TEST_F(DirectoryTest, NamesTheMakerAsTheSource) {
  expect(v1);
  directory.add_holder(x, v1, b);

  make(v1, far_away);

  EXPECT_EQ(directory.state(x, v1), VersionState::made);
  EXPECT_EQ(directory.source(x, v1), far_away);
  EXPECT_TRUE(directory.holds(x, v1, b));
  EXPECT_FALSE(directory.holds(x, v1, a));
}

TEST_F(DirectoryTest, RemembersWhyAVersionFailed) {
  expect(v1);

  directory.failed(x, v1, TaskId(5), dead);

  EXPECT_EQ(directory.state(x, v1), VersionState::failed);
  EXPECT_EQ(directory.cause(x, v1), TaskId(5));
}

// --- the end of a version ------------------------------------------------------------------------

TEST_F(DirectoryTest, KeepsTheLatestVersion) {
  expect(v1);
  make(v1, a);
  read(v1);
  end_read(v1, false);

  EXPECT_THAT(drops(), IsEmpty());
  EXPECT_EQ(directory.state(x, v1), VersionState::made);
}

TEST_F(DirectoryTest, DropsASucceededVersionEverywhere) {
  expect(v1);
  make(v1, a);
  directory.add_holder(x, v1, far_away);

  expect(v2);

  EXPECT_THAT(drops(), ElementsAre(std::pair(0, 1), std::pair(700, 1)));
}

TEST_F(DirectoryTest, DropsNothingFromARankThatGaveItsReplicaAway) {
  expect(v1);
  make(v1, a);
  directory.add_holder(x, v1, b);
  directory.remove_holder(x, v1, a);

  expect(v2);

  EXPECT_THAT(drops(), ElementsAre(std::pair(1, 1)));
}

TEST_F(DirectoryTest, KeepsASucceededVersionForItsReaders) {
  expect(v1);
  make(v1, a);
  read(v1);
  read(v1);
  expect(v2);
  bind(v1, a);
  end_read(v1);
  EXPECT_THAT(drops(), IsEmpty());

  end_read(v1, false);

  EXPECT_THAT(drops(), ElementsAre(std::pair(0, 1)));
}

TEST_F(DirectoryTest, KeepsASucceededVersionWhileItIsPending) {
  expect(v1);
  expect(v2);
  EXPECT_EQ(directory.state(x, v1), VersionState::pending);

  make(v1, a);

  EXPECT_THAT(drops(), ElementsAre(std::pair(0, 1)));
}

TEST_F(DirectoryTest, KeepsASucceededVersionForItsPins) {
  expect(v1);
  make(v1, a);
  directory.pin(x, v1);
  directory.pin(x, v1);
  expect(v2);
  directory.unpin(x, v1, dead);
  EXPECT_THAT(drops(), IsEmpty());

  directory.unpin(x, v1, dead);

  EXPECT_THAT(drops(), ElementsAre(std::pair(0, 1)));
}

TEST_F(DirectoryTest, DropsWhatAFailedTaskLeftBehind) {
  expect(v1);
  directory.add_holder(x, v1, b);
  directory.failed(x, v1, TaskId(1), dead);
  EXPECT_THAT(drops(), IsEmpty());

  expect(v2);

  EXPECT_THAT(drops(), ElementsAre(std::pair(1, 1)));
}

// --- the end of a datum --------------------------------------------------------------------------

TEST_F(DirectoryTest, ForgetsADatumThatNothingWroteAtOnce) {
  directory.release(x, dead);

  EXPECT_THAT(dead.data, ElementsAre(x));
  EXPECT_THAT(drops(), IsEmpty());
}

TEST_F(DirectoryTest, ForgetsAReleasedDatumWithItsLastVersion) {
  expect(v1);
  make(v1, a);
  read(v1);
  expect(v2);
  directory.release(x, dead);
  make(v2, b);
  EXPECT_THAT(drops(), ElementsAre(std::pair(1, 2)));
  EXPECT_THAT(dead.data, IsEmpty());

  end_read(v1, false);

  EXPECT_THAT(drops(), ElementsAre(std::pair(0, 1)));
  EXPECT_THAT(dead.data, ElementsAre(x));
}

TEST_F(DirectoryTest, ForgetsAReleasedDatumOnce) {
  expect(v1);
  make(v1, a);

  directory.release(x, dead);

  EXPECT_THAT(dead.data, ElementsAre(x));
  EXPECT_THAT(drops(), ElementsAre(std::pair(0, 1)));
}

TEST_F(DirectoryTest, KeepsAReleasedDatumForAPin) {
  expect(v1);
  make(v1, a);
  directory.pin(x, v1);
  directory.release(x, dead);
  EXPECT_THAT(dead.data, IsEmpty());

  directory.unpin(x, v1, dead);

  EXPECT_THAT(dead.data, ElementsAre(x));
}

TEST_F(DirectoryTest, TakesAnIdAgain) {
  expect(v1);
  make(v1, a);
  directory.release(x, dead);
  dead = {};

  directory.add(x, {DType::i32, Shape{3}});
  expect(v2);
  make(v2, b);

  EXPECT_EQ(directory.type(x).bytes(), 12);
  EXPECT_EQ(directory.source(x, v2), b);
  EXPECT_THAT(drops(), IsEmpty());
}

// --- may_consume ---------------------------------------------------------------------------------

/// Version 1 is made on rank a, and a writer of version 2 reads it: that is one reader, not bound yet.
class MayConsume : public DirectoryTest {
 protected:
  MayConsume() {
    expect(v1);
    make(v1, a);
    read(v1);
  }
};

TEST_F(MayConsume, WhenNobodyElseReads) {
  EXPECT_TRUE(directory.may_consume(x, v1, a));
  EXPECT_TRUE(directory.may_consume(x, v1, b));
}

TEST_F(MayConsume, NotWhileAnotherReaderIsUnbound) {
  read(v1);

  EXPECT_FALSE(directory.may_consume(x, v1, a));
}

TEST_F(MayConsume, WhenTheOthersAreBoundToTheSameRank) {
  read(v1);
  read(v1);
  bind(v1, a);
  bind(v1, a);

  EXPECT_TRUE(directory.may_consume(x, v1, a));
  EXPECT_FALSE(directory.may_consume(x, v1, b));
}

TEST_F(MayConsume, NotWhenTheOthersAreOnSeveralRanks) {
  read(v1);
  read(v1);
  bind(v1, a);
  bind(v1, b);

  EXPECT_FALSE(directory.may_consume(x, v1, a));
  EXPECT_FALSE(directory.may_consume(x, v1, b));
}

TEST_F(MayConsume, NotUntilAllReadersOfSeveralRanksHaveEnded) {
  read(v1);
  read(v1);
  bind(v1, a);
  bind(v1, b);
  end_read(v1);
  EXPECT_FALSE(directory.may_consume(x, v1, a));  // which of the two ended is not known
  end_read(v1);

  EXPECT_TRUE(directory.may_consume(x, v1, a));
}

TEST_F(MayConsume, AgainByReadersOfOneRankAfterThoseOfSeveral) {
  read(v1);
  bind(v1, a);
  read(v1);
  bind(v1, b);
  end_read(v1);
  end_read(v1);
  read(v1);
  bind(v1, far_away);

  EXPECT_TRUE(directory.may_consume(x, v1, far_away));
  EXPECT_FALSE(directory.may_consume(x, v1, a));
}

TEST_F(MayConsume, NotWhileItIsPinned) {
  directory.pin(x, v1);
  EXPECT_FALSE(directory.may_consume(x, v1, a));

  directory.unpin(x, v1, dead);

  EXPECT_TRUE(directory.may_consume(x, v1, a));
}

TEST_F(MayConsume, NotWhenTheTaskReadsTheVersionTwice) {
  read(v1);

  EXPECT_FALSE(directory.may_consume(x, v1, a));
}

}  // namespace
}  // namespace penstock::coherence
