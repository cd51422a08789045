#include "device/cpu/cpu_device.hpp"

#include <omp.h>

#include <system_error>
#include <utility>
#include <vector>

#include <penstock/error.hpp>

#include "core/assert.hpp"
#include "device/cpu/affinity.hpp"
#include "device/cpu/guest_work.hpp"
#include "device/cpu/run_work.hpp"
#include "device/cpu/topology.hpp"
#include "executor/steady_clock.hpp"

namespace penstock::device {

CpuDevice::CpuDevice(Options options, Completions& completions)
    : options_(std::move(options)),
      completions_(completions),
      workers_({.lanes_most = static_cast<int>(options_.cores.size()),
                .idle = [this](int lane) { completions_.idle(lane); },
                .seed = options_.seed,
                .on_substitute = [this](int lane) { enter_as_substitute(lane); },
                .on_guest = [this](int cores) { enter_as_guest(cores); }}) {
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
  PENSTOCK_ASSERT(workers_.current() == nullptr);
  if (!region_.joinable()) return;
  workers_.close();
  region_.join();
  stopped_.store(true, std::memory_order_relaxed);
}

Token CpuDevice::start(std::span<Work* const> work, std::span<const Token> after) {
  PENSTOCK_ASSERT(after.empty());
  PENSTOCK_ASSERT(!stopped_.load(std::memory_order_relaxed));
  thread_local std::vector<executor::Job*> jobs;
  jobs.clear();
  while (!work.empty()) {
    Work& piece = *work.front();
    const bool is_for_guest = piece.kernel->uses_openmp && piece.panel_count > 1;
    const std::size_t pieces = is_for_guest ? static_cast<std::size_t>(piece.panel_count) : 1;
    if (is_for_guest) {
      jobs.push_back(&(new GuestWork(workers_, completions_, work.first(pieces)))->job());
    } else {
      piece.job.run = run;
      piece.started_on = this;
      jobs.push_back(&piece.job);
    }
    work = work.subspan(pieces);
  }
  workers_.push(jobs);
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
  workers_.open(lanes, static_cast<int>(cores_of_process().size()));
  opened_.count_down();
}

void CpuDevice::run_worker(int lane) {
  std::optional<PinnedScope> pinned;
  if (options_.pin) pinned.emplace(options_.cores[static_cast<std::size_t>(lane)]);
  omp_set_num_threads(1);  // of regions inside bodies, whatever OMP_MAX_ACTIVE_LEVELS says
  workers_.work(lane);
  ended_.fetch_add(1, std::memory_order_release);
}

/// As run_worker() for the worker, but for good: the thread is the team's own. Where the system refuses to pin it,
/// nothing is changed.
void CpuDevice::enter_as_substitute(int lane) const {
  if (options_.pin) set_affinity({options_.cores[static_cast<std::size_t>(lane)]});
  omp_set_num_threads(1);
}

/// The threads of its team stay where its are.
void CpuDevice::enter_as_guest(int cores) const {
  if (options_.pin) set_affinity(options_.cores);
  omp_set_dynamic(0);
  omp_set_num_threads(cores);
}

void CpuDevice::run(executor::Job& job, executor::Worker& worker) {
  thread_local std::vector<Parameter> parameters;  // used again by every task of the worker
  Work& work = work_of(job);
  CpuDevice& device = *static_cast<CpuDevice*>(work.started_on);
  Completion completion{.work = &work, .message = {}, .lane = worker.lane};
  completion.begin_ns = worker.now_ns != 0 ? worker.now_ns : executor::steady_now().ns;
  run_work(work, device.completions_, parameters, completion);
  completion.end_ns = worker.now_ns = executor::steady_now().ns;
  device.completions_.completed({&completion, 1});
}

}  // namespace penstock::device
