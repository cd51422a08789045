/// One queue of a GPU: a stream, and what has been put on it and was not yet seen to have ended, in order. The point of
/// an item is its number on the queue, from 1.
///
/// put() is called by the device's launching thread, take_ended() by whoever looks for ends; both under the device's
/// mutex for flights, while the GPU is current.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "device/cuda/cuda_resources.hpp"
#include "device/cuda/kernels/bodies.hpp"
#include "device/device.hpp"

namespace penstock::device {

/// Work or a transfer that the launching thread is through with.
struct Flight {
  Work* work = nullptr;
  Transfer* transfer = nullptr;
  std::size_t queue = 0;
  std::uint64_t number = 0;  ///< in the order of launches, on all queues
  bool failed = false;
  std::string message;
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;        ///< null: it has ended when those before it have
  CudaVerdict verdict = nullptr;    ///< of the work, on ...
  std::int64_t* finding = nullptr;  ///< ... what it has found
  std::int64_t begin_ns = 0;        ///< until the GPU's times are known, when it was launched
  std::int64_t end_ns = 0;
};

/// Times of events on the host's steady clock. CUDA tells distances between events in single precision, so there is a
/// new zero now and then.
class EventClock {
 public:
  /// Waits some microseconds for the GPU, every ten seconds.
  void keep(const CudaStream& idle);
  void end() { zero_.reset(); }
  /// Of an event that has been passed; none when CUDA does not tell.
  [[nodiscard]] std::optional<std::int64_t> time_of(cudaEvent_t event) const;

 private:
  struct Zero {
    Zero();
    ~Zero();
    Zero(const Zero&) = delete;
    Zero& operator=(const Zero&) = delete;
    cudaEvent_t event = nullptr;
    std::int64_t ns = 0;
  };
  std::optional<Zero> zero_;
};

class CudaQueue {
 public:
  [[nodiscard]] const CudaStream& stream() const { return stream_; }

  void put(Flight flight) { flights_.push_back(std::move(flight)); }
  /// After which the item at `point` has ended; null when it has been seen to have.
  [[nodiscard]] cudaEvent_t event_at(std::uint64_t point) const;
  /// Appends all from the front that have ended. Returns what has killed the GPU's context, if that is found dead.
  cudaError_t take_ended(const EventClock& clock, EventPool& events, FindingPool& findings, std::vector<Flight>& ended);

 private:
  CudaStream stream_;
  std::deque<Flight> flights_;
  std::uint64_t ended_ = 0;  // the point of the last that was seen to have ended
};

}  // namespace penstock::device
