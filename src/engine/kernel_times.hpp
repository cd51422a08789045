/// Which kernels' tasks are too short to be worth handing to another core. Any thread; written rarely, since all
/// workers read it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/ids.hpp"

namespace penstock::engine {

class KernelTimes {
 public:
  /// About what two cores pay to pass a task and its data from one to the other.
  static constexpr std::int64_t short_ns = 300;
  /// Tasks observed in a row that were short, before a kernel is.
  static constexpr std::uint32_t proof = 32;

  /// `limit_ns`: tasks up to so long are short.
  explicit KernelTimes(std::size_t kernels, std::int64_t limit_ns = short_ns)
      : limit_ns_(limit_ns), in_a_row_(std::make_unique<std::atomic<std::uint32_t>[]>(kernels)), kernels_(kernels) {}

  [[nodiscard]] bool is_short(core::KernelId kernel) const { return in_a_row(kernel) >= proof; }

  /// The body of a task took so long.
  void observe(core::KernelId kernel, std::int64_t ns) {
    const std::uint32_t before = in_a_row(kernel);
    const std::uint32_t now = ns > limit_ns_ ? 0 : before < proof ? before + 1 : before;
    if (now != before) in_a_row_[kernel.value()].store(now, std::memory_order_relaxed);
  }
  /// Some task of some kernel was not short after all.
  void doubt() {
    for (auto& kernel : std::span(in_a_row_.get(), kernels_)) kernel.store(0, std::memory_order_relaxed);
  }

 private:
  [[nodiscard]] std::uint32_t in_a_row(core::KernelId kernel) const {
    return in_a_row_[kernel.value()].load(std::memory_order_relaxed);
  }

  const std::int64_t limit_ns_;
  std::unique_ptr<std::atomic<std::uint32_t>[]> in_a_row_;  // by kernel; hints, which order nothing
  std::size_t kernels_;
};

}  // namespace penstock::engine
