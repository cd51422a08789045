#include "executor/node.hpp"

namespace penstock::executor {

void Node::prepare(core::DeviceId device, bool early) {
  unmet_.store(1, std::memory_order_relaxed);
  cause_.store(0, std::memory_order_relaxed);
  device_ = device;
  early_ = early;
  after_.clear();
  const std::lock_guard lock(mutex_);
  stage_ = Stage::pending;
  point_ = {};
}

void Node::follow(Node& predecessor, bool carries_failure) {
  const std::lock_guard lock(predecessor.mutex_);
  switch (predecessor.stage_) {
    case Stage::pending:
      hold();
      predecessor.successors_.push_back({this, carries_failure, false});
      return;
    case Stage::enqueued:
      if (early_ && predecessor.device_ == device_) {
        {
          const std::lock_guard own_lock(mutex_);
          after_.push_back(predecessor.point_);
        }
        if (carries_failure) predecessor.successors_.push_back({this, true, true});
      } else {
        hold();
        predecessor.successors_.push_back({this, carries_failure, false});
      }
      return;
    case Stage::finished:
      if (carries_failure && predecessor.cause() != core::TaskId()) fail(predecessor.cause());
      return;
  }
}

bool Node::release() { return unmet_.fetch_sub(1, std::memory_order_acq_rel) == 1; }

void Node::enqueued(const QueuePoint& point, std::vector<Node*>& ready) {
  const std::lock_guard lock(mutex_);
  stage_ = Stage::enqueued;
  point_ = point;
  for (Edge& edge : successors_) {
    Node& successor = *edge.successor;
    if (!successor.early_ || successor.device_ != device_) continue;
    {
      const std::lock_guard successor_lock(successor.mutex_);  // predecessor first, always: no cycle of locks
      successor.after_.push_back(point);
    }
    edge.released = true;
    if (successor.release()) ready.push_back(&successor);
  }
}

void Node::finish(core::TaskId cause, std::vector<Node*>& ready) {
  const std::lock_guard lock(mutex_);
  stage_ = Stage::finished;
  fail(cause);
  for (const Edge& edge : successors_) {
    if (edge.carries_failure && cause != core::TaskId()) edge.successor->fail(cause);
    if (!edge.released && edge.successor->release()) ready.push_back(edge.successor);
  }
  successors_.clear();
}

}  // namespace penstock::executor
