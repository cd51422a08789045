/// Jobs whose priority is not 0: the highest first, those of one priority in the order in which they came. Not
/// synchronised but for size().
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "executor/job.hpp"

namespace penstock::executor {

class RankedQueue {
 public:
  void push(Job* job) {
    heap_.push_back({job->priority, ++pushed_, job});
    std::ranges::push_heap(heap_, later);
    count_.store(heap_.size(), std::memory_order_relaxed);
  }
  /// Null when there is nothing.
  Job* pop() {
    if (heap_.empty()) return nullptr;
    std::ranges::pop_heap(heap_, later);
    Job* const job = heap_.back().job;
    heap_.pop_back();
    count_.store(heap_.size(), std::memory_order_relaxed);
    return job;
  }
  /// Any thread; to all but the one that pushes and pops a hint.
  [[nodiscard]] std::size_t size() const { return count_.load(std::memory_order_relaxed); }

 private:
  struct Entry {
    std::int32_t priority;
    std::uint64_t number;
    Job* job;
  };
  static bool later(const Entry& left, const Entry& right) {
    return std::tuple(left.priority, right.number) < std::tuple(right.priority, left.number);
  }

  std::vector<Entry> heap_;
  std::uint64_t pushed_ = 0;
  std::atomic<std::size_t> count_{0};  ///< of heap_; orders nothing
};

}  // namespace penstock::executor
