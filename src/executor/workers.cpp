#include "executor/workers.hpp"

#include <utility>

#include "executor/steady_clock.hpp"

namespace penstock::executor {

namespace {

/// About what it costs to fall asleep and be woken: waiting longer than that cannot pay.
constexpr std::int64_t spin_ns_most = 20'000;
constexpr int pauses_between_clocks = 32;

void pause_core() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

thread_local Worker* Workers::current_ = nullptr;

Workers::Workers(Options options) : idle_(std::move(options.idle)), pool_(options.lanes_most, options.seed) {}

void Workers::open(int lanes, bool spins) {
  lanes_ = lanes;
  spins_ = spins;
  pool_.open(lanes);
}

void Workers::push(std::span<Job* const> jobs) {
  Worker* const worker = current();
  if (worker != nullptr && worker->next == nullptr && !jobs.empty()) {
    worker->next = jobs.front();
    jobs = jobs.subspan(1);
  }
  if (!jobs.empty()) pool_.push(jobs);
}

void Workers::also_when_idle(std::function<void()> idle) {
  also_idle_ = std::move(idle);
  has_also_idle_.store(true, std::memory_order_release);
}

void Workers::work(int lane) {
  Worker worker{.team = this, .lane = lane};
  current_ = &worker;
  do {
    while (Job* job = take(worker)) job->run(*job, worker);
    worker.now_ns = 0;
  } while (wait_for_jobs(worker));
  current_ = nullptr;
}

Job* Workers::take(Worker& worker) {
  Job* const next = std::exchange(worker.next, nullptr);
  if (next == nullptr) {
    worker.chain = 0;
    return pool_.take(worker.lane);
  }
  const bool chain_ends = worker.chain >= chain_most && pool_.has_waiting(worker.lane);
  if (!chain_ends && !pool_.has_better(next->priority)) {
    ++worker.chain;
    return next;
  }
  worker.chain = 0;
  pool_.push({&next, 1});
  return pool_.take(worker.lane);
}

bool Workers::wait_for_jobs(Worker& worker) {
  idle_(worker.lane);  // first: what was collected may be what brings more work
  if (has_also_idle_.load(std::memory_order_acquire)) also_idle_();
  if (worker.next != nullptr) return true;
  return (spins_ && spin_for_jobs(worker.lane)) || pool_.sleep(worker.lane);
}

bool Workers::spin_for_jobs(int lane) const {
  const std::int64_t end_ns = steady_now().ns + spin_ns_most;
  do {
    for (int i = 0; i < pauses_between_clocks; ++i) {
      if (pool_.has_waiting(lane)) return true;
      pause_core();
    }
  } while (steady_now().ns < end_ns);
  return false;
}

}  // namespace penstock::executor
