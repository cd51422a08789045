#include "device/cuda/cuda_queue.hpp"

#include <algorithm>
#include <utility>

#include "core/assert.hpp"
#include "device/cuda/cuda_error.hpp"
#include "executor/steady_clock.hpp"

namespace penstock::device {

namespace {
constexpr std::int64_t zero_lasts_ns = 10'000'000'000;  // a float tells 10 s in steps of 1 us
}  // namespace

EventClock::Zero::Zero() { PENSTOCK_CUDA_TRY(cudaEventCreate(&event)); }

EventClock::Zero::~Zero() { log_cuda(cudaEventDestroy(event), "an event"); }

void EventClock::keep(const CudaStream& idle) {
  const std::int64_t now_ns = executor::steady_now().ns;
  if (zero_ && now_ns - zero_->ns < zero_lasts_ns) return;
  if (!zero_) zero_.emplace();
  PENSTOCK_CUDA_TRY(cudaEventRecord(zero_->event, idle.get()));
  PENSTOCK_CUDA_TRY(cudaEventSynchronize(zero_->event));
  zero_->ns = executor::steady_now().ns;
}

std::optional<std::int64_t> EventClock::time_of(cudaEvent_t event) const {
  float milliseconds = 0;
  if (!zero_ || cudaEventElapsedTime(&milliseconds, zero_->event, event) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return std::nullopt;
  }
  return zero_->ns + static_cast<std::int64_t>(static_cast<double>(milliseconds) * 1e6);
}

cudaEvent_t CudaQueue::event_at(std::uint64_t point) const {
  if (point <= ended_) return nullptr;
  PENSTOCK_ASSERT(point - ended_ <= flights_.size());  // those before are launched before
  return flights_[static_cast<std::size_t>(point - ended_ - 1)].end;
}

cudaError_t CudaQueue::take_ended(const EventClock& clock, EventPool& events, FindingPool& findings,
                                  std::vector<Flight>& ended) {
  cudaError_t dead_by = cudaSuccess;
  const std::int64_t now_ns = executor::steady_now().ns;
  while (!flights_.empty()) {
    Flight& flight = flights_.front();
    const cudaError_t state = flight.end != nullptr ? cudaEventQuery(flight.end) : cudaSuccess;
    if (state != cudaSuccess) static_cast<void>(cudaGetLastError());  // "not ready" too stays behind as the last error
    if (state == cudaErrorNotReady) break;
    if (state != cudaSuccess) {
      dead_by = state;  // an error found this late has killed the context
      if (!std::exchange(flight.failed, true)) {
        flight.message = describe(state) + ", found when it or what ran beside it on the GPU had ended";
      }
    }
    if (!flight.failed && flight.verdict != nullptr) {
      flight.message = flight.verdict(*flight.finding);
      flight.failed = !flight.message.empty();
    }
    flight.end_ns = now_ns;
    if (state == cudaSuccess && flight.end != nullptr) {
      flight.end_ns = std::min(now_ns, clock.time_of(flight.end).value_or(now_ns));
      flight.begin_ns = clock.time_of(flight.begin).value_or(flight.begin_ns);
    }
    flight.begin_ns = std::min(flight.begin_ns, flight.end_ns);
    events.give_back(std::exchange(flight.begin, nullptr));
    events.give_back(std::exchange(flight.end, nullptr));
    findings.give_back(std::exchange(flight.finding, nullptr));
    ended.push_back(std::move(flight));
    flights_.pop_front();
    ++ended_;
  }
  return dead_by;
}

}  // namespace penstock::device
