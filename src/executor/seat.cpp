#include "executor/seat.hpp"

#include <utility>

namespace penstock::executor {

void Seat::wish(Wish& wish) {
  const std::lock_guard lock(mutex_);
  (oldest_ == nullptr ? oldest_ : latest_->next_) = &wish;
  latest_ = &wish;
  wanted_.store(true, std::memory_order_relaxed);
}

void Seat::wait(Wish& wish) {
  std::unique_lock lock(mutex_);
  wish.granted_.wait(lock, [&] { return wish.has_it_; });
}

bool Seat::pass() {
  const std::lock_guard lock(mutex_);
  if (oldest_ == nullptr) return false;
  Wish& wish = *std::exchange(oldest_, oldest_->next_);
  wanted_.store(oldest_ != nullptr, std::memory_order_relaxed);
  wish.has_it_ = true;
  wish.granted_.notify_one();  // under the mutex: once it is free, the wish may be gone
  return true;
}

}  // namespace penstock::executor
