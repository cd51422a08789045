/// The jobs that one worker has taken ahead from the shared queue: first in, first out. Its owner fills it when it is
/// empty; the owner and every other worker that has run dry take from it, so that nothing is stuck behind a long task.
/// `Atomic` is std::atomic but in tests of interleavings.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/assert.hpp"

namespace penstock::executor {

struct Job;

template <template <class> class Atomic = std::atomic>
class BasicLocalQueue {
 public:
  static constexpr std::size_t capacity = 32;

  /// The owner only.
  void push(Job* job) {
    const std::uint64_t tail = tail_.load(std::memory_order_relaxed);
    PENSTOCK_ASSERT(tail - head_.load(std::memory_order_acquire) < capacity);
    slots_[tail % capacity].store(job, std::memory_order_relaxed);
    tail_.store(tail + 1, std::memory_order_release);
  }

  /// Any worker. Null when there is nothing.
  Job* pop() {
    std::uint64_t head = head_.load(std::memory_order_acquire);
    while (head < tail_.load(std::memory_order_acquire)) {
      Job* job = slots_[head % capacity].load(std::memory_order_relaxed);
      // Where another worker was faster the slot may hold something newer; the exchange fails then, as head only grows.
      if (head_.compare_exchange_weak(head, head + 1, std::memory_order_acq_rel, std::memory_order_acquire)) return job;
    }
    return nullptr;
  }

  [[nodiscard]] bool empty() const { return size() == 0; }
  /// A hint for all but the owner.
  [[nodiscard]] std::size_t size() const {
    const std::uint64_t head = head_.load(std::memory_order_acquire);
    const std::uint64_t tail = tail_.load(std::memory_order_acquire);
    return head < tail ? static_cast<std::size_t>(tail - head) : 0;
  }

 private:
  /// Next to take. Release: the slot was read before the owner may fill it again.
  Atomic<std::uint64_t> head_{0};
  /// Next to fill, written by the owner. Release: the slot and what it points to are there before it is seen.
  Atomic<std::uint64_t> tail_{0};
  std::array<Atomic<Job*>, capacity> slots_{};
};

using LocalQueue = BasicLocalQueue<>;

}  // namespace penstock::executor
