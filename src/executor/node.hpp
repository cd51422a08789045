/// The edges between the tasks of one rank, and the two points at which they release: when the predecessor is done, or,
/// between two tasks on queues of one device, already when it is enqueued there, in the device's own order.
///
/// A Node is one task's (or fetch's) place in the graph. Admission attaches it to its predecessors while these may be
/// finishing on other threads: an edge to a finished one is dropped. Each node has a guard, held by admission, so that
/// it cannot become ready before all its edges are there.
///
/// Threads: prepare(), follow() and release() of one node are called by one thread at a time, its admission; enqueued()
/// and finish() of a node are called once each, by whoever runs it. Nodes must stay where they are until finished.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "core/ids.hpp"

namespace penstock::executor {

/// A point in a queue of a device after which a predecessor's results are there. `queue` 0: none.
struct QueuePoint {
  core::DeviceId device;
  std::uint32_t queue = 0;
  std::uint64_t point = 0;
};

class Node {
 public:
  Node() = default;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  /// Begins a new life, for a task that will run on `device`. The guard is held. Unless `early`, it waits until its
  /// predecessors are done, even those on queues of the same device.
  void prepare(core::DeviceId device, bool early = true);
  /// Runs after `predecessor`, unless that is finished. If `carries_failure`, its failure makes this node fail too.
  void follow(Node& predecessor, bool carries_failure);
  /// One more event, not an edge, to wait for; release() ends it.
  void hold() { unmet_.fetch_add(1, std::memory_order_relaxed); }
  /// Gives up the guard, or ends a hold(). True: this call made the node ready; the caller now starts it.
  [[nodiscard]] bool release();

  /// The task was started on its device and its results can be used there from `point` on. Nodes of the same device
  /// that became ready by it are appended to `ready`.
  void enqueued(const QueuePoint& point, std::vector<Node*>& ready);
  /// The task has ended; `cause` is the task that failed (itself, or the one because of which it was skipped), or none.
  /// Nodes that became ready are appended to `ready`. After the call the node may be given a new life.
  void finish(core::TaskId cause, std::vector<Node*>& ready);

  /// The failed task because of which this node must not run; none if it may. Final once the node is ready, except for
  /// predecessors released when enqueued: ask again when this node's own work has completed.
  [[nodiscard]] core::TaskId cause() const { return core::TaskId(cause_.load(std::memory_order_relaxed)); }
  void fail(core::TaskId cause) { cause_.store(cause.value(), std::memory_order_relaxed); }

  /// Where its predecessors of the same device are queued: what the device must put the work behind. Read it when
  /// ready.
  [[nodiscard]] const std::vector<QueuePoint>& after() const { return after_; }

  void* owner = nullptr;  ///< the caller's

 private:
  struct Edge {
    Node* successor;
    bool carries_failure;
    bool released;  // when enqueued; only the failure is still to be handed on
  };
  enum class Stage : std::uint8_t { pending, enqueued, finished };

  // How many releases are missing, the guard included. The decrement that reaches zero is acquire-release: everything
  // that predecessors wrote before their release happens before the node's start.
  std::atomic<std::int32_t> unmet_{0};
  // Written before a release of this node, read after its last: ordered by unmet_.
  std::atomic<std::uint64_t> cause_{0};
  core::DeviceId device_;
  bool early_ = true;
  std::vector<QueuePoint> after_;  // appended under mutex_ of this node, read when ready

  std::mutex mutex_;  // guards what follows, and after_
  Stage stage_ = Stage::finished;
  QueuePoint point_;
  std::vector<Edge> successors_;
};

}  // namespace penstock::executor
