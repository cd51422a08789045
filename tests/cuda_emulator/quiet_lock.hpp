/// A mutex and a condition variable that sanitizers do not see: on futexes, by way of the system call (U. Drepper,
/// "Futexes are tricky", 2011).
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>

namespace penstock::emulator {

class QuietMutex {
 public:
  void lock() {
    std::uint32_t seen = free;
    if (state_.compare_exchange_strong(seen, taken, std::memory_order_acquire)) return;
    if (seen != wanted) seen = state_.exchange(wanted, std::memory_order_acquire);
    while (seen != free) {
      syscall(SYS_futex, &state_, FUTEX_WAIT_PRIVATE, wanted, nullptr, nullptr, 0);
      seen = state_.exchange(wanted, std::memory_order_acquire);
    }
  }
  void unlock() {
    if (state_.exchange(free, std::memory_order_release) == wanted) {
      syscall(SYS_futex, &state_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
    }
  }

 private:
  static constexpr std::uint32_t free = 0;
  static constexpr std::uint32_t taken = 1;
  static constexpr std::uint32_t wanted = 2;  ///< taken, and somebody may sleep

  std::atomic<std::uint32_t> state_{free};
};

/// Used under one QuietMutex.
class QuietCondition {
 public:
  /// `lock` is held, and given away meanwhile. May end for no reason.
  template <class Lock>
  void wait(Lock& lock) {
    const std::uint32_t seen = changes_.load(std::memory_order_relaxed);
    lock.unlock();
    syscall(SYS_futex, &changes_, FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr, 0);
    lock.lock();
  }
  void notify_all() {
    changes_.fetch_add(1, std::memory_order_relaxed);  // the mutex orders it
    syscall(SYS_futex, &changes_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
  }

 private:
  std::atomic<std::uint32_t> changes_{0};
};

}  // namespace penstock::emulator
