#include "graph/domain.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace penstock::graph {
namespace {

using core::DataId;
using core::TaskId;
using core::Version;

class DomainTest : public ::testing::Test {
 protected:
  std::vector<StampedAccess> stamp(std::uint64_t task, const std::vector<Access>& accesses) {
    EXPECT_EQ(domain.check(accesses).mistake, Domain::Mistake::none);
    std::vector<StampedAccess> stamped;
    domain.stamp(TaskId(task), accesses, stamped);
    return stamped;
  }

  Domain domain;
  DataId x = domain.add();
  DataId y = domain.add();
};

TEST_F(DomainTest, OrdersAReadAfterTheWriteBeforeIt) {
  stamp(1, {{x, AccessMode::write}});

  const auto reader = stamp(2, {{x, AccessMode::read}});

  EXPECT_EQ(reader[0].reads, Version(1));
  EXPECT_EQ(reader[0].writes, Version());
  EXPECT_EQ(reader[0].producer, TaskId(1));
}

TEST_F(DomainTest, LetsAWriteWaitForNobody) {
  stamp(1, {{x, AccessMode::write}});
  stamp(2, {{x, AccessMode::read}});

  const auto writer = stamp(3, {{x, AccessMode::write}});

  EXPECT_EQ(writer[0].reads, Version());
  EXPECT_EQ(writer[0].writes, Version(2));
  EXPECT_EQ(writer[0].producer, TaskId());
}

TEST_F(DomainTest, NumbersWritesInTheirOrder) {
  stamp(1, {{x, AccessMode::write}});
  stamp(2, {{x, AccessMode::write}});
  stamp(3, {{y, AccessMode::write}});

  const auto reader = stamp(4, {{x, AccessMode::read}, {y, AccessMode::read}});

  EXPECT_EQ(reader[0].reads, Version(2));
  EXPECT_EQ(reader[0].producer, TaskId(2));
  EXPECT_EQ(reader[1].reads, Version(1));
  EXPECT_EQ(domain.current(x), Version(2));
}

TEST_F(DomainTest, ChainsReadWrites) {
  stamp(1, {{x, AccessMode::write}});
  stamp(2, {{x, AccessMode::read_write}});

  const auto next = stamp(3, {{x, AccessMode::read_write}});

  EXPECT_EQ(next[0].reads, Version(2));
  EXPECT_EQ(next[0].writes, Version(3));
  EXPECT_EQ(next[0].producer, TaskId(2));
}

TEST_F(DomainTest, ReadsBeforeItWritesWithinATask) {
  stamp(1, {{x, AccessMode::write}});

  const auto both = stamp(2, {{x, AccessMode::write}, {x, AccessMode::read}});
  const auto after = stamp(3, {{x, AccessMode::read}});

  EXPECT_EQ(both[0].writes, Version(2));
  EXPECT_EQ(both[1].reads, Version(1));
  EXPECT_EQ(both[1].producer, TaskId(1));
  EXPECT_EQ(after[0].reads, Version(2));
  EXPECT_EQ(after[0].producer, TaskId(2));
}

TEST_F(DomainTest, OverwritesWhatWasStampedBefore) {
  std::vector<StampedAccess> stamped(5);
  const std::vector<Access> accesses{{x, AccessMode::write}};

  domain.stamp(TaskId(1), accesses, stamped);

  EXPECT_EQ(stamped.size(), 1u);
}

TEST_F(DomainTest, HasNoVersionOfWhatNothingWrote) { EXPECT_EQ(domain.current(x), Version()); }

TEST_F(DomainTest, UsesAnIdAgainWithVersionsCountingOn) {
  stamp(1, {{x, AccessMode::write}});
  stamp(2, {{x, AccessMode::write}});

  domain.forget(x);
  const DataId again = domain.add();
  const bool empty = domain.current(again) == Version();
  const auto writer = stamp(3, {{again, AccessMode::write}});

  EXPECT_EQ(again, x);
  EXPECT_TRUE(empty);
  EXPECT_EQ(writer[0].writes, Version(3));
}

TEST_F(DomainTest, ReadsNothingOfAnEarlierDatumOfTheSameId) {
  stamp(1, {{x, AccessMode::write}});
  domain.forget(x);
  const DataId again = domain.add();

  const auto found = domain.check(std::vector<Access>{{again, AccessMode::read}});

  EXPECT_EQ(found.mistake, Domain::Mistake::never_written);
}

TEST_F(DomainTest, GivesFreshIdsWhileNoneIsFree) {
  const DataId z = domain.add();
  domain.forget(y);

  EXPECT_NE(z, x);
  EXPECT_NE(z, y);
  EXPECT_EQ(domain.add(), y);
  EXPECT_EQ(domain.add(), DataId(3));
}

TEST_F(DomainTest, FindsTheReadOfWhatNothingWrote) {
  stamp(1, {{x, AccessMode::write}});

  const auto read = domain.check(std::vector<Access>{{x, AccessMode::read}, {y, AccessMode::read}});
  const auto read_write = domain.check(std::vector<Access>{{y, AccessMode::read_write}});
  const auto own = domain.check(std::vector<Access>{{y, AccessMode::write}, {y, AccessMode::read}});

  EXPECT_EQ(read.mistake, Domain::Mistake::never_written);
  EXPECT_EQ(read.access, 1u);
  EXPECT_EQ(read_write.mistake, Domain::Mistake::never_written);
  EXPECT_EQ(own.mistake, Domain::Mistake::never_written);
  EXPECT_EQ(own.access, 1u);
}

TEST_F(DomainTest, FindsTwoWritesOfOneDatum) {
  stamp(1, {{x, AccessMode::write}});

  const auto writes =
      domain.check(std::vector<Access>{{x, AccessMode::write}, {y, AccessMode::write}, {x, AccessMode::write}});
  const auto mixed = domain.check(std::vector<Access>{{x, AccessMode::read_write}, {x, AccessMode::write}});
  const auto fine =
      domain.check(std::vector<Access>{{x, AccessMode::read}, {x, AccessMode::read}, {x, AccessMode::write}});

  EXPECT_EQ(writes.mistake, Domain::Mistake::written_twice);
  EXPECT_EQ(writes.access, 2u);
  EXPECT_EQ(mixed.mistake, Domain::Mistake::written_twice);
  EXPECT_EQ(fine.mistake, Domain::Mistake::none);
}

TEST_F(DomainTest, FindsWhatCommutesBesideAnotherAccess) {
  stamp(1, {{x, AccessMode::write}, {y, AccessMode::write}});

  const auto read_too = domain.check(std::vector<Access>{{x, AccessMode::read}, {x, AccessMode::commute}});
  const auto fine = domain.check(std::vector<Access>{{y, AccessMode::read}, {x, AccessMode::commute}});

  EXPECT_EQ(read_too.mistake, Domain::Mistake::commutes_and_reads);
  EXPECT_EQ(read_too.access, 1u);
  EXPECT_EQ(fine.mistake, Domain::Mistake::none);
}

TEST_F(DomainTest, LeavesNoTraceOfACheck) {
  static_cast<void>(domain.check(std::vector<Access>{{x, AccessMode::write}}));

  EXPECT_EQ(domain.current(x), Version());
}

}  // namespace
}  // namespace penstock::graph
