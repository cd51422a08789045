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
constexpr std::chrono::microseconds watch_nap{50};  // while who holds jobs back runs them itself

void pause_core() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

thread_local Worker* Workers::current_ = nullptr;
thread_local bool Workers::is_worker_ = false;

Workers::Workers(Options options)
    : idle_(std::move(options.idle)),
      pool_(options.lanes_most, options.seed),
      places_(std::make_unique<Place[]>(static_cast<std::size_t>(options.lanes_most))),
      substitutes_(options.substitutes_most, {.enter = std::move(options.on_substitute),
                                              .work = [this](int lane) { work_as_substitute(lane); },
                                              .leave = [this](int lane) { pass(place(lane)); }}),
      guests_(*this, std::move(options.on_guest)) {
  for (int lane = 0; lane < options.lanes_most; ++lane) place(lane).worker = {.team = this, .lane = lane};
}

void Workers::open(int lanes, int cores) {
  lanes_ = lanes;
  attentive_.store(lanes, std::memory_order_relaxed);
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
  Place& own = place(lane);
  is_worker_ = true;
  current_ = &own.worker;
  while (run_jobs(own)) {  // who wants the lane back gets it, and gives it back after its job
    current_ = nullptr;
    ++own.worker.away;
    pass(own);
    take_back(own);
  }
  current_ = nullptr;
  is_worker_ = false;
  guests_.leave();
}

/// False: the team has ended. True: the lane is wanted by another thread.
bool Workers::run_jobs(Place& place) {
  Worker& worker = place.worker;
  do {
    while (!place.seat.wanted()) {
      Job* const job = take(worker);
      if (job == nullptr) break;
      worker.naps = 0;
      job->run(*job, worker);
    }
    worker.now_ns = 0;
    if (place.seat.wanted()) return true;
  } while (wait_for_jobs(worker));
  return false;
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
  if (ask_supplier()) {
    pool_.nap(watch_nap);
    return true;
  }
  if (worker.next != nullptr) return true;
  if (spins_ && pool_.begin_looking()) {
    if (look_around(worker.lane)) return true;
  } else if (spins_ && worker.naps < naps_most && worker.away == 0) {  // no nap while the lane may be wanted back
    pool_.nap(first_nap * (1 << worker.naps++));
    return true;
  }
  worker.naps = 0;
  attentive_.fetch_sub(1, std::memory_order_seq_cst);
  Supplier* const supplier = supplier_.load(std::memory_order_acquire);
  const bool is_asked = supplier != nullptr && supplier->holds_back();
  const bool goes_on = is_asked || pool_.sleep(worker.lane, worker.away > 0);
  attentive_.fetch_add(1, std::memory_order_seq_cst);
  return goes_on;
}

/// The worker is about to sleep inside a job: nothing is to wait for it.
void Workers::prepare_to_park(Worker& worker) {
  idle_(worker.lane);
  pool_.give_back(worker.lane);
  if (Job* const next = std::exchange(worker.next, nullptr)) pool_.push({&next, 1});
}

bool Workers::ask_supplier() {
  Supplier* const supplier = supplier_.load(std::memory_order_acquire);
  return supplier != nullptr && supplier->idle();
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
      if (++held_back % looks_before_asking == 0) supplier->offer();
    }
    found = found || pool_.can_steal();  // not to be looked at too often: it slows its owner down
  } while (!found && steady_now().ns < end_ns);
  pool_.stop_looking();
  return found;
}

}  // namespace penstock::executor
