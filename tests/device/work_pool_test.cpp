#include "device/cpu/work_pool.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "device/device.hpp"
#include "device/work_batch.hpp"

namespace penstock::device {
namespace {

class WorkPoolOfTwo : public testing::Test {
 protected:
  KernelDescription kernel_;
  WorkBatch work_{kernel_, 100};
  WorkPool pool_{2};

  void SetUp() override { pool_.open(2); }
};

TEST_F(WorkPoolOfTwo, GivesASingleLaneEverythingInOrder) {
  pool_.push(work_.all());

  for (std::size_t i = 0; i < 100; ++i) ASSERT_EQ(pool_.take(0), &work_[i]);
  EXPECT_EQ(pool_.take(0), nullptr);
}

TEST_F(WorkPoolOfTwo, LetsALaneTakeWhatAnotherHasTakenAhead) {
  pool_.push(work_.all());

  ASSERT_NE(pool_.take(0), nullptr);  // lane 0 has taken some ahead and is busy now
  std::size_t taken = 1;
  while (pool_.take(1) != nullptr) ++taken;

  EXPECT_EQ(taken, 100U);
}

TEST_F(WorkPoolOfTwo, LeavesAShortQueueToTheOthers) {
  pool_.push(work_.part(0, 3));

  EXPECT_EQ(pool_.take(0), &work_[0]);
  EXPECT_TRUE(pool_.has_waiting(1));
}

TEST_F(WorkPoolOfTwo, DoesNotSleepWhileAnotherLaneHoldsWork) {
  pool_.push(work_.part(0, 8));
  ASSERT_NE(pool_.take(0), nullptr);
  while (pool_.has_waiting(1)) ASSERT_NE(pool_.take(1), nullptr);

  EXPECT_TRUE(pool_.sleep(1));
}

TEST_F(WorkPoolOfTwo, WakesASleeperForWork) {
  Work* taken = nullptr;

  {
    std::jthread worker([&] {
      while (taken == nullptr && pool_.sleep(1)) taken = pool_.take(1);
    });
    pool_.push(work_.one(0));
  }

  EXPECT_EQ(taken, &work_[0]);
}

TEST_F(WorkPoolOfTwo, SendsSleepersHomeWhenClosed) {
  bool stays = true;

  {
    std::jthread worker([&] {
      while (stays) stays = pool_.sleep(1);
    });
    pool_.close();
  }

  EXPECT_FALSE(stays);
}

TEST_F(WorkPoolOfTwo, GivesOutWhatWasPushedBeforeItWasClosed) {
  pool_.push(work_.one(0));
  pool_.close();

  EXPECT_TRUE(pool_.sleep(0));
  EXPECT_EQ(pool_.take(0), &work_[0]);
  EXPECT_FALSE(pool_.sleep(0));
}

}  // namespace
}  // namespace penstock::device
