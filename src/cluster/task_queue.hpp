/// Tasks waiting for a rank, the first in program order in front: what was submitted first runs first, so that data are
/// used while they are fresh and freed early. Pure; not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/ids.hpp"

namespace penstock::cluster {

/// A task and its place at the front-end. The place may meanwhile belong to another task, or the task be elsewhere: who
/// takes one out checks that it is still meant.
struct QueuedTask {
  core::TaskId task;
  std::uint32_t ticket = 0;
  friend auto operator<=>(const QueuedTask&, const QueuedTask&) = default;
};

/// A binary heap; in the common case, tasks that come in program order, push() is a plain append.
class TaskQueue {
 public:
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] std::size_t size() const { return heap_.size(); }
  [[nodiscard]] const QueuedTask& front() const { return heap_.front(); }
  void push(const QueuedTask& task) {
    heap_.push_back(task);
    std::ranges::push_heap(heap_, std::greater{});
  }
  void pop() {
    std::ranges::pop_heap(heap_, std::greater{});
    heap_.pop_back();
  }
  /// All, in no order.
  [[nodiscard]] const std::vector<QueuedTask>& all() const { return heap_; }

 private:
  std::vector<QueuedTask> heap_;
};

}  // namespace penstock::cluster
