#include "executor/job_pool.hpp"

#include <algorithm>
#include <utility>

namespace penstock::executor {

namespace {

/// SplitMix64 (G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", 2014).
std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t mixed = state += 0x9e3779b97f4a7c15U;
  mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9U;
  mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebU;
  return mixed ^ mixed >> 31;
}

}  // namespace

JobPool::JobPool(int lanes_most, std::optional<std::uint64_t> seed)
    : shuffled_(seed.has_value()),
      lanes_(std::make_unique<Lane[]>(static_cast<std::size_t>(lanes_most))),
      random_state_(seed.value_or(0)) {
  sleepers_.reserve(static_cast<std::size_t>(lanes_most));
}

void JobPool::open(int lanes) { lane_count_ = lanes; }

void JobPool::push(std::span<Job* const> batch) {
  Lane* woken = nullptr;
  {
    const std::lock_guard lock(mutex_);
    for (Job* job : batch) enqueue(job);
    shared_count_.store(shared_.size(), std::memory_order_relaxed);
    woken = take_sleepers(batch.size());
  }
  wake(woken);
}

void JobPool::enqueue(Job* job) {
  if (job->priority == 0 || shuffled_)
    shared_.push_back(job);
  else
    (job->priority > 0 ? urgent_ : background_).push(job);
}

JobPool::Lane* JobPool::take_sleepers(std::size_t most) {
  Lane* first = nullptr;
  for (; most > 0 && !sleepers_.empty(); --most) {
    Lane* lane = sleepers_.back();
    sleepers_.pop_back();
    lane->wake_next = first;
    first = lane;
  }
  return first;
}

void JobPool::wake(Lane* first) {
  while (first != nullptr) {
    Lane* const next = first->wake_next;  // read before the worker is free to sleep again
    first->awake.store(1, std::memory_order_release);
    first->awake.notify_one();
    first = next;
  }
}

Job* JobPool::take(int lane) {
  if (shuffled_) return take_any();
  if (urgent_.size() > 0) {
    if (Job* job = take_ranked(urgent_)) return job;
  }
  Lane& own = lanes_[static_cast<std::size_t>(lane)];
  if (Job* job = own.local.pop()) return job;
  if (shared_count_.load(std::memory_order_relaxed) != 0) {
    if (Job* job = refill(own)) return job;
  }
  if (Job* job = steal(lane)) return job;
  return background_.size() > 0 ? take_ranked(background_) : nullptr;
}

Job* JobPool::take_ranked(RankedQueue& queue) {
  const std::lock_guard lock(mutex_);
  return queue.pop();
}

/// Takes a share of what waits, so that the mutex is taken once for many small tasks, but little of a short queue.
Job* JobPool::refill(Lane& lane) {
  const std::lock_guard lock(mutex_);
  if (shared_.empty()) return nullptr;
  const std::size_t share = shared_.size() / (2 * static_cast<std::size_t>(lane_count_));
  Job* const first = shared_.front();
  shared_.pop_front();
  for (std::size_t taken = 1; taken < std::min(share, LocalQueue::capacity); ++taken) {
    lane.local.push(shared_.front());
    shared_.pop_front();
  }
  shared_count_.store(shared_.size(), std::memory_order_relaxed);
  return first;
}

Job* JobPool::take_any() {
  const std::lock_guard lock(mutex_);
  if (shared_.empty()) return nullptr;
  std::swap(shared_.back(), shared_[next_random(random_state_) % shared_.size()]);
  Job* const job = shared_.back();
  shared_.pop_back();
  shared_count_.store(shared_.size(), std::memory_order_relaxed);
  return job;
}

Job* JobPool::steal(int lane) {
  for (int step = 1; step < lane_count_; ++step) {
    const auto victim = static_cast<std::size_t>((lane + step) % lane_count_);
    if (Job* job = lanes_[victim].local.pop()) return job;
  }
  return nullptr;
}

bool JobPool::has_waiting(int lane) const {
  return shared_count_.load(std::memory_order_relaxed) + urgent_.size() + background_.size() != 0 ||
         !lanes_[static_cast<std::size_t>(lane)].local.empty();
}

std::size_t JobPool::waiting() const {
  std::size_t count = shared_count_.load(std::memory_order_relaxed) + urgent_.size() + background_.size();
  for (const Lane& lane : std::span(lanes_.get(), static_cast<std::size_t>(lane_count_))) count += lane.local.size();
  return count;
}

bool JobPool::all_empty() const {
  const std::span lanes(lanes_.get(), static_cast<std::size_t>(lane_count_));
  return shared_.empty() && urgent_.size() == 0 && background_.size() == 0 &&
         std::ranges::all_of(lanes, [](const Lane& lane) { return lane.local.empty(); });
}

bool JobPool::sleep(int lane) {
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

void JobPool::close() {
  Lane* woken = nullptr;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    woken = take_sleepers(sleepers_.size());
  }
  wake(woken);
}

}  // namespace penstock::executor
