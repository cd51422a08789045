/// Submits the steps of a job to the front-end and remembers which datum is which. Used by the main thread of rank 0.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/ids.hpp"
#include "frontend/frontend.hpp"
#include "jobs/stream.hpp"
#include "kernels/table.hpp"
#include "trace/recorder.hpp"

namespace penstock::runtime {

class JobSubmitter {
 public:
  /// Saves go below `results`.
  JobSubmitter(frontend::Frontend& frontend, const kernels::KernelTable& kernels, std::filesystem::path results);

  /// Has the trace told which datum is which, and the names of tasks. Null: not.
  void trace(trace::Lane* lane) { lane_ = lane; }

  /// Takes one step; tasks are kept until there are some, since submitting them together costs less.
  void take(const jobs::Step& step);
  /// Submits what was kept.
  void flush();

  /// Files of the results whose saves were taken so far.
  [[nodiscard]] std::uint64_t saves() const { return saves_; }

 private:
  struct Kept {
    core::KernelId kernel;
    std::uint16_t cores = 1;
    Place place;
    std::vector<graph::Access> accesses;
    std::vector<std::byte> parameters;
    std::string name;
  };

  void make(const jobs::Step& step);
  void trace_name(const Kept& kept, core::TaskId task);
  void take_task(const jobs::Step& step);
  void keep(const jobs::Step& step);
  void collect();
  std::span<const Parameter> parameters_of(const jobs::Step& step);
  core::KernelId id_of(const KernelDescription& kernel);

  frontend::Frontend& frontend_;
  const kernels::KernelTable& kernels_;
  const std::filesystem::path results_;
  std::unordered_map<std::uint64_t, core::DataId> ids_;  // by family and element; looked up only
  std::array<Kept, 32> kept_;                            // the first kept_count_ are in use
  std::size_t kept_count_ = 0;
  std::vector<frontend::Task> tasks_;
  std::vector<Parameter> parameters_;  // of a step with a path below the results
  const KernelDescription* last_kernel_ = nullptr;
  core::KernelId last_id_;
  std::uint64_t saves_ = 0;
  trace::Lane* lane_ = nullptr;
};

}  // namespace penstock::runtime
