/// A stack that threads push to until one closes it, which takes all that was pushed: how those that come after a task
/// wait for it, or find that it has ended. Lock-free; `Atomic` is std::atomic but in tests of interleavings.
#pragma once

#include <atomic>

namespace penstock::executor {

/// `Node` has a member `next`, the stack's while the node is in it; nodes are their owners'.
template <class Node, template <class> class Atomic = std::atomic>
class ClosableStack {
 public:
  /// False, and nothing was pushed: it is closed, and what was written before close() is seen.
  [[nodiscard]] bool push(Node& node) {
    Node* head = head_.load(std::memory_order_acquire);
    do {
      if (head == closed()) return false;
      node.next = head;
      // Release: who closes sees the node's members. Acquire on failure: it may have been closed meanwhile.
    } while (!head_.compare_exchange_weak(head, &node, std::memory_order_release, std::memory_order_acquire));
    return true;
  }

  /// All that was pushed, oldest first; from now on push() fails. Once in a life.
  [[nodiscard]] Node* close() {
    Node* latest = head_.exchange(closed(), std::memory_order_acq_rel);
    Node* oldest = nullptr;
    while (latest != nullptr) {
      Node* const next = latest->next;
      latest->next = oldest;
      oldest = latest;
      latest = next;
    }
    return oldest;
  }

  /// True: what was written before close() is seen.
  [[nodiscard]] bool is_closed() const { return head_.load(std::memory_order_acquire) == closed(); }

  /// Begins a new life, open and empty. Not while another thread may use it.
  void reopen() { head_.store(nullptr, std::memory_order_relaxed); }

 private:
  static Node* closed() {
    static constinit Node mark{};
    return &mark;
  }

  Atomic<Node*> head_{nullptr};
};

}  // namespace penstock::executor
