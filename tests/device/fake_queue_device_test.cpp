#include "device/fake_queue_device.hpp"

#include <gmock/gmock.h>

#include "device/recorder.hpp"
#include "device/work_batch.hpp"

namespace penstock::device {
namespace {

using testing::ElementsAre;

class FakeQueueDeviceTokens : public testing::Test {
 protected:
  Recorder recorder_;
  std::vector<int> order_;
  KernelDescription kernel_ = kernel_of([this](const TaskContext& context) { order_.push_back(context.panel); });
  WorkBatch work_{kernel_, 4};
  FakeQueueDevice device_{recorder_};

  void SetUp() override {
    for (int i = 0; i < 4; ++i) work_[static_cast<std::size_t>(i)].panel = i;
  }
};

TEST_F(FakeQueueDeviceTokens, KeepWorkOfOneQueueInOrderWithoutACompletionBetween) {
  Token token = device_.start(work_.one(0));
  for (std::size_t i = 1; i < 4; ++i) token = device_.start(work_.one(i), {&token, 1});

  ASSERT_TRUE(recorder_.wait_for(device_, 4));

  EXPECT_THAT(order_, ElementsAre(0, 1, 2, 3));
}

TEST_F(FakeQueueDeviceTokens, HoldBackWorkBehindPointsOfBothQueues) {
  const Token first = device_.start(work_.part(0, 2));
  const Token second = device_.start(work_.one(2));
  const std::array<Token, 2> both{second, first};
  device_.start(work_.one(3), both);

  ASSERT_TRUE(recorder_.wait_for(device_, 4));

  EXPECT_NE(first.queue, second.queue);
  EXPECT_EQ(order_.back(), 3);
}

TEST_F(FakeQueueDeviceTokens, WithoutThemQueuesOvertakeEachOther) {
  device_.start(work_.part(0, 2));
  device_.start(work_.part(2, 2));

  ASSERT_TRUE(recorder_.wait_for(device_, 4));

  EXPECT_THAT(order_, ElementsAre(2, 0, 3, 1));
}

TEST_F(FakeQueueDeviceTokens, ReportNothingWithoutProgress) {
  device_.start(work_.all());

  EXPECT_TRUE(device_.busy_polling());
  EXPECT_TRUE(recorder_.completions().empty());
}

}  // namespace
}  // namespace penstock::device
