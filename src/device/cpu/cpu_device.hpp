/// The cores of a rank as one device: a team of workers in one OpenMP parallel region, one worker a core. The region
/// belongs to a thread of the device's own, so that the program may use OpenMP as it likes.
#pragma once

#include <atomic>
#include <cstdint>
#include <latch>
#include <optional>
#include <span>
#include <thread>

#include "core/cores.hpp"
#include "device/device.hpp"
#include "executor/workers.hpp"

namespace penstock::device {

class CpuDevice final : public Device {
 public:
  struct Options {
    core::CoreSet cores;                               ///< one worker for each
    bool pin = true;                                   ///< each worker stays on its core, where the system permits
    std::optional<std::uint64_t> seed = std::nullopt;  ///< see executor::Workers::Options
  };

  /// Starts the team and waits until its size is known. `completions` must outlive the device. Throws Error:
  /// invalid_argument without cores, environment when no thread can be had.
  CpuDevice(Options options, Completions& completions);
  /// As stop().
  ~CpuDevice() override;
  CpuDevice(const CpuDevice&) = delete;
  CpuDevice& operator=(const CpuDevice&) = delete;

  /// Runs what was started and what is started from inside completed() meanwhile, then ends the team. Not from a
  /// worker. No other thread may call start() any more.
  void stop();

  /// Workers that have gone home, after the team was closed and nothing was left. Any thread.
  [[nodiscard]] int lanes_ended() const { return ended_.load(std::memory_order_acquire); }

  /// The team, which takes other jobs too.
  [[nodiscard]] executor::Workers& workers() { return workers_; }

  [[nodiscard]] DeviceKind kind() const override { return DeviceKind::cpu; }
  /// The workers there are: fewer than cores when the OpenMP runtime gave fewer (OMP_THREAD_LIMIT).
  [[nodiscard]] int lanes() const override { return workers_.lanes(); }
  [[nodiscard]] bool can_run(const KernelDescription& kernel) const override { return static_cast<bool>(kernel.cpu); }
  Token start(std::span<Work* const> work, std::span<const Token> after = {}) override;
  void progress() override {}
  [[nodiscard]] bool busy_polling() const override { return false; }
  [[nodiscard]] std::size_t waiting() const override { return workers_.waiting(); }

 private:
  void run_region();
  void open(int lanes);
  void run_worker(int lane);
  void enter_as_substitute(int lane) const;
  void enter_as_guest(int cores) const;
  static void run(executor::Job& job, executor::Worker& worker);

  const Options options_;
  Completions& completions_;
  executor::Workers workers_;
  std::latch opened_{1};              ///< orders what open() writes before what workers and the constructor read
  std::atomic<int> ended_{0};         ///< release by a worker after its last job
  std::atomic<bool> stopped_{false};  ///< guards nothing: finds callers that start work too late
  std::thread region_;
};

}  // namespace penstock::device
