/// Tasks that reduce into an array, made of tasks that do not. A part of every front-end, before all else it does.
///
/// Each task that reduces works on an array of its own, which begins as the neutral element. Two of these partial
/// results of one level, that is, of equally many tasks, are combined at once, the later one into the earlier one, to
/// one of the next level, as in a binary counter: of n tasks at most log2(n) + 1 partial results are kept. What else
/// touches the array first folds it: the last partial result into the one before, and so on, and the first one into the
/// array. So the tree depends on the order of the submissions alone. An array that nothing has written is its own first
/// partial result.
///
/// Threads: any; submissions are one after another where a reduction is open. A release never waits for them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <penstock/error.hpp>

#include "core/ids.hpp"
#include "engine/submission.hpp"

namespace penstock::frontend {

class Frontend;
struct Pinned;

/// How partial results of an array become one. Borrowed for the call.
struct Reduction {
  core::KernelId combine;                         ///< it reads and writes an array, into which it combines another one
  std::span<const std::byte> combine_parameters;  ///< encoded
  core::KernelId neutral;                         ///< it writes an array that changes nothing when it is combined
  std::span<const std::byte> neutral_parameters;  ///< encoded
  std::string_view name = {};                     ///< of the tasks that combine; empty: they are called by their kernel
};

class Reductions {
 public:
  explicit Reductions(Frontend& frontend) : frontend_(frontend) {}

  /// Whether an array has partial results. Any thread; what another one does meanwhile may be missed.
  [[nodiscard]] bool any() const { return open_count_.load(std::memory_order_relaxed) != 0; }
  /// Tasks that it has submitted beside those given, up to now.
  [[nodiscard]] std::uint64_t inserted() const { return inserted_.load(std::memory_order_relaxed); }

  // As those of Frontend.

  core::TaskId submit(std::span<const engine::Submission> tasks);
  core::TaskId submit(const engine::Submission& task, std::span<const Reduction> reductions);
  [[nodiscard]] Pinned pin(core::DataId data, bool for_view);
  void release(core::DataId data);
  void fold_all();

 private:
  struct Partial {
    core::DataId data;
    int level = 0;  ///< of 2^level tasks
  };
  /// An array with partial results: the earlier first, whose levels fall.
  struct Open {
    core::KernelId combine;
    std::vector<std::byte> combine_parameters;
    core::KernelId neutral;
    std::vector<std::byte> neutral_parameters;
    std::string name;
    Place place;  ///< of the last task that reduced, as is the priority
    std::int32_t priority = 0;
    std::vector<Partial> partials;
    bool is_released = false;  ///< the array goes as soon as it is folded
  };
  /// Arrays for a task that is about to be submitted; let go of unless it was.
  class Fresh;

  void check(const engine::Submission& task) const;
  void prepare(const engine::Submission& task, std::span<const Reduction> reductions);
  [[nodiscard]] core::DataId begin(const engine::Submission& task, core::DataId data, const Reduction& reduction,
                                   Fresh& fresh);
  void add(core::DataId data, core::DataId partial, const Reduction& reduction, const engine::Submission& task);
  void carry(Open& open);
  void combine_last(Open& open);
  void combine(const Open& open, core::DataId into, core::DataId from);
  void fold(core::DataId data);
  [[nodiscard]] Open* find(core::DataId data);
  void insert(const engine::Submission& task);

  Frontend& frontend_;
  std::atomic<std::size_t> open_count_{0};  // orders nothing
  std::atomic<std::uint64_t> inserted_{0};  // likewise
  std::mutex order_;                        // held for as long as a submission takes; guards what is in an Open
  std::mutex mutex_;                        // taken after it, for a moment; guards the map itself
  std::map<core::DataId, Open> open_;       // one that is folded or added to is not released meanwhile
};

}  // namespace penstock::frontend
