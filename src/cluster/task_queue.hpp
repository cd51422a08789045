/// Tasks waiting for a rank, in the order in which they had better run: those that write nothing first, since they let
/// data die (a save, say), then as they were submitted, so that data are used while they are fresh. Pure; not
/// thread-safe.
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
  bool writes = true;
  core::TaskId task;
  std::uint32_t ticket = 0;
  friend auto operator<=>(const QueuedTask&, const QueuedTask&) = default;
};

/// A binary heap; in the common case, tasks that come in program order, push() is a plain append.
class TaskQueue {
 public:
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] const QueuedTask& front() const { return heap_.front(); }
  void push(const QueuedTask& task) {
    heap_.push_back(task);
    std::ranges::push_heap(heap_, std::greater{});
  }
  void pop() {
    std::ranges::pop_heap(heap_, std::greater{});
    heap_.pop_back();
  }

 private:
  std::vector<QueuedTask> heap_;
};

}  // namespace penstock::cluster
