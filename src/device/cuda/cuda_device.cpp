#include "device/cuda/cuda_device.hpp"

#include <algorithm>
#include <exception>
#include <system_error>
#include <utility>

#include <penstock/error.hpp>

#include "core/assert.hpp"
#include "core/parameters.hpp"
#include "device/cuda/cuda_error.hpp"
#include "device/cuda/gemm.hpp"
#include "device/cuda/module_abi.hpp"
#include "executor/steady_clock.hpp"

namespace penstock::device {
namespace {
constexpr std::uint32_t stream_queue = 1;
}  // namespace

CudaDevice::CudaDevice(int index, Completions& completions) : index_(index), completions_(completions) {
  set_current_device();
  stream_.emplace();
  cublas_.emplace(*stream_);
  buffers_.emplace(*stream_);
  events_.emplace();
  try {
    launcher_ = std::thread([this] { launch_until_stopped(); });
  } catch (const std::system_error& error) {
    throw Error(ErrorCode::environment, std::string("the launching thread cannot be started: ") + error.what());
  }
}

CudaDevice::~CudaDevice() {
  {
    const std::lock_guard lock(queue_mutex_);
    stopping_ = true;
  }
  queue_filled_.notify_one();
  launcher_.join();
  log_cuda(cudaSetDevice(index_), "a device");
  if (cudaStreamSynchronize(stream_->get()) != cudaSuccess) broken_.store(true);
  static_cast<void>(cudaGetLastError());
  while (busy_polling()) progress();
  events_.reset();
  buffers_.reset();
  cublas_.reset();
  stream_.reset();
}

void CudaDevice::set_current_device() const { PENSTOCK_CUDA_TRY(cudaSetDevice(index_)); }

bool CudaDevice::can_run(const KernelDescription& kernel) const {
  return std::ranges::find(cuda_kernels, kernel.name) != cuda_kernels.end() && !broken_.load(std::memory_order_relaxed);
}

Token CudaDevice::start(std::span<Work* const> work, std::span<const Token> after) {
  Token token;
  {
    const std::lock_guard lock(queue_mutex_);
    for (const Token& earlier : after) {
      PENSTOCK_ASSERT(earlier.queue == 0 || (earlier.queue == stream_queue && earlier.point <= started_));
    }
    outstanding_.fetch_add(work.size(), std::memory_order_relaxed);
    queue_.insert(queue_.end(), work.begin(), work.end());
    started_ += work.size();
    token = {.queue = stream_queue, .point = started_};
  }
  queue_filled_.notify_one();
  return token;
}

void CudaDevice::launch_until_stopped() {
  if (cudaSetDevice(index_) != cudaSuccess) broken_.store(true);
  while (Work* work = next_work()) {
    Flight flight = launch(*work);
    const std::lock_guard lock(flights_mutex_);
    flights_.push_back(std::move(flight));
  }
}

/// Null when the device ends and nothing is left.
Work* CudaDevice::next_work() {
  std::unique_lock lock(queue_mutex_);
  if (queue_.empty() && !stopping_) {
    lock.unlock();
    completions_.idle(0);
    lock.lock();
  }
  queue_filled_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
  if (queue_.empty()) return nullptr;
  Work* const work = queue_.front();
  queue_.pop_front();
  return work;
}

CudaDevice::Flight CudaDevice::launch(Work& work) {
  Flight flight{.completion = {.work = &work, .message = {}, .begin_ns = executor::steady_now().ns}};
  try {
    if (completions_.prepare(work)) queue(work, flight);
  } catch (const std::exception& error) {
    flight.completion.failed = true;
    flight.completion.message = error.what();
    drain_after_failure();
  } catch (...) {
    flight.completion.failed = true;
    flight.completion.message = "unknown exception";
    drain_after_failure();
  }
  return flight;
}

void CudaDevice::queue(Work& work, Flight& flight) {
  if (broken_.load(std::memory_order_relaxed)) throw Error(ErrorCode::lost, "the GPU failed before and is not used");
  if (!core::decode_parameters(work.parameters, parameters_)) {
    throw Error(ErrorCode::invalid_argument, "the parameters of kernel " + work.kernel->name + " are damaged");
  }
  queue_gemm(work, parameters_, *stream_, *cublas_, *buffers_);
  cudaEvent_t event = nullptr;
  {
    const std::lock_guard lock(flights_mutex_);
    event = events_->take();
  }
  const cudaError_t error = cudaEventRecord(event, stream_->get());
  if (error == cudaSuccess) {
    flight.event = event;
    return;
  }
  const std::lock_guard lock(flights_mutex_);
  events_->give_back(event);
  PENSTOCK_CUDA_TRY(error);
}

/// Copies of the failed piece may be queued still; its host memory must not be given back before they have ended. What
/// fails even here is the context itself.
void CudaDevice::drain_after_failure() {
  if (cudaStreamSynchronize(stream_->get()) != cudaSuccess) broken_.store(true);
  static_cast<void>(cudaGetLastError());
}

void CudaDevice::progress() {
  if (!busy_polling() || reporting_.test_and_set(std::memory_order_acquire)) return;
  std::vector<Completion> ended;
  if (take_ended(ended)) {
    completions_.completed(ended);
    outstanding_.fetch_sub(ended.size(), std::memory_order_release);
  }
  reporting_.clear(std::memory_order_release);
}

/// All from the front that have ended: the stream keeps the order, so the first that has not ends the search.
bool CudaDevice::take_ended(std::vector<Completion>& ended) {
  if (cudaSetDevice(index_) != cudaSuccess) broken_.store(true);
  const std::lock_guard lock(flights_mutex_);
  const std::int64_t now_ns = executor::steady_now().ns;
  while (!flights_.empty()) {
    Flight& flight = flights_.front();
    const std::optional<std::string> outcome = outcome_of(flight);
    if (!outcome) break;
    if (!outcome->empty()) {
      flight.completion.failed = true;
      flight.completion.message = *outcome;
    }
    flight.completion.end_ns = now_ns;
    if (flight.event != nullptr) events_->give_back(flight.event);
    ended.push_back(std::move(flight.completion));
    flights_.pop_front();
  }
  return !ended.empty();
}

/// Nothing while the piece is under way; otherwise what went wrong on the GPU, "" for nothing.
std::optional<std::string> CudaDevice::outcome_of(const Flight& flight) {
  if (flight.event == nullptr) return "";
  const cudaError_t state = cudaEventQuery(flight.event);
  if (state == cudaSuccess) return "";
  static_cast<void>(cudaGetLastError());  // "not ready" too stays behind as the thread's last error
  if (state == cudaErrorNotReady) return std::nullopt;
  broken_.store(true, std::memory_order_relaxed);  // an error found this late has killed the context
  return describe(state) + " while the kernel ran on the GPU";
}

}  // namespace penstock::device
