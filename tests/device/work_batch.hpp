/// A number of pieces of work of one kernel, kept at one place, and the pointers that Device::start() takes.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "device/device.hpp"

namespace penstock::device {

inline KernelDescription kernel_of(std::function<void(const TaskContext&)> body) {
  KernelDescription kernel;
  kernel.name = "body";
  kernel.cpu = std::move(body);
  return kernel;
}

class WorkBatch {
 public:
  WorkBatch(const KernelDescription& kernel, std::size_t count) : work_(count) {
    for (std::size_t i = 0; i < count; ++i) {
      work_[i].task = core::TaskId(i + 1);
      work_[i].kernel = &kernel;
      pointers_.push_back(&work_[i]);
    }
  }
  WorkBatch(const WorkBatch&) = delete;
  WorkBatch& operator=(const WorkBatch&) = delete;

  [[nodiscard]] std::span<Work* const> all() const { return pointers_; }
  [[nodiscard]] std::span<Work* const> one(std::size_t index) const { return {&pointers_[index], 1}; }
  [[nodiscard]] std::span<Work* const> part(std::size_t first, std::size_t count) const {
    return std::span(pointers_).subspan(first, count);
  }
  Work& operator[](std::size_t index) { return work_[index]; }
  [[nodiscard]] std::size_t index_of(const Work* work) const { return static_cast<std::size_t>(work - work_.data()); }

 private:
  std::vector<Work> work_;
  std::vector<Work*> pointers_;
};

}  // namespace penstock::device
