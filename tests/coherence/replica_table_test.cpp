#include "coherence/replica_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace penstock::coherence {
namespace {

using core::DataId;
using core::Version;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr DataId x{3};

class ReplicaTableTest : public ::testing::Test {
 protected:
  std::vector<StorageIndex> drop(std::uint64_t version) {
    std::vector<StorageIndex> freed;
    table.drop(x, Version(version), freed);
    return freed;
  }
  std::vector<StorageIndex> unuse(ReplicaIndex replica) {
    std::vector<StorageIndex> freed;
    table.unuse(replica, freed);
    return freed;
  }

  ReplicaTable table;
};

TEST_F(ReplicaTableTest, FindsWhatWasAdded) {
  const ReplicaIndex one = table.add(x, Version(1));
  const ReplicaIndex two = table.add(x, Version(2));

  EXPECT_EQ(table.find(x, Version(1)), one);
  EXPECT_EQ(table.find(x, Version(2)), two);
  EXPECT_EQ(table.find(x, Version(3)), no_replica);
  EXPECT_EQ(table.find(DataId(99), Version(1)), no_replica);
  EXPECT_NE(table[one].storage, table[two].storage);
  EXPECT_EQ(table.size(), 2u);
}

TEST_F(ReplicaTableTest, FreesAnUnusedReplicaWhenItIsDropped) {
  const StorageIndex storage = table[table.add(x, Version(1))].storage;

  EXPECT_THAT(drop(1), ElementsAre(storage));

  EXPECT_EQ(table.find(x, Version(1)), no_replica);
  EXPECT_EQ(table.size(), 0u);
}

TEST_F(ReplicaTableTest, KeepsADroppedReplicaForItsUsers) {
  const ReplicaIndex replica = table.add(x, Version(1));
  const StorageIndex storage = table[replica].storage;
  table.use(replica);
  table.use(replica);

  EXPECT_THAT(drop(1), IsEmpty());
  EXPECT_THAT(unuse(replica), IsEmpty());
  EXPECT_THAT(unuse(replica), ElementsAre(storage));
}

TEST_F(ReplicaTableTest, KeepsAnUnusedReplicaThatIsInTheTable) {
  const ReplicaIndex replica = table.add(x, Version(1));
  table.use(replica);

  EXPECT_THAT(unuse(replica), IsEmpty());
  EXPECT_EQ(table.find(x, Version(1)), replica);
}

TEST_F(ReplicaTableTest, HandsTheStorageToASuccessor) {
  const ReplicaIndex before = table.add(x, Version(1));
  const StorageIndex storage = table[before].storage;
  table.use(before);

  const ReplicaIndex after = table.succeed(before, Version(2));

  EXPECT_EQ(table[after].storage, storage);
  EXPECT_EQ(table.find(x, Version(1)), no_replica);
  EXPECT_EQ(table.find(x, Version(2)), after);
  EXPECT_EQ(table.size(), 2u);
}

TEST_F(ReplicaTableTest, FreesTheStorageOfAChainOnce) {
  constexpr std::uint64_t length = 10;
  std::vector<ReplicaIndex> chain{table.add(x, Version(1))};
  const StorageIndex storage = table[chain[0]].storage;
  table.use(chain[0]);
  for (std::uint64_t version = 2; version <= length; ++version) {
    chain.push_back(table.succeed(chain.back(), Version(version)));
    table.use(chain.back());
  }

  EXPECT_THAT(drop(length), IsEmpty());
  for (std::size_t i = 1; i < chain.size(); ++i) EXPECT_THAT(unuse(chain[i]), IsEmpty());
  EXPECT_THAT(unuse(chain[0]), ElementsAre(storage));

  EXPECT_EQ(table.size(), 0u);
}

TEST_F(ReplicaTableTest, IgnoresTheDropOfAConsumedVersion) {
  const ReplicaIndex before = table.add(x, Version(1));
  table.use(before);
  const ReplicaIndex after = table.succeed(before, Version(2));

  EXPECT_THAT(drop(1), IsEmpty());
  EXPECT_THAT(unuse(before), IsEmpty());

  EXPECT_EQ(table.find(x, Version(2)), after);
  EXPECT_EQ(table.size(), 1u);
}

TEST_F(ReplicaTableTest, IgnoresTheDropOfWhatWasNeverHere) {
  EXPECT_THAT(drop(1), IsEmpty());

  EXPECT_EQ(table.size(), 0u);
}

TEST_F(ReplicaTableTest, UsesPlacesAgainWithoutTheirPast) {
  const ReplicaIndex first = table.add(x, Version(1));
  const StorageIndex storage = table[first].storage;
  table[first].cause = core::TaskId(9);
  table[first].consumer = SlotIndex(4);
  drop(1);

  const ReplicaIndex again = table.add(DataId(0), Version(7));

  EXPECT_EQ(again, first);
  EXPECT_EQ(table[again].storage, storage);
  EXPECT_EQ(table[again].cause, core::TaskId());
  EXPECT_EQ(table[again].consumer, no_slot);
  EXPECT_EQ(table[again].uses, 0u);
}

TEST_F(ReplicaTableTest, DoesNotUseAStorageAgainWhileASuccessorHasIt) {
  const ReplicaIndex before = table.add(x, Version(1));
  table.use(before);
  const ReplicaIndex after = table.succeed(before, Version(2));
  unuse(before);

  const ReplicaIndex other = table.add(DataId(0), Version(1));

  EXPECT_EQ(other, before);
  EXPECT_NE(table[other].storage, table[after].storage);
}

}  // namespace
}  // namespace penstock::coherence
