/// The owner's side of a device in tests: records every completion, runs the hooks a test sets, and lets it wait for a
/// number of completions while it drives the device. Hooks are set before work is started, on_idle before the device is
/// made.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <vector>

#include "device/device.hpp"

namespace penstock::device {

class Recorder final : public Completions {
 public:
  std::function<bool(Work&)> on_prepare;
  std::function<void(const Completion&)> on_completed;
  std::function<void(int)> on_idle;

  bool prepare(Work& work) override { return !on_prepare || on_prepare(work); }

  void completed(std::span<Completion> completions) override {
    for (Completion& completion : completions) {
      if (on_completed) on_completed(completion);
      const std::lock_guard lock(mutex_);
      completions_.push_back(std::move(completion));
    }
    changed_.notify_all();
  }

  void idle(int lane) override {
    if (on_idle) on_idle(lane);
  }

  /// Drives the device until `count` completions were recorded. False after a minute.
  [[nodiscard]] bool wait_for(Device& device, std::size_t count) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (std::chrono::steady_clock::now() < deadline) {
      device.progress();
      std::unique_lock lock(mutex_);
      if (completions_.size() >= count) return true;
      if (!device.busy_polling()) changed_.wait_for(lock, std::chrono::milliseconds(10));
    }
    return false;
  }

  [[nodiscard]] std::vector<Completion> completions() const {
    const std::lock_guard lock(mutex_);
    return completions_;
  }

 private:
  mutable std::mutex mutex_;  ///< guards completions_
  std::condition_variable changed_;
  std::vector<Completion> completions_;
};

}  // namespace penstock::device
