/// A bounded queue of jobs, first in first out, that any thread pushes to and takes from without a lock (D. Vyukov,
/// "Bounded MPMC queue", 1024cores.net): each slot says whose turn it is. Several in a row are pushed or taken at the
/// price of one.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace penstock::executor {

struct Job;

template <template <class> class Atomic = std::atomic>
class JobRing {
 public:
  /// `capacity` is a power of two.
  explicit JobRing(std::size_t capacity) : mask_(capacity - 1), slots_(std::make_unique<Slot[]>(capacity)) {
    for (std::size_t i = 0; i < capacity; ++i) slots_[i].turn.store(i, std::memory_order_relaxed);
  }

  /// Pushes the first of `jobs`, as many in a row as there are free slots for; returns how many. The slots are looked
  /// at, then reserved at once, then filled: nothing in between waits for their lines one by one.
  [[nodiscard]] std::size_t push(std::span<Job* const> jobs) {
    std::uint64_t place = tail_.load(std::memory_order_relaxed);
    while (true) {
      std::size_t count = 0;
      while (count < jobs.size() && behind(place + count) == 0) ++count;
      if (count == 0) {
        if (jobs.empty() || behind(place) < 0) return 0;
        place = tail_.load(std::memory_order_relaxed);  // others have filled it
      } else if (tail_.compare_exchange_weak(place, place + count, std::memory_order_relaxed)) {
        for (std::size_t i = 0; i < count; ++i) fill(place + i, jobs[i]);
        return count;
      }
    }
  }

  /// One; false: it is full.
  [[nodiscard]] bool push(Job* job) { return push(std::span<Job* const>(&job, 1)) == 1; }

  /// Fills the front of `jobs` and returns how many it took; 0: there was none, or its push is not through.
  [[nodiscard]] std::size_t pop(std::span<Job*> jobs) {
    std::uint64_t place = head_.load(std::memory_order_relaxed);
    while (true) {
      std::size_t count = 0;
      while (count < jobs.size() && ahead(place + count) == 0) ++count;
      if (count == 0) {
        if (jobs.empty() || ahead(place) < 0) return 0;
        place = head_.load(std::memory_order_relaxed);  // others have taken it
      } else if (head_.compare_exchange_weak(place, place + count, std::memory_order_relaxed)) {
        for (std::size_t i = 0; i < count; ++i) {
          Slot& slot = slots_[(place + i) & mask_];
          jobs[i] = slot.job;
          slot.turn.store(place + i + mask_ + 1, std::memory_order_release);  // it was read before it is filled again
        }
        return count;
      }
    }
  }

  /// Whether job number `index` from the front is there. A hint, which leaves the pushers' line alone.
  [[nodiscard]] bool holds(std::size_t index) const {
    return index <= mask_ && ahead(head_.load(std::memory_order_relaxed) + index) >= 0;
  }

  /// A hint while others push and pop; 0 only if there was a moment when it was empty.
  [[nodiscard]] std::size_t size() const {
    const std::uint64_t head = head_.load(std::memory_order_acquire);
    const std::uint64_t tail = tail_.load(std::memory_order_acquire);
    return head < tail ? static_cast<std::size_t>(tail - head) : 0;
  }

 private:
  struct Slot {
    Atomic<std::uint64_t> turn{0};  ///< its place: free; its place + 1: filled. Release after, acquire before `job`
    Job* job = nullptr;
  };
  void fill(std::uint64_t place, Job* job) {
    Slot& slot = slots_[place & mask_];
    slot.job = job;
    slot.turn.store(place + 1, std::memory_order_release);
    // Who took it last wrote to the slot that comes then: its line is under way before it is needed.
    __builtin_prefetch(&slots_[(place + fetched_ahead) & mask_], 1);
  }
  /// 0: the slot of this place is free; below: not yet; above: no longer.
  [[nodiscard]] std::int64_t behind(std::uint64_t place) const {
    return static_cast<std::int64_t>(slots_[place & mask_].turn.load(std::memory_order_acquire) - place);
  }
  /// 0: the slot of this place is filled; below: not yet; above: no longer.
  [[nodiscard]] std::int64_t ahead(std::uint64_t place) const {
    return static_cast<std::int64_t>(slots_[place & mask_].turn.load(std::memory_order_acquire) - (place + 1));
  }

  static constexpr std::size_t fetched_ahead = 32;

  const std::size_t mask_;
  const std::unique_ptr<Slot[]> slots_;
  alignas(64) Atomic<std::uint64_t> head_{0};  ///< next to take; orders nothing
  alignas(64) Atomic<std::uint64_t> tail_{0};  ///< next to fill; orders nothing
};

}  // namespace penstock::executor
