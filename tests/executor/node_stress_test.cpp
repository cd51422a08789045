// Attaching to nodes that finish at the same time on another thread; what a thread sanitizer has to see.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "executor/node.hpp"

namespace penstock::executor {
namespace {

using core::DeviceId;
using core::TaskId;

constexpr DeviceId device{1};
constexpr int rounds = 5'000;

/// Lets two threads begin each round together.
class Meeting {
 public:
  void arrive() {
    const int before = arrived_.fetch_add(1, std::memory_order_acq_rel);
    const int full = (before / 2 + 1) * 2;
    while (arrived_.load(std::memory_order_acquire) < full) std::this_thread::yield();
  }

 private:
  std::atomic<int> arrived_{0};
};

/// One predecessor finishes with `cause` while the other thread attaches a successor. Of the two, exactly one finds the
/// successor ready, and what the predecessor wrote is seen by it.
void attach_while_finishing(bool enqueues_first, TaskId cause) {
  Node before;
  Node after;
  int result = 0;  // written by the predecessor, read by whoever runs the successor
  int expected = 0;
  std::atomic<int> started{0};
  Meeting meeting;
  const auto run_successor = [&] {
    if (!enqueues_first) {
      EXPECT_EQ(result, expected);
    }
    started.fetch_add(1, std::memory_order_relaxed);
  };
  std::thread finisher([&] {
    std::vector<Node*> ready;
    for (int round = 0; round < rounds; ++round) {
      meeting.arrive();
      result = round;
      if (enqueues_first) before.enqueued({device, 1, 1}, ready);
      before.finish(cause, ready);
      if (!ready.empty()) run_successor();
      EXPECT_LE(ready.size(), 1u);
      ready.clear();
      meeting.arrive();
    }
  });
  std::vector<Node*> nobody;
  for (int round = 0; round < rounds; ++round) {
    before.prepare(device);
    after.prepare(device);
    expected = round;
    meeting.arrive();
    after.follow(before, true);
    if (after.release()) run_successor();
    meeting.arrive();
    ASSERT_EQ(started.exchange(0), 1) << "round " << round;
    ASSERT_EQ(after.cause(), cause);
    after.finish({}, nobody);
  }
  finisher.join();
}

TEST(NodeStress, StartsASuccessorOnceWhileItsPredecessorFinishes) { attach_while_finishing(false, {}); }

TEST(NodeStress, LosesNoFailureWhileItsPredecessorFinishes) { attach_while_finishing(false, TaskId(3)); }

TEST(NodeStress, StartsASuccessorOnceWhileItsPredecessorIsEnqueued) { attach_while_finishing(true, {}); }

TEST(NodeStress, LosesNoFailureWhileItsPredecessorIsEnqueued) { attach_while_finishing(true, TaskId(3)); }

/// A ladder: each node follows two of the row before, which two threads finish at once.
TEST(NodeStress, StartsANodeOfTwoPredecessorsOnce) {
  Node left;
  Node right;
  Node below;
  std::atomic<int> started{0};
  Meeting meeting;
  const auto end = [&](Node& node, std::vector<Node*>& ready) {
    node.finish({}, ready);
    started.fetch_add(static_cast<int>(ready.size()), std::memory_order_relaxed);
    ready.clear();
  };
  std::thread helper([&] {
    std::vector<Node*> ready;
    for (int round = 0; round < rounds; ++round) {
      meeting.arrive();
      end(right, ready);
      meeting.arrive();
    }
  });
  std::vector<Node*> ready;
  for (int round = 0; round < rounds; ++round) {
    for (Node* node : {&left, &right, &below}) node->prepare(DeviceId(0));
    below.follow(left, true);
    below.follow(right, true);
    static_cast<void>(below.release());
    meeting.arrive();
    end(left, ready);
    meeting.arrive();
    ASSERT_EQ(started.exchange(0), 1) << "round " << round;
    below.finish({}, ready);
  }
  helper.join();
}

}  // namespace
}  // namespace penstock::executor
