#include "device/cpu/work_pool.hpp"

#include <algorithm>

namespace penstock::device {

WorkPool::WorkPool(int lanes_most) : lanes_(std::make_unique<Lane[]>(static_cast<std::size_t>(lanes_most))) {
  sleepers_.reserve(static_cast<std::size_t>(lanes_most));
}

void WorkPool::open(int lanes) { lane_count_ = lanes; }

void WorkPool::push(std::span<Work* const> batch) {
  Lane* woken = nullptr;
  {
    const std::lock_guard lock(mutex_);
    shared_.insert(shared_.end(), batch.begin(), batch.end());
    shared_count_.store(shared_.size(), std::memory_order_relaxed);
    woken = take_sleepers(batch.size());
  }
  wake(woken);
}

WorkPool::Lane* WorkPool::take_sleepers(std::size_t most) {
  Lane* first = nullptr;
  for (; most > 0 && !sleepers_.empty(); --most) {
    Lane* lane = sleepers_.back();
    sleepers_.pop_back();
    lane->wake_next = first;
    first = lane;
  }
  return first;
}

void WorkPool::wake(Lane* first) {
  while (first != nullptr) {
    Lane* const next = first->wake_next;  // read before the worker is free to sleep again
    first->awake.store(1, std::memory_order_release);
    first->awake.notify_one();
    first = next;
  }
}

Work* WorkPool::take(int lane) {
  Lane& own = lanes_[static_cast<std::size_t>(lane)];
  if (Work* work = own.local.pop()) return work;
  if (shared_count_.load(std::memory_order_relaxed) != 0) {
    if (Work* work = refill(own)) return work;
  }
  return steal(lane);
}

/// Takes a share of what waits, so that the mutex is taken once for many small tasks, but little of a short queue.
Work* WorkPool::refill(Lane& lane) {
  const std::lock_guard lock(mutex_);
  if (shared_.empty()) return nullptr;
  const std::size_t share = shared_.size() / (2 * static_cast<std::size_t>(lane_count_));
  Work* const first = shared_.front();
  shared_.pop_front();
  for (std::size_t taken = 1; taken < std::min(share, LocalQueue::capacity); ++taken) {
    lane.local.push(shared_.front());
    shared_.pop_front();
  }
  shared_count_.store(shared_.size(), std::memory_order_relaxed);
  return first;
}

Work* WorkPool::steal(int lane) {
  for (int step = 1; step < lane_count_; ++step) {
    const auto victim = static_cast<std::size_t>((lane + step) % lane_count_);
    if (Work* work = lanes_[victim].local.pop()) return work;
  }
  return nullptr;
}

bool WorkPool::has_waiting(int lane) const {
  return shared_count_.load(std::memory_order_relaxed) != 0 || !lanes_[static_cast<std::size_t>(lane)].local.empty();
}

std::size_t WorkPool::waiting() const {
  std::size_t count = shared_count_.load(std::memory_order_relaxed);
  for (const Lane& lane : std::span(lanes_.get(), static_cast<std::size_t>(lane_count_))) count += lane.local.size();
  return count;
}

bool WorkPool::all_empty() const {
  const std::span lanes(lanes_.get(), static_cast<std::size_t>(lane_count_));
  return shared_.empty() && std::ranges::all_of(lanes, [](const Lane& lane) { return lane.local.empty(); });
}

bool WorkPool::sleep(int lane) {
  Lane& own = lanes_[static_cast<std::size_t>(lane)];
  {
    const std::lock_guard lock(mutex_);
    if (!all_empty()) return true;
    if (closed_) return false;
    own.awake.store(0, std::memory_order_relaxed);
    sleepers_.push_back(&own);
  }
  own.awake.wait(0, std::memory_order_acquire);
  return true;
}

void WorkPool::close() {
  Lane* woken = nullptr;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    woken = take_sleepers(sleepers_.size());
  }
  wake(woken);
}

}  // namespace penstock::device
