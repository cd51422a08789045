#include "executor/workers.hpp"

#include <chrono>
#include <utility>

#include "executor/steady_clock.hpp"

namespace penstock::executor {

namespace {

/// About what it costs to fall asleep and be woken: waiting longer than that cannot pay.
constexpr std::int64_t look_ns_most = 20'000;
constexpr int looks_between_clocks = 8;
constexpr int looks_before_asking = 6;   // a submitter at work hands over by itself before
constexpr int pauses_between_looks = 8;  // each look takes a cache line from who fills it
constexpr int naps_most = 6;             // a millisecond and a quarter
constexpr std::chrono::microseconds first_nap{20};

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

void Workers::open(int lanes, int cores) {
  lanes_ = lanes;
  spins_ = lanes <= cores;
  pool_.open(lanes, lanes < cores);
}

void Workers::push(std::span<Job* const> jobs) {
  Worker* const worker = current();
  if (worker != nullptr && worker->next == nullptr && !jobs.empty()) {
    worker->next = jobs.front();
    jobs = jobs.subspan(1);
  }
  if (!jobs.empty()) pool_.push(jobs);
}

void Workers::work(int lane) {
  Worker worker{.team = this, .lane = lane};
  current_ = &worker;
  do {
    while (Job* job = take(worker)) {
      worker.naps = 0;
      job->run(*job, worker);
    }
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
  if (Supplier* const supplier = supplier_.load(std::memory_order_acquire)) supplier->idle();
  if (worker.next != nullptr) return true;
  if (spins_ && pool_.begin_looking()) {
    if (look_around(worker.lane)) return true;
  } else if (spins_ && worker.naps < naps_most) {
    pool_.nap(first_nap * (1 << worker.naps++));
    return true;
  }
  worker.naps = 0;
  return pool_.sleep(worker.lane);
}

bool Workers::look_around(int lane) {
  Supplier* const supplier = supplier_.load(std::memory_order_acquire);
  bool found = false;
  int held_back = 0;  // looks at which jobs were
  const std::int64_t end_ns = steady_now().ns + look_ns_most;
  do {
    for (int i = 0; i < looks_between_clocks && !found; ++i) {
      for (int j = 0; j < pauses_between_looks; ++j) pause_core();
      found = pool_.has_waiting(lane);
      if (found || supplier == nullptr || !supplier->holds_back()) continue;
      if (++held_back % looks_before_asking == 0) supplier->hand_over(false);
    }
    found = found || pool_.can_steal();  // not to be looked at too often: it slows its owner down
  } while (!found && steady_now().ns < end_ns);
  pool_.stop_looking();
  // What is held back from now on finds nobody who looks; what was before is seen here, if need be by waiting for who
  // has just seen this worker look.
  if (supplier != nullptr && supplier->holds_back()) supplier->hand_over(true);
  return found;
}

}  // namespace penstock::executor
