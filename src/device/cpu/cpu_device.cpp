#include "device/cpu/cpu_device.hpp"

#include <omp.h>

#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <penstock/error.hpp>

#include "core/assert.hpp"
#include "device/cpu/affinity.hpp"
#include "device/cpu/run_work.hpp"
#include "device/steady_clock.hpp"

namespace penstock::device {
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

struct CpuDevice::Worker {
  CpuDevice* device;
  int lane;
  Work* next = nullptr;               ///< to run next, released by the task before it
  int chain = 0;                      ///< tasks run from `next` in a row
  std::int64_t now_ns = 0;            ///< end of the task before, when the next follows at once; 0: look at the clock
  std::vector<Parameter> parameters;  ///< reused by every task of this worker
};

thread_local CpuDevice::Worker* CpuDevice::current_worker_ = nullptr;

CpuDevice::CpuDevice(Options options, Completions& completions)
    : options_(std::move(options)), completions_(completions), pool_(static_cast<int>(options_.cores.size())) {
  if (options_.cores.empty()) throw Error(ErrorCode::invalid_argument, "a CPU device needs at least one core");
  try {
    region_ = std::thread([this] { run_region(); });
  } catch (const std::system_error& error) {
    throw Error(ErrorCode::environment, std::string("the workers cannot be started: ") + error.what());
  }
  opened_.wait();
}

CpuDevice::~CpuDevice() { stop(); }

void CpuDevice::stop() {
  PENSTOCK_ASSERT(current_worker_ == nullptr || current_worker_->device != this);
  if (!region_.joinable()) return;
  pool_.close();
  region_.join();
  stopped_.store(true, std::memory_order_relaxed);
}

Token CpuDevice::start(std::span<Work* const> work, std::span<const Token> after) {
  PENSTOCK_ASSERT(after.empty());
  PENSTOCK_ASSERT(!stopped_.load(std::memory_order_relaxed));
  Worker* const worker = current_worker_;
  if (worker != nullptr && worker->device == this && worker->next == nullptr && !work.empty()) {
    worker->next = work.front();
    work = work.subspan(1);
  }
  if (!work.empty()) pool_.push(work);
  return {};
}

void CpuDevice::run_region() {
  omp_set_dynamic(0);
  const int width = static_cast<int>(options_.cores.size());
#pragma omp parallel num_threads(width)
  {
    if (omp_get_thread_num() == 0) open(omp_get_num_threads());
    opened_.wait();
    run_worker(omp_get_thread_num());
  }
}

void CpuDevice::open(int lanes) {
  lanes_ = lanes;
  spins_ = static_cast<std::size_t>(lanes) <= read_affinity().size();
  pool_.open(lanes);
  opened_.count_down();
}

void CpuDevice::run_worker(int lane) {
  std::optional<PinnedScope> pinned;
  if (options_.pin) pinned.emplace(options_.cores[static_cast<std::size_t>(lane)]);
  Worker worker{.device = this, .lane = lane, .parameters = {}};
  current_worker_ = &worker;
  work_until_closed(worker);
  current_worker_ = nullptr;
}

void CpuDevice::work_until_closed(Worker& worker) {
  do {
    while (Work* work = take(worker)) run(worker, *work);
    worker.now_ns = 0;
  } while (wait_for_work(worker));
}

Work* CpuDevice::take(Worker& worker) {
  Work* const next = std::exchange(worker.next, nullptr);
  if (next == nullptr) {
    worker.chain = 0;
  } else if (worker.chain < chain_most || !pool_.has_waiting(worker.lane)) {
    ++worker.chain;
    return next;
  } else {
    worker.chain = 0;
    pool_.push({&next, 1});
  }
  return pool_.take(worker.lane);
}

void CpuDevice::run(Worker& worker, Work& work) {
  Completion completion{.work = &work, .message = {}, .lane = worker.lane};
  completion.begin_ns = worker.now_ns != 0 ? worker.now_ns : steady_now().ns;
  run_work(work, completions_, worker.parameters, completion);
  completion.end_ns = worker.now_ns = steady_now().ns;
  completions_.completed({&completion, 1});
}

bool CpuDevice::wait_for_work(Worker& worker) {
  completions_.idle(worker.lane);  // first: what was collected may be what brings more work
  if (worker.next != nullptr) return true;
  return (spins_ && spin_for_work(worker.lane)) || pool_.sleep(worker.lane);
}

bool CpuDevice::spin_for_work(int lane) const {
  const std::int64_t end_ns = steady_now().ns + spin_ns_most;
  do {
    for (int i = 0; i < pauses_between_clocks; ++i) {
      if (pool_.has_waiting(lane)) return true;
      pause_core();
    }
  } while (steady_now().ns < end_ns);
  return false;
}

}  // namespace penstock::device
