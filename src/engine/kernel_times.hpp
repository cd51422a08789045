/// Which kernels' tasks are too short to be worth handing to another core. Any thread; written rarely, since all
/// workers read it.
#pragma once

#include <algorithm>
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
  /// Tasks observed in a row that were short, before a kernel is. Then it stays so when a single one is not, which may
  /// have been interrupted, but not when two of the last few are not.
  static constexpr std::uint32_t proof = 32;

  /// `limit_ns`: tasks up to so long are short.
  explicit KernelTimes(std::size_t kernels, std::int64_t limit_ns = short_ns)
      : limit_ns_(limit_ns), trust_(std::make_unique<std::atomic<std::uint32_t>[]>(kernels)), kernels_(kernels) {}

  [[nodiscard]] bool is_short(core::KernelId kernel) const { return trust(kernel) >= proof; }

  /// The body of a task took so long.
  void observe(core::KernelId kernel, std::int64_t ns) {
    const std::uint32_t before = trust(kernel);
    const std::uint32_t now = ns <= limit_ns_ ? std::min(before + 1, trust_most) : before < trust_most ? 0 : proof;
    if (now != before) trust_[kernel.value()].store(now, std::memory_order_relaxed);
  }
  /// Some task of some kernel was not short after all.
  void doubt() {
    for (auto& kernel : std::span(trust_.get(), kernels_)) kernel.store(0, std::memory_order_relaxed);
  }

 private:
  static constexpr std::uint32_t trust_most = 2 * proof;

  [[nodiscard]] std::uint32_t trust(core::KernelId kernel) const {
    return trust_[kernel.value()].load(std::memory_order_relaxed);
  }

  const std::int64_t limit_ns_;
  std::unique_ptr<std::atomic<std::uint32_t>[]> trust_;  // by kernel; hints, which order nothing
  std::size_t kernels_;
};

}  // namespace penstock::engine
