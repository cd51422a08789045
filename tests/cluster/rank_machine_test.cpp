#include "cluster/rank_machine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace penstock::cluster {
namespace {

using coherence::SlotIndex;
using core::DataId;
using core::RankId;
using core::TaskId;
using core::Version;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr DataId x{0};

Operand operand(OperandKind kind, std::uint64_t reads, std::uint64_t writes, RankId source = core::no_rank) {
  return {.kind = kind,
          .data = x,
          .reads = Version(reads),
          .writes = Version(writes),
          .source = source,
          .type = {DType::f64, Shape{5}}};
}

class RankMachineTest : public ::testing::Test {
 protected:
  Admission admit(const std::vector<Operand>& operands) {
    TaskCommand command;
    command.operands = operands;
    Admission admission;
    EXPECT_TRUE(machine.admit(command, admission));
    return admission;
  }
  Settled settle(SlotIndex slot, TaskId cause = {}) {
    Settled settled;
    machine.settle(slot, cause, settled);
    return settled;
  }
  Settled drop(std::uint64_t version) {
    Settled settled;
    machine.drop(x, Version(version), settled);
    return settled;
  }

  RankMachine machine;
};

TEST_F(RankMachineTest, RefusesAVersionThatIsNowhere) {
  TaskCommand command;
  command.operands = {operand(OperandKind::read, 1, 0)};
  Admission admission;

  EXPECT_FALSE(machine.admit(command, admission));
}

TEST_F(RankMachineTest, FollowsTheLocalProducerUntilThatIsSettled) {
  const Admission writer = admit({operand(OperandKind::write, 0, 1)});
  const Admission early = admit({operand(OperandKind::read, 1, 0)});
  settle(writer.slot);
  const Admission late = admit({operand(OperandKind::read, 1, 0)});

  ASSERT_EQ(early.predecessors.size(), 1u);
  EXPECT_EQ(early.predecessors[0].slot, writer.slot);
  EXPECT_TRUE(early.predecessors[0].carries_failure);
  EXPECT_EQ(early.places[0].in, writer.places[0].out);
  EXPECT_THAT(late.predecessors, IsEmpty());
}

TEST_F(RankMachineTest, FetchesAMissingVersionOnce) {
  const Admission first = admit({operand(OperandKind::read, 3, 0, RankId(2))});
  const Admission second = admit({operand(OperandKind::read, 3, 0)});

  ASSERT_EQ(first.fetches.size(), 1u);
  EXPECT_EQ(first.fetches[0].from, RankId(2));
  EXPECT_EQ(first.fetches[0].version, Version(3));
  EXPECT_EQ(first.fetches[0].bytes, 40u);
  EXPECT_EQ(first.fetches[0].storage, first.places[0].in);
  EXPECT_THAT(second.fetches, IsEmpty());
  ASSERT_EQ(second.predecessors.size(), 1u);
  EXPECT_EQ(second.predecessors[0].slot, first.fetches[0].slot);
}

TEST_F(RankMachineTest, LetsAConsumerWaitForTheReadersToDrain) {
  const Admission writer = admit({operand(OperandKind::write, 0, 1)});
  settle(writer.slot);
  const Admission reader = admit({operand(OperandKind::read, 1, 0)});
  const Admission other = admit({operand(OperandKind::read, 1, 0)});

  const Admission consumer = admit({operand(OperandKind::consume, 1, 2)});

  EXPECT_EQ(consumer.drains, 1u);
  EXPECT_EQ(consumer.places[0].in, consumer.places[0].out);
  EXPECT_THAT(settle(reader.slot).drained, IsEmpty());
  EXPECT_THAT(settle(other.slot).drained, ElementsAre(consumer.slot));
}

TEST_F(RankMachineTest, LetsAConsumerStartWhenNobodyReads) {
  admit({operand(OperandKind::write, 0, 1)});

  const Admission consumer = admit({operand(OperandKind::consume, 1, 2)});

  EXPECT_EQ(consumer.drains, 0u);
  EXPECT_EQ(consumer.predecessors.size(), 1u);
}

TEST_F(RankMachineTest, CopiesIntoAStorageOfItsOwn) {
  const Admission writer = admit({operand(OperandKind::write, 0, 1)});

  const Admission copier = admit({operand(OperandKind::copy, 1, 2)});

  EXPECT_EQ(copier.places[0].in, writer.places[0].out);
  EXPECT_NE(copier.places[0].in, copier.places[0].out);
  EXPECT_NE(machine.find(x, Version(1)), coherence::no_replica);
}

TEST_F(RankMachineTest, FreesADroppedStorageAfterItsLastUse) {
  const Admission writer = admit({operand(OperandKind::write, 0, 1)});
  settle(writer.slot);
  const Admission reader = admit({operand(OperandKind::read, 1, 0)});

  EXPECT_THAT(drop(1).freed, IsEmpty());
  EXPECT_THAT(settle(reader.slot).freed, ElementsAre(writer.places[0].out));

  EXPECT_EQ(machine.replicas(), 0u);
  EXPECT_EQ(machine.unsettled(), 0u);
}

TEST_F(RankMachineTest, FreesTheStorageOfAConsumedVersionOnce) {
  const Admission writer = admit({operand(OperandKind::write, 0, 1)});
  settle(writer.slot);
  const Admission consumer = admit({operand(OperandKind::consume, 1, 2)});

  EXPECT_THAT(drop(1).freed, IsEmpty());
  EXPECT_THAT(settle(consumer.slot).freed, IsEmpty());
  EXPECT_THAT(drop(2).freed, ElementsAre(writer.places[0].out));
}

TEST_F(RankMachineTest, KeepsAReplicaWhileItIsSentAway) {
  const Admission writer = admit({operand(OperandKind::write, 0, 1)});
  settle(writer.slot);
  const auto replica = machine.find(x, Version(1));
  const auto storage = machine.begin_use(replica);
  Settled settled;

  EXPECT_THAT(drop(1).freed, IsEmpty());
  machine.end_use(replica, settled);

  EXPECT_EQ(storage, writer.places[0].out);
  EXPECT_THAT(settled.freed, ElementsAre(storage));
}

TEST_F(RankMachineTest, LetsAConsumerWaitForWhatIsSentAway) {
  const Admission writer = admit({operand(OperandKind::write, 0, 1)});
  settle(writer.slot);
  const auto replica = machine.find(x, Version(1));
  machine.begin_use(replica);
  const Admission consumer = admit({operand(OperandKind::consume, 1, 2)});
  Settled settled;

  machine.end_use(replica, settled);

  EXPECT_EQ(consumer.drains, 1u);
  EXPECT_THAT(settled.drained, ElementsAre(consumer.slot));
  EXPECT_THAT(settled.freed, IsEmpty());
}

TEST_F(RankMachineTest, TellsLaterReadersOfAFailure) {
  const Admission writer = admit({operand(OperandKind::write, 0, 1)});
  settle(writer.slot, TaskId(12));

  const Admission reader = admit({operand(OperandKind::read, 1, 0)});

  EXPECT_EQ(reader.cause, TaskId(12));
  EXPECT_THAT(reader.predecessors, IsEmpty());
}

TEST_F(RankMachineTest, StartsEachAdmissionAfresh) {
  admit({operand(OperandKind::write, 0, 1)});
  TaskCommand command;
  command.operands = {operand(OperandKind::read, 1, 0), operand(OperandKind::copy, 1, 2)};
  Admission admission;
  ASSERT_TRUE(machine.admit(command, admission));
  command.operands.clear();

  ASSERT_TRUE(machine.admit(command, admission));

  EXPECT_THAT(admission.places, IsEmpty());
  EXPECT_THAT(admission.predecessors, IsEmpty());
  EXPECT_EQ(admission.drains, 0u);
}

}  // namespace
}  // namespace penstock::cluster
