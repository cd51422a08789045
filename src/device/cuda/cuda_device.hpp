/// One GPU as a device. start() and transfer() hand items to the device's launching thread, which queues each behind
/// what its tokens name, in the order of the calls; progress() finds what has ended and reports it.
///
/// There are several queues for work, each with a cuBLAS handle of its own, one for transfers to the GPU and one for
/// those from it. Work that follows other work goes on the same queue, other work on the one that holds least. An item
/// that fails keeps its place: it ends when those before it have.
#pragma once

#include <array>
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

#include "device/cuda/cuda_queue.hpp"
#include "device/cuda/cuda_resources.hpp"
#include "device/cuda/module_abi.hpp"
#include "device/device.hpp"

namespace penstock::device {

class CudaDevice final : public Accelerator {
 public:
  /// Throws Error (environment) when CUDA refuses. Those it reports to must outlive it.
  CudaDevice(const GpuOptions& options, Completions& completions, TransferEnds& transfers);
  /// Runs and reports what was started; completed() is then called from the destroying thread.
  ~CudaDevice() override;
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  [[nodiscard]] DeviceKind kind() const override { return DeviceKind::cuda; }
  [[nodiscard]] int lanes() const override { return work_queues; }
  /// Kernels with a body of the module's or of their own, until the GPU has failed for good.
  [[nodiscard]] bool can_run(const KernelDescription& kernel) const override;
  [[nodiscard]] int number() const override { return index_; }
  [[nodiscard]] std::span<std::byte> memory() const override { return gpu_->memory->bytes(); }
  [[nodiscard]] bool is_broken() const override { return broken_by_.load(std::memory_order_relaxed) != cudaSuccess; }
  Token start(std::span<Work* const> work, std::span<const Token> after = {}) override;
  Token transfer(Transfer& transfer, std::span<const Token> after) override;
  /// One thread at a time; a call during another does nothing.
  void progress() override;
  [[nodiscard]] bool busy_polling() const override { return outstanding_.load(std::memory_order_acquire) > 0; }
  [[nodiscard]] std::size_t waiting() const override { return outstanding_.load(std::memory_order_relaxed); }

 private:
  static constexpr int work_queues = 4;
  static constexpr std::size_t queue_in = work_queues;  // indices; a queue's number in tokens is one more
  static constexpr std::size_t queue_out = work_queues + 1;
  static constexpr std::size_t queue_count = work_queues + 2;
  static constexpr std::size_t scratch_bytes = std::size_t{1} << 20;

  struct Item {
    Work* work = nullptr;
    Transfer* transfer = nullptr;
    std::size_t queue = 0;
    std::vector<Token> after;
  };
  /// What ends while the GPU is current.
  struct Gpu {
    std::array<CudaQueue, queue_count> queues;
    std::array<std::optional<CublasHandle>, work_queues> cublas;
    std::array<std::optional<GpuMemory>, work_queues> scratch;
    CudaStream clock_stream;
    EventClock clock;
    EventPool events;
    FindingPool findings;
    std::optional<GpuMemory> memory;
  };

  void reserve_memory(const GpuOptions& options);
  void reach(const std::vector<int>& peers);
  Token add(Item item);
  [[nodiscard]] std::size_t choose_queue(std::span<const Token> after) const;
  void launch_until_stopped();
  [[nodiscard]] std::optional<Item> next_item();
  void launch(const Item& item);
  void try_launch(const Item& item, Flight& flight);
  void wait_for(const Item& item);
  void record(const Item& item, cudaEvent_t& event);
  void run_body(const Item& item, Flight& flight);
  static void call_body(const Work& work, const CudaContext& context);
  void read_finding(const CudaContext& context, CudaVerdict verdict, Flight& flight);
  void move(const Item& item);
  void note_if_broken();
  void note_broken(cudaError_t by);
  [[nodiscard]] std::vector<Flight> take_ended();
  void report(std::vector<Flight>& ended);

  const int index_;
  Completions& completions_;
  TransferEnds& transfers_;
  std::optional<Gpu> gpu_;
  std::vector<Parameter> parameters_;  // the launching thread's, as this
  std::uint64_t launched_ = 0;

  std::mutex items_mutex_;                // guards the next four
  std::condition_variable items_filled_;  // items_ or stopping_ has changed
  std::deque<Item> items_;
  std::array<std::uint64_t, queue_count> points_{};  // given
  bool stopping_ = false;

  std::mutex flights_mutex_;  // guards the queues' flights, the clock and the pools

  std::array<std::atomic<int>, queue_count> held_{};  // items of each queue that have not ended; a hint, orders nothing
  std::atomic<std::size_t> outstanding_{0};           // started and not reported; orders nothing
  std::atomic<cudaError_t> broken_by_{cudaSuccess};   // what has killed the GPU's context; orders nothing
  std::atomic_flag reporting_;  // held by the caller of progress(); orders one caller after another
  std::thread launcher_;
};

}  // namespace penstock::device
