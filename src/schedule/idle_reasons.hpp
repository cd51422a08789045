/// Why a device of a rank did not run tasks: counted as tasks are placed, told in the report in one line a device. Pure
/// and not thread-safe: the back-end owns it and calls it under its mutex.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.hpp"
#include "schedule/device_choice.hpp"

namespace penstock::schedule {

class IdleReasons {
 public:
  struct Device {
    std::string name;  ///< "cores", "GPU 0"
    std::string body;  ///< what a kernel needs to run there: "CPU", "CUDA"
  };

  /// The names of the kernels by id, which must outlive it.
  IdleReasons(std::vector<Device> devices, std::vector<std::string_view> kernels);

  /// A task of the kernel was placed; the views are those that it was placed by, one for each device.
  void placed(core::KernelId kernel, std::span<const DeviceView> views, const Choice& choice);

  /// "GPU 0 ran 0 of 120 tasks: 100 had no CUDA body (potrf 60, save 40), 20 were predicted to end sooner on cores";
  /// the reasons of most tasks first. Empty while no task was placed.
  [[nodiscard]] std::string line(std::size_t device) const;

 private:
  /// The ways not to fit, then what decides for another device; both in the order of their enumerations.
  static constexpr std::size_t reason_count = 8;

  struct Reason {
    std::uint64_t tasks = 0;
    std::vector<std::uint64_t> by_kernel;  // made when there is a first task
    std::size_t taken_by = 0;              // the device that ran the tasks instead
    bool taken_by_several = false;
  };
  struct Counts {
    std::uint64_t ran = 0;
    std::array<Reason, reason_count> reasons;
  };

  [[nodiscard]] static std::size_t reason_of(Fit fit, Why why);
  void passed_over(Reason& reason, core::KernelId kernel, std::size_t taken_by) const;
  [[nodiscard]] std::string text(std::size_t device, std::size_t reason) const;
  [[nodiscard]] std::string kernels_text(const Reason& reason) const;

  const std::vector<Device> devices_;
  const std::vector<std::string_view> kernels_;
  std::vector<Counts> counts_;  // by device
  std::uint64_t tasks_ = 0;
};

}  // namespace penstock::schedule
