/// Tasks of one front-end that are waited for and cancelled together.
///
/// Threads: any. It lives until its holder has let go of it and its tasks have ended.
#pragma once

#include <atomic>
#include <cstdint>

namespace penstock::engine {

class Domain;

class Group {
 public:
  /// `domain`: of its tasks, where they have one.
  explicit Group(Domain* domain = nullptr) : domain_(domain) {}
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  [[nodiscard]] Domain& domain() const { return *domain_; }

  /// Tasks of it that have not begun end as cancelled.
  void cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }

  /// A task is submitted; by a holder of the group.
  void enter() { users_.fetch_add(1, std::memory_order_relaxed); }
  /// A task has ended. True: it was the last, and its holder may wait for that.
  [[nodiscard]] bool leave() {
    const std::uint64_t left = users_.fetch_sub(1, std::memory_order_acq_rel) - 1;
    if (left == 0) delete this;
    return left == 1;
  }
  /// Its holder's last call.
  void let_go() { static_cast<void>(leave()); }
  /// Whether none of its tasks is in flight; what they did is seen then.
  [[nodiscard]] bool empty() const { return users_.load(std::memory_order_acquire) == 1; }

 private:
  Domain* const domain_;
  std::atomic<std::uint64_t> users_{1};  // tasks in flight, and its holder; decrements are acquire-release
  std::atomic<bool> cancelled_{false};   // orders nothing: a task may start just after the cancel
};

}  // namespace penstock::engine
