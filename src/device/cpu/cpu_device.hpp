/// The cores of a rank as one device: a team of workers in one OpenMP parallel region, one worker a core. The region
/// belongs to a thread of the device's own, so that the program may use OpenMP as it likes.
///
/// A worker that completes a task and is handed work from inside completed() runs the first piece next, without
/// touching the shared queue: a chain of tasks stays on its core, its data in that core's cache. After chain_most such
/// tasks in a row the chain goes to the end of the shared queue if others wait.
#pragma once

#include <atomic>
#include <latch>
#include <span>
#include <thread>

#include "core/cores.hpp"
#include "device/cpu/work_pool.hpp"
#include "device/device.hpp"

namespace penstock::device {

class CpuDevice final : public Device {
 public:
  struct Options {
    core::CoreSet cores;  ///< one worker for each
    bool pin = true;      ///< each worker stays on its core, where the system permits
  };
  static constexpr int chain_most = 64;

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

  [[nodiscard]] DeviceKind kind() const override { return DeviceKind::cpu; }
  /// The workers there are: fewer than cores when the OpenMP runtime gave fewer (OMP_THREAD_LIMIT).
  [[nodiscard]] int lanes() const override { return lanes_; }
  [[nodiscard]] bool can_run(const KernelDescription& kernel) const override { return static_cast<bool>(kernel.cpu); }
  Token start(std::span<Work* const> work, std::span<const Token> after = {}) override;
  void progress() override {}
  [[nodiscard]] bool busy_polling() const override { return false; }
  [[nodiscard]] std::size_t waiting() const override { return pool_.waiting(); }

 private:
  struct Worker;

  void run_region();
  void open(int lanes);
  void run_worker(int lane);
  void work_until_closed(Worker& worker);
  Work* take(Worker& worker);
  void run(Worker& worker, Work& work);
  bool wait_for_work(Worker& worker);
  [[nodiscard]] bool spin_for_work(int lane) const;

  static thread_local Worker* current_worker_;  ///< of the device whose worker the calling thread is

  const Options options_;
  Completions& completions_;
  WorkPool pool_;
  std::latch opened_{1};  ///< orders what open() writes before what workers and the constructor read
  int lanes_ = 0;
  bool spins_ = false;
  std::atomic<bool> stopped_{false};  ///< guards nothing: finds callers that start work too late
  std::thread region_;
};

}  // namespace penstock::device
