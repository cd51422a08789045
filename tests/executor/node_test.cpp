#include "executor/node.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace penstock::executor {
namespace {

using core::DeviceId;
using core::TaskId;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr DeviceId cores{0};
constexpr DeviceId gpu{1};
constexpr DeviceId other_gpu{2};

class NodeTest : public ::testing::Test {
 protected:
  void prepare(DeviceId device) {
    for (Node* node : {&before, &after}) node->prepare(device);
  }
  std::vector<Node*> finish(Node& node, TaskId cause = {}) {
    std::vector<Node*> ready;
    node.finish(cause, ready);
    return ready;
  }
  std::vector<Node*> enqueue(Node& node, DeviceId device, std::uint64_t point) {
    std::vector<Node*> ready;
    node.enqueued({device, 1, point}, ready);
    return ready;
  }

  Node before;
  Node after;
};

std::vector<std::uint64_t> points(const Node& node) {
  std::vector<std::uint64_t> found;
  for (const QueuePoint& point : node.after()) found.push_back(point.point);
  return found;
}

// --- released when done --------------------------------------------------------------------------

TEST_F(NodeTest, IsReadyAtOnceWithoutPredecessors) {
  prepare(cores);

  EXPECT_TRUE(before.release());
}

TEST_F(NodeTest, WaitsForItsPredecessor) {
  prepare(cores);
  after.follow(before, true);

  EXPECT_FALSE(after.release());
  EXPECT_THAT(finish(before), ElementsAre(&after));
}

TEST_F(NodeTest, IsNotReadyBeforeItsGuardIsReleased) {
  prepare(cores);
  after.follow(before, true);

  EXPECT_THAT(finish(before), IsEmpty());
  EXPECT_TRUE(after.release());
}

TEST_F(NodeTest, DropsTheEdgeToAFinishedPredecessor) {
  prepare(cores);
  finish(before);

  after.follow(before, true);

  EXPECT_TRUE(after.release());
  EXPECT_EQ(after.cause(), TaskId());
}

TEST_F(NodeTest, DropsTheEdgeToANodeThatNeverLived) {
  after.prepare(cores);

  after.follow(before, true);

  EXPECT_TRUE(after.release());
}

TEST_F(NodeTest, WaitsForAllItsPredecessorsAndHolds) {
  prepare(cores);
  Node third;
  third.prepare(cores);
  third.follow(before, true);
  third.follow(after, true);
  third.follow(before, true);  // two edges of one pair
  third.hold();
  EXPECT_FALSE(third.release());

  EXPECT_THAT(finish(before), IsEmpty());
  EXPECT_THAT(finish(after), IsEmpty());
  EXPECT_TRUE(third.release());
}

TEST_F(NodeTest, ReleasesAllItsSuccessors) {
  prepare(cores);
  Node third;
  third.prepare(cores);
  after.follow(before, true);
  third.follow(before, false);
  EXPECT_FALSE(after.release());
  EXPECT_FALSE(third.release());

  EXPECT_THAT(finish(before), UnorderedElementsAre(&after, &third));
}

// --- failures ------------------------------------------------------------------------------------

TEST_F(NodeTest, HandsAFailureOn) {
  prepare(cores);
  after.follow(before, true);

  finish(before, TaskId(7));

  EXPECT_EQ(after.cause(), TaskId(7));
}

TEST_F(NodeTest, HandsNoFailureOnWhereOnlyTheOrderMatters) {
  prepare(cores);
  after.follow(before, false);

  finish(before, TaskId(7));

  EXPECT_EQ(after.cause(), TaskId());
  EXPECT_TRUE(after.release());
}

TEST_F(NodeTest, LearnsOfTheFailureOfAFinishedPredecessor) {
  prepare(cores);
  Node third;
  third.prepare(cores);
  finish(before, TaskId(7));

  after.follow(before, true);
  third.follow(before, false);

  EXPECT_EQ(after.cause(), TaskId(7));
  EXPECT_EQ(third.cause(), TaskId());
}

TEST_F(NodeTest, KeepsAFailureWhenAnotherPredecessorEndsWell) {
  prepare(cores);
  Node third;
  third.prepare(cores);
  third.follow(before, true);
  third.follow(after, true);

  finish(before, TaskId(7));
  finish(after);

  EXPECT_EQ(third.cause(), TaskId(7));
}

// --- released when enqueued ----------------------------------------------------------------------

TEST_F(NodeTest, IsReadyWhenItsPredecessorIsEnqueuedOnTheSameDevice) {
  prepare(gpu);
  after.follow(before, true);
  EXPECT_FALSE(after.release());

  EXPECT_THAT(enqueue(before, gpu, 11), ElementsAre(&after));

  EXPECT_THAT(points(after), ElementsAre(11));
  EXPECT_THAT(finish(before), IsEmpty());
}

TEST_F(NodeTest, WaitsUntilDoneForAPredecessorOnAnotherDevice) {
  before.prepare(gpu);
  after.prepare(other_gpu);
  after.follow(before, true);
  EXPECT_FALSE(after.release());

  EXPECT_THAT(enqueue(before, gpu, 11), IsEmpty());
  EXPECT_THAT(finish(before), ElementsAre(&after));

  EXPECT_THAT(after.after(), IsEmpty());
}

TEST_F(NodeTest, TakesThePointOfAPredecessorThatIsEnqueuedAlready) {
  prepare(gpu);
  enqueue(before, gpu, 11);

  after.follow(before, true);

  EXPECT_TRUE(after.release());
  EXPECT_THAT(points(after), ElementsAre(11));
}

TEST_F(NodeTest, WaitsForAPredecessorEnqueuedAlreadyOnAnotherDevice) {
  before.prepare(gpu);
  after.prepare(cores);
  enqueue(before, gpu, 11);

  after.follow(before, true);

  EXPECT_FALSE(after.release());
  EXPECT_THAT(finish(before), ElementsAre(&after));
}

TEST_F(NodeTest, WaitsUntilDoneWhenItMustNotComeEarly) {
  Node late;
  before.prepare(gpu);
  after.prepare(gpu, false);
  late.prepare(gpu, false);
  after.follow(before, true);
  EXPECT_FALSE(after.release());

  EXPECT_THAT(enqueue(before, gpu, 11), IsEmpty());
  late.follow(before, true);
  EXPECT_FALSE(late.release());

  EXPECT_THAT(finish(before), UnorderedElementsAre(&after, &late));
  EXPECT_THAT(after.after(), IsEmpty());
  EXPECT_THAT(late.after(), IsEmpty());
}

TEST_F(NodeTest, LearnsOfAFailureAfterItWasReleased) {
  prepare(gpu);
  Node late;
  Node careless;
  late.prepare(gpu);
  careless.prepare(gpu);
  after.follow(before, true);
  careless.follow(before, false);
  enqueue(before, gpu, 11);
  late.follow(before, true);

  finish(before, TaskId(7));

  EXPECT_EQ(after.cause(), TaskId(7));
  EXPECT_EQ(late.cause(), TaskId(7));
  EXPECT_EQ(careless.cause(), TaskId());
}

TEST_F(NodeTest, CollectsThePointsOfAllPredecessorsOfItsDevice) {
  Node third;
  for (Node* node : {&before, &after, &third}) node->prepare(gpu);
  third.follow(before, true);
  third.follow(after, true);
  EXPECT_FALSE(third.release());

  EXPECT_THAT(enqueue(before, gpu, 11), IsEmpty());
  EXPECT_THAT(enqueue(after, gpu, 12), ElementsAre(&third));

  EXPECT_THAT(points(third), ElementsAre(11, 12));
}

TEST_F(NodeTest, WaitsForDoneAndEnqueuedTogether) {
  Node third;
  before.prepare(gpu);
  after.prepare(cores);
  third.prepare(gpu);
  third.follow(before, true);
  third.follow(after, true);
  EXPECT_FALSE(third.release());

  EXPECT_THAT(enqueue(before, gpu, 11), IsEmpty());
  EXPECT_THAT(finish(after), ElementsAre(&third));

  EXPECT_THAT(points(third), ElementsAre(11));
}

// --- a new life ----------------------------------------------------------------------------------

TEST_F(NodeTest, ForgetsItsFormerLife) {
  prepare(gpu);
  after.follow(before, true);
  enqueue(before, gpu, 11);
  finish(before, TaskId(7));
  EXPECT_TRUE(after.release());
  finish(after, TaskId(7));

  prepare(cores);
  after.follow(before, true);

  EXPECT_THAT(after.after(), IsEmpty());
  EXPECT_EQ(after.cause(), TaskId());
  EXPECT_FALSE(after.release());
  EXPECT_THAT(finish(before), ElementsAre(&after));
}

}  // namespace
}  // namespace penstock::executor
