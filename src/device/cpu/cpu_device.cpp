#include "device/cpu/cpu_device.hpp"

#include <omp.h>

#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include <penstock/error.hpp>

#include "core/assert.hpp"
#include "device/cpu/affinity.hpp"
#include "device/cpu/run_work.hpp"
#include "executor/steady_clock.hpp"

namespace penstock::device {
namespace {

/// A job is found to be the first thing in its piece of work.
static_assert(std::is_standard_layout_v<Work>);
Work& work_of(executor::Job& job) { return *reinterpret_cast<Work*>(&job); }

}  // namespace

CpuDevice::CpuDevice(Options options, Completions& completions)
    : options_(std::move(options)),
      completions_(completions),
      workers_({.lanes_most = static_cast<int>(options_.cores.size()),
                .idle = [this](int lane) { completions_.idle(lane); },
                .seed = options_.seed}) {
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
  for (Work* const piece : work) {
    piece->job.run = run;
    piece->started_on = this;
    jobs.push_back(&piece->job);
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
  workers_.open(lanes, static_cast<int>(read_affinity().size()));
  opened_.count_down();
}

void CpuDevice::run_worker(int lane) {
  std::optional<PinnedScope> pinned;
  if (options_.pin) pinned.emplace(options_.cores[static_cast<std::size_t>(lane)]);
  workers_.work(lane);
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
