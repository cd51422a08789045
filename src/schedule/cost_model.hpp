/// How long a task takes on a kind of device: a CostHistory for each kernel and kind, learned while tasks run and
/// handed on from run to run by name. Pure and not thread-safe: the back-end of a rank owns it and calls it under its
/// mutex. A kind is all devices that are equally fast ("cpu", "NVIDIA H200").
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <penstock/types.hpp>

#include "core/ids.hpp"
#include "schedule/cost_history.hpp"

namespace penstock::schedule {

/// A kind of device of one CostModel.
using KindId = core::Id<struct KindTag, std::uint16_t>;

/// What is known of one footprint, as it is kept between runs.
struct CostEntry {
  std::string kernel;
  std::string kind;
  Workload work;
  double mean_ns = 0.0;
  std::uint32_t samples = 0;
};

/// The workload of a task on so many cores. `parameters`: as core::encode_parameters() writes them. Two tasks that
/// differ only in a seed are two footprints of one amount, and so are predicted from each other.
[[nodiscard]] Workload workload_of(std::span<const ArrayType> arrays, std::span<const std::byte> parameters, int cores,
                                   double amount);

class CostModel {
 public:
  /// The names of the kernels by id, which must outlive the model.
  explicit CostModel(std::vector<std::string_view> kernels) : kernels_(std::move(kernels)) {}

  /// The id of a kind of device, made when it is first named.
  KindId kind(std::string_view name);

  /// A task was given to a device of the kind.
  void placed(core::KernelId kernel, KindId kind, const Workload& work) { of(kernel, kind).history.placed(work); }
  /// A task took so long. The first one of a kernel on a kind is not learned: it may have waited for code to be loaded.
  /// Tasks that failed are not to be told.
  void learn(core::KernelId kernel, KindId kind, const Workload& work, std::int64_t duration_ns);

  /// Nothing when none of the kernel's tasks on that kind is known. Never allocates. Counts as a use.
  [[nodiscard]] std::optional<double> predict_ns(core::KernelId kernel, KindId kind, const Workload& work) {
    return of(kernel, kind).history.predict_ns(work);
  }
  /// See CostHistory::trials_left.
  [[nodiscard]] int trials_left(core::KernelId kernel, KindId kind, const Workload& work) const {
    return costs_[index(kernel, kind)].history.trials_left(work);
  }

  /// All that is known: kinds in the order of their ids, kernels in theirs, then by amount and footprint.
  [[nodiscard]] std::vector<CostEntry> entries() const;
  /// Takes over what an earlier run knew of kernels and kinds that are here, once all kinds have been named. What this
  /// run has learned itself stays; times that are no positive numbers are dropped.
  void recall(std::span<const CostEntry> entries);

 private:
  struct Cost {
    bool is_warm = false;
    CostHistory history;
  };

  [[nodiscard]] std::size_t index(core::KernelId kernel, KindId kind) const {
    return kind.value() * kernels_.size() + kernel.value();
  }
  [[nodiscard]] Cost& of(core::KernelId kernel, KindId kind) { return costs_[index(kernel, kind)]; }

  const std::vector<std::string_view> kernels_;
  std::vector<std::string> kinds_;
  std::vector<Cost> costs_;  // by kind, then kernel
};

}  // namespace penstock::schedule
