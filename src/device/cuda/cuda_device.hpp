/// One GPU as a device. start() hands work to the device's launching thread, which prepares each piece and queues it on
/// one stream, in the order of the calls; progress() finds what has ended and reports it, in the same order.
///
/// All work is on queue 1 and its point is its number, so `after` is honoured by the order of the stream. A piece that
/// was started after the token of one that fails still runs; its owner hears of the failure first.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "device/cuda/cuda_resources.hpp"
#include "device/device.hpp"

namespace penstock::device {

class CudaDevice final : public Device {
 public:
  /// Throws Error (environment) when CUDA refuses. `completions` must outlive the device.
  CudaDevice(int index, Completions& completions);
  /// Runs and reports what was started; completed() is then called from the destroying thread.
  ~CudaDevice() override;
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  [[nodiscard]] DeviceKind kind() const override { return DeviceKind::cuda; }
  [[nodiscard]] int lanes() const override { return 1; }
  /// The module's kernels, until the GPU has failed for good.
  [[nodiscard]] bool can_run(const KernelDescription& kernel) const override;
  Token start(std::span<Work* const> work, std::span<const Token> after = {}) override;
  /// One thread at a time; a call during another does nothing.
  void progress() override;
  [[nodiscard]] bool busy_polling() const override { return outstanding_.load(std::memory_order_acquire) > 0; }
  [[nodiscard]] std::size_t waiting() const override { return outstanding_.load(std::memory_order_relaxed); }

 private:
  /// A piece that the launching thread is through with. Without an event it has ended.
  struct Flight {
    Completion completion;
    cudaEvent_t event = nullptr;
  };

  void launch_until_stopped();
  Work* next_work();
  Flight launch(Work& work);
  void queue(Work& work, Flight& flight);
  void drain_after_failure();
  bool take_ended(std::vector<Completion>& ended);
  [[nodiscard]] std::optional<std::string> outcome_of(const Flight& flight);
  void set_current_device() const;

  const int index_;
  Completions& completions_;
  std::optional<CudaStream> stream_;      // these are optional so that they end while the GPU is current
  std::optional<CublasHandle> cublas_;    ///< the launching thread's
  std::optional<DeviceBuffers> buffers_;  ///< the launching thread's
  std::vector<Parameter> parameters_;     ///< the launching thread's

  std::mutex queue_mutex_;                ///< guards queue_, started_ and stopping_
  std::condition_variable queue_filled_;  ///< queue_ or stopping_ has changed
  std::deque<Work*> queue_;
  std::uint64_t started_ = 0;  ///< the point of the last piece
  bool stopping_ = false;

  std::mutex flights_mutex_;  ///< guards flights_ and events_
  std::deque<Flight> flights_;
  std::optional<EventPool> events_;

  std::atomic<std::size_t> outstanding_{0};  ///< started and not reported; orders nothing
  std::atomic<bool> broken_{false};          ///< the GPU's context is dead; orders nothing
  std::atomic_flag reporting_;               ///< held by the caller of progress(); orders one caller after another
  std::thread launcher_;
};

}  // namespace penstock::device
