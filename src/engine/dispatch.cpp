// Who runs what is ready: workers, or the thread that submits.
#include <utility>

#include "engine/domain.hpp"
#include "executor/steady_clock.hpp"

namespace penstock::engine {

namespace {

constexpr std::size_t held_back_most = 16;
constexpr std::size_t substitutes_most = 32;  // beyond, tasks of tasks are run by those that wait for them
constexpr std::int64_t task_ns_most = 4 * KernelTimes::short_ns;  // of the short ones that are run in here, on average
constexpr std::uint64_t burst = 128;                              // their records nearly fit into the first cache

}  // namespace

/// Tasks that take less than it costs to hand them to another core are run by the thread that submits, many at a time;
/// a worker looks now and then whether it still does. Others go to the workers: several at once, where one is there to
/// take them.
void Domain::dispatch(Lock& lock) {
  if (lane_->ready.empty()) return;
  if (options_.of_task) return dispatch_in_task();
  for (; judged_ < lane_->ready.size(); ++judged_)
    all_short_ = all_short_ && runs_here(task_of(*lane_->ready[judged_]));
  if (!all_short_) {
    if (!may_hold_back()) start_ready();
  } else if (++held_for_ >= burst) {
    run_held(lock);
  } else if (!std::exchange(holds_back_, true) && !engine_.hold_back()) {
    start_ready();
  }
}

/// A task that waits for its own runs them meanwhile; those that have nothing to do may take them before, unless so
/// many tasks wait for others that more of them would do harm.
void Domain::dispatch_in_task() {
  const executor::Workers& workers = engine_.workers();
  const bool many_wait = workers.substitutes() >= substitutes_most;
  const bool has_takers = workers.is_shuffled() || workers.anyone_sleeps();  // when shuffled, all are given out
  const bool keeps = (many_wait || !has_takers) && (std::exchange(holds_back_, true) || engine_.hold_back());
  all_short_ = false;
  if (!keeps) start_ready();
}

bool Domain::runs_here(const Task& task) const {
  const bool is_short = task.internal != 0 || engine_.times().is_short(task.kernel);
  return is_short && task.cores == 1 && task.job.priority == 0 && !options_.of_task && !engine_.workers().is_shuffled();
}

/// While a worker looks around it is cheaper for both sides to hand it several tasks at once.
bool Domain::may_hold_back() {
  if (lane_->ready.size() >= held_back_most || !engine_.workers().anyone_looks()) return false;
  return std::exchange(holds_back_, true) || engine_.hold_back();
}

void Domain::start_ready() {
  if (std::exchange(holds_back_, false)) engine_.hold_no_more();
  engine_.start_ready(*lane_);
  forget_held();
}

/// Without `lock`, but for the beginning and the end.
void Domain::run_held(Lock& lock) {
  if (here_.is_taken()) return start_ready();  // another thread of the program is at it
  here_.take();
  if (std::exchange(holds_back_, false)) engine_.hold_no_more();
  ++bursts_;
  burst_.swap(lane_->ready);
  forget_held();
  lock.unlock();
  const std::int64_t begin_ns = executor::steady_now().ns;
  std::int64_t now_ns = begin_ns;
  for (std::size_t i = 0; i < burst_.size(); ++i) {
    engine_.run_here(task_of(*burst_[i]), *burst_lane_, now_ns);
    for (executor::Job* const job : burst_lane_->ready) {
      (runs_here(task_of(*job)) ? burst_ : others_).push_back(job);
    }
    burst_lane_->ready.clear();
  }
  const auto expected_ns = static_cast<std::int64_t>(burst_.size()) * task_ns_most;
  if (executor::steady_now().ns - begin_ns > expected_ns) engine_.times().doubt();
  burst_.clear();
  engine_.workers().push(others_);
  others_.clear();
  here_.give_back();
  lock.lock();
}

/// The same for a task that waits for tasks of its own, on its worker.
void Domain::run_held_on(executor::Worker& worker, Lock& lock) {
  std::vector<executor::Job*> jobs;
  while (!lane_->ready.empty() && !Engine::stack_is_deep()) {
    if (std::exchange(holds_back_, false)) engine_.hold_no_more();
    jobs.swap(lane_->ready);
    forget_held();
    lock.unlock();
    for (executor::Job* job : jobs) {
      do {
        job->run(*job, worker);
        job = std::exchange(worker.next, nullptr);  // released by the one before: of this domain too, or of another
      } while (job != nullptr);
    }
    jobs.clear();
    lock.lock();
  }
}

/// A worker that runs many short tasks in a row gives back what they release, if the program is still submitting.
/// Before it does anything longer, and when the program has stopped, it sees to what it gave.
bool Domain::takes_back(Lane& lane) {
  if (++lane.short_in_a_row % burst == 0) {
    const std::uint64_t submitted = submitted_.load(std::memory_order_relaxed);
    const bool goes_on = std::exchange(lane.submitted_seen, submitted) != submitted &&
                         waiting_.load(std::memory_order_relaxed) == 0 && !options_.serial;
    if (std::exchange(lane.gives_back, goes_on) && !goes_on) push_returned();
  }
  return lane.gives_back;
}

void Domain::take_back(std::vector<executor::Job*>& jobs) {
  const std::lock_guard lock(returned_mutex_);
  returned_.insert(returned_.end(), jobs.begin(), jobs.end());
  jobs.clear();
  has_returned_.store(true, std::memory_order_relaxed);
}

void Domain::hold_returned() {
  if (!has_returned_.load(std::memory_order_relaxed)) return;
  const std::lock_guard lock(returned_mutex_);
  lane_->ready.insert(lane_->ready.end(), returned_.begin(), returned_.end());
  returned_.clear();
  has_returned_.store(false, std::memory_order_relaxed);
}

void Domain::push_returned() {
  std::vector<executor::Job*> jobs;
  {
    const std::lock_guard lock(returned_mutex_);
    jobs.swap(returned_);
    has_returned_.store(false, std::memory_order_relaxed);
  }
  engine_.workers().share(jobs);
}

/// Before the calling thread sleeps.
void Domain::look_after_held(Lock& lock) {
  hold_returned();
  if (lane_->ready.empty()) return;
  executor::Worker* const worker = engine_.workers().current();
  if (options_.of_task && worker != nullptr)
    run_held_on(*worker, lock);
  else if (all_short_ && !executor::Workers::is_worker())
    run_held(lock);
  start_ready();
}

void Domain::offer() {
  const Lock lock(mutex_, std::try_to_lock);
  const bool stays = options_.of_task && engine_.workers().substitutes() >= substitutes_most;
  if (!lock || !holds_back_ || all_short_ || stays) return;
  engine_.hold_no_more();
  holds_back_ = false;
  engine_.workers().share(lane_->ready);
  lane_->ready.clear();
  forget_held();
}

void Domain::forget_held() {
  judged_ = 0;
  all_short_ = true;
  held_for_ = 0;
}

bool Domain::on_idle() {
  notify_waits();
  const Lock lock(mutex_);
  if (std::exchange(bursts_seen_, bursts_) != bursts_) return true;
  hold_returned();
  start_ready();
  return false;
}

}  // namespace penstock::engine
