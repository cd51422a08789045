/// Which device of a rank runs a task, from what is known of the devices' queues, of where the task's data are, and of
/// how long its kernel takes; and what is learned from it. The decision itself is schedule::choose_device().
///
/// Threads: any; a mutex of its own, under which GpuTasks is asked where data are.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <penstock/kernel.hpp>

#include "backend/gpu_tasks.hpp"
#include "backend/task.hpp"
#include "core/ids.hpp"
#include "device/device.hpp"
#include "schedule/cost_model.hpp"
#include "schedule/device_choice.hpp"
#include "schedule/idle_reasons.hpp"

namespace penstock::backend {

class Placement {
 public:
  struct Device {
    device::Device* device = nullptr;
    std::string kind;  ///< what the times of its tasks are known by: "cpu", or a GPU's name
    std::string name;  ///< for the report
  };

  /// `devices`: in their order, the cores first. All must outlive it.
  Placement(std::span<const KernelDescription* const> kernels, std::vector<Device> devices, GpuTasks& gpus);

  void use(schedule::Policy policy) { policy_ = policy; }
  /// Cores then only run what no GPU can.
  void keep_cores_free() { keeps_cores_free_ = true; }

  /// The device for a task that is about to be admitted, or has lost its device; counts it there. None: no device can
  /// run it, which its message then says.
  [[nodiscard]] std::optional<core::DeviceId> choose(Task& task);
  /// A task that was to run on `task.device` has ended, or will run elsewhere. Learns if `well`, from its busy time.
  void ended(const Task& task, bool well);
  void transferred(int gpu, std::span<const device::TransferEnd> ends);

  void recall(std::span<const schedule::CostEntry> entries);
  [[nodiscard]] std::vector<schedule::CostEntry> costs();
  /// Why it ran no more of the tasks than it did, in one line; "" when nothing was placed.
  [[nodiscard]] std::string why_idle(std::size_t device);

 private:
  struct State {
    Device device;
    schedule::KindId kind;
    int outstanding = 0;        // tasks
    double outstanding_ns = 0;  // as predicted
    // Of its transfers so far; of cores, those of all GPUs to host memory. The first are a guess.
    double moved_bytes = 10e6;
    double moved_ns = 1e6;
  };
  [[nodiscard]] schedule::Fit fit(std::size_t index, const Task& task, std::size_t bytes) const;
  void view(std::size_t index, const Task& task, std::size_t bytes);
  [[nodiscard]] static std::string why_none(bool is_too_large, std::size_t bytes);
  [[nodiscard]] schedule::Workload workload(const Task& task);

  GpuTasks& gpus_;
  schedule::Policy policy_ = schedule::default_policy;
  bool keeps_cores_free_ = false;

  std::mutex mutex_;  // guards what follows
  std::vector<State> devices_;
  schedule::CostModel costs_;
  schedule::IdleReasons reasons_;
  std::vector<schedule::DeviceView> views_;  // of choose(), as are the rest
  std::vector<ArrayType> types_;
  std::vector<TaskAccess> accesses_;
  std::vector<Parameter> parameters_;
};

}  // namespace penstock::backend
