/// How many still use a version, of which those that come later may be counted elsewhere until nobody comes any more.
/// Lock-free; `Atomic` is std::atomic but in tests of interleavings.
#pragma once

#include <atomic>
#include <cstdint>

namespace penstock::engine {

template <template <class> class Atomic = std::atomic>
class UseCount {
 public:
  /// What is counted besides the users, at first one, for as long as others come: above any number of them.
  static constexpr std::int64_t bias = std::int64_t{1} << 62;

  /// Takes users away; whether they were the last. Exactly one call returns true, and sees all that others did before
  /// theirs. The one that takes the bias away takes `bias` less the users that came meanwhile.
  [[nodiscard]] bool drop(std::int64_t count) { return count_.fetch_sub(count, std::memory_order_acq_rel) == count; }

  /// Whether so much is left; what those did who took the rest is seen then.
  [[nodiscard]] bool is(std::int64_t count) const { return count_.load(std::memory_order_acquire) == count; }
  /// Begins a new life with one user. Not while another thread may use it.
  void begin() { count_.store(bias + 1, std::memory_order_relaxed); }

 private:
  Atomic<std::int64_t> count_{bias + 1};
};

}  // namespace penstock::engine
