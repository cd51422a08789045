#include "executor/job_pool.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <thread>
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
      ring_(ring_capacity),
      random_state_(seed.value_or(0)) {
  sleepers_.reserve(static_cast<std::size_t>(lanes_most));
}

void JobPool::open(int lanes, bool program_has_core) {
  lane_count_ = lanes;
  program_cores_ = program_has_core ? 0 : 1;
  awake_.store(lanes, std::memory_order_relaxed);
}

// --- adding ---

void JobPool::push(std::span<Job* const> batch) {
  const std::size_t count = batch.size();
  while (!batch.empty()) {
    const auto plain =
        shuffled_ ? batch.begin() : std::ranges::find_if(batch, [](const Job* job) { return job->priority != 0; });
    const auto in_a_row = static_cast<std::size_t>(plain - batch.begin());
    const bool to_ring = in_a_row > 0 && listed_count_.load(std::memory_order_relaxed) == 0;
    std::size_t pushed = to_ring ? ring_.push(batch.first(in_a_row)) : 0;
    if (pushed == 0) pushed = list(batch.front());
    batch = batch.subspan(pushed);
  }
  wake_for(count);
}

std::size_t JobPool::list(Job* job) {
  const std::lock_guard lock(mutex_);
  if (job->priority == 0 || shuffled_) {
    listed_.push_back(job);
    listed_count_.store(listed_.size(), std::memory_order_relaxed);
  } else {
    (job->priority > 0 ? urgent_ : background_).push(job);
  }
  return 1;
}

void JobPool::wake_for(std::size_t jobs) {
  std::atomic_thread_fence(std::memory_order_seq_cst);  // the jobs are there, or the sleeper-to-be sees them
  if (sleeping_.load(std::memory_order_relaxed) == 0) return;
  const auto looking = static_cast<std::size_t>(looking_.load(std::memory_order_relaxed));
  if (looking >= jobs) return;
  Lane* woken = nullptr;
  {
    const std::lock_guard lock(mutex_);
    woken = take_sleepers(jobs - looking);
  }
  wake(woken);
}

/// The last to fall asleep, whose cache is the warmest; but none on the caller's core, who goes on there, if there is
/// another.
std::vector<JobPool::Lane*>::iterator JobPool::best_sleeper() {
  const int here = sched_getcpu();
  const auto last = std::find_if(sleepers_.rbegin(), sleepers_.rend(), [&](Lane* lane) { return lane->core != here; });
  return std::prev(last == sleepers_.rend() ? sleepers_.end() : last.base());
}

JobPool::Lane* JobPool::take_sleepers(std::size_t most) {
  Lane* first = nullptr;
  for (; most > 0 && !sleepers_.empty(); --most) {
    const auto best = best_sleeper();
    (*best)->wake_next = first;
    first = *best;
    sleepers_.erase(best);
  }
  sleeping_.store(sleepers_.size(), std::memory_order_relaxed);
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

// --- taking ---

Job* JobPool::take(int lane) {
  if (shuffled_) return take_listed();
  if (urgent_.size() > 0) {
    if (Job* job = take_ranked(urgent_)) return job;
  }
  Lane& own = lanes_[static_cast<std::size_t>(lane)];
  if (Job* job = own.local.pop()) return job;
  if (Job* job = refill(own)) return job;
  if (listed_count_.load(std::memory_order_relaxed) != 0) {
    if (Job* job = take_listed()) return job;
  }
  if (Job* job = steal(lane)) return job;
  return background_.size() > 0 ? take_ranked(background_) : nullptr;
}

Job* JobPool::take_ranked(RankedQueue& queue) {
  const std::lock_guard lock(mutex_);
  return queue.pop();
}

/// Takes several, which costs little more than one; the others steal what is taken too much.
Job* JobPool::refill(Lane& lane) {
  std::array<Job*, LocalQueue::capacity / 2> jobs;
  const std::size_t taken = ring_.pop(jobs);
  if (taken == 0) return nullptr;
  for (std::size_t i = 1; i < taken; ++i) {
    __builtin_prefetch(jobs[i], 1);
    lane.local.push(jobs[i]);
  }
  if (taken > 1) wake_for(1);  // who looked meanwhile saw neither queue hold them
  return jobs[0];
}

Job* JobPool::take_listed() {
  const std::lock_guard lock(mutex_);
  if (listed_.empty()) return nullptr;
  if (shuffled_) std::swap(listed_.front(), listed_[next_random(random_state_) % listed_.size()]);
  Job* const job = listed_.front();
  listed_.pop_front();
  listed_count_.store(listed_.size(), std::memory_order_relaxed);
  return job;
}

Job* JobPool::steal(int lane) {
  for (int step = 1; step < lane_count_; ++step) {
    const auto victim = static_cast<std::size_t>((lane + step) % lane_count_);
    if (Job* job = lanes_[victim].local.pop()) return job;
  }
  return nullptr;
}

void JobPool::give_back(int lane) {
  std::array<Job*, LocalQueue::capacity> jobs;
  std::size_t count = 0;
  while (Job* job = lanes_[static_cast<std::size_t>(lane)].local.pop()) jobs[count++] = job;
  if (count > 0) push({jobs.data(), count});
}

bool JobPool::has_waiting(int lane) const {
  return ring_.holds(0) || listed_count_.load(std::memory_order_relaxed) != 0 || urgent_.size() != 0 ||
         background_.size() != 0 || !lanes_[static_cast<std::size_t>(lane)].local.empty();
}

bool JobPool::can_steal() const {
  const std::span lanes(lanes_.get(), static_cast<std::size_t>(lane_count_));
  return std::ranges::any_of(lanes, [](const Lane& lane) { return !lane.local.empty(); });
}

std::size_t JobPool::waiting() const {
  std::size_t count =
      ring_.size() + listed_count_.load(std::memory_order_relaxed) + urgent_.size() + background_.size();
  for (const Lane& lane : std::span(lanes_.get(), static_cast<std::size_t>(lane_count_))) count += lane.local.size();
  return count;
}

bool JobPool::all_empty() const { return waiting() == 0; }

// --- sleeping ---

void JobPool::program_rests() {
  resting_.fetch_add(1, std::memory_order_relaxed);
  if (leaves_more()) wake_for(1);
}

bool JobPool::begin_looking() {
  const int taken = resting_.load(std::memory_order_relaxed) > 0 ? 0 : program_cores_;
  if (awake_.load(std::memory_order_relaxed) > std::max(lane_count_ - taken, 1)) return false;
  looking_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

void JobPool::stop_looking() {
  looking_.fetch_sub(1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);  // who pushes from now on wakes somebody; these are seen:
  if (leaves_more()) wake_for(1);
}

/// Whether there is a job besides the one that the calling worker will take. Of the ring it looks at the front alone:
/// whoever pushes has the line with its end.
bool JobPool::leaves_more() const {
  if (sleeping_.load(std::memory_order_relaxed) == 0) return false;
  std::size_t count = ring_.holds(1) ? 2 : ring_.holds(0) ? 1 : 0;
  count += listed_count_.load(std::memory_order_relaxed) + urgent_.size() + background_.size();
  for (const Lane& lane : std::span(lanes_.get(), static_cast<std::size_t>(lane_count_))) count += lane.local.size();
  return count > 1;
}

void JobPool::nap(std::chrono::nanoseconds time) {
  awake_.fetch_sub(1, std::memory_order_relaxed);
  std::this_thread::sleep_for(time);
  awake_.fetch_add(1, std::memory_order_relaxed);
}

bool JobPool::sleep(int lane, bool stays) {
  Lane& own = lanes_[static_cast<std::size_t>(lane)];
  const int core = sched_getcpu();
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(own.called, false) || !all_empty()) return true;
    if (closed_ && !stays) return false;
    own.core = core;
    own.awake.store(0, std::memory_order_relaxed);
    sleepers_.push_back(&own);
    sleeping_.store(sleepers_.size(), std::memory_order_relaxed);
  }
  std::atomic_thread_fence(std::memory_order_seq_cst);  // who pushes from now on sees the sleeper; others were before:
  if (!all_empty() && give_up_sleep(own)) return true;
  awake_.fetch_sub(1, std::memory_order_relaxed);
  own.awake.wait(0, std::memory_order_acquire);
  awake_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

/// False: somebody is waking it.
bool JobPool::give_up_sleep(Lane& lane) {
  const std::lock_guard lock(mutex_);
  const bool found = std::erase(sleepers_, &lane) > 0;
  sleeping_.store(sleepers_.size(), std::memory_order_relaxed);
  return found;
}

void JobPool::call(int lane) {
  Lane& called = lanes_[static_cast<std::size_t>(lane)];
  {
    const std::lock_guard lock(mutex_);
    const bool asleep = std::erase(sleepers_, &called) > 0;
    called.called = !asleep;
    if (!asleep) return;
    sleeping_.store(sleepers_.size(), std::memory_order_relaxed);
    called.wake_next = nullptr;
  }
  wake(&called);
}

void JobPool::take_none() {
  std::atomic_thread_fence(std::memory_order_seq_cst);  // as in stop_looking()
  if (!all_empty()) wake_for(1);
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
