/// What a job amounts to, found in one walk over its steps: how much there is of what, and how parallel it is. Called
/// by `penstock check` on its main thread; runs nothing and reads no file.
///
/// The graph has a node for each task, origins and saves included, and an edge from the task that makes a version of a
/// datum to each that reads it. Writing makes a new version and waits for nobody, so a datum that is only written
/// starts anew. Who reduces into a datum reads nothing of it, and who reads the result depends on all that did; the
/// tasks that combine partial results are none of these. Who commutes counts as if it came in the order of the job.
/// The level of a task is 1, or 1 more than the highest level among those it reads from.
///
/// Takes well below a microsecond a task. Memory: 32 bytes a live datum (see DatumTable), up to 8 MiB for the levels,
/// and what the stream needs; nothing that grows with the number of tasks.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <penstock/kernel.hpp>

#include "jobs/job.hpp"
#include "jobs/task_text.hpp"

namespace penstock::jobs {

struct KernelUse {
  const KernelDescription* kernel = nullptr;
  std::int64_t tasks = 0;
  std::int64_t bytes = 0;             ///< of the data that its tasks access, for each task counted once
  std::optional<double> flops = 0.0;  ///< of all its tasks; absent: the kernel does not say
};

/// Amounts beyond 63 bits are the largest number.
struct GraphSummary {
  std::int64_t tasks = 0;  ///< steps of [[task]]
  std::int64_t origins = 0;
  std::int64_t saves = 0;          ///< files
  std::int64_t save_parts = 0;     ///< tasks that save tiles and add up what was written
  std::vector<KernelUse> kernels;  ///< most tasks first

  std::int64_t data = 0;
  std::int64_t data_bytes = 0;       ///< of all data together
  std::int64_t alive_bytes_max = 0;  ///< at once, if tasks ran one by one in the order of the file
  std::int64_t bytes_read = 0;       ///< arrays that load brings in from files
  std::int64_t bytes_written = 0;    ///< arrays that save writes to files

  std::optional<TaskText> first_task;  ///< of [[task]]; absent: there is none
  std::optional<TaskText> last_task;   ///< likewise
  /// The first of those that access most bytes. Never an origin: what reads its datum accesses as much.
  std::optional<TaskText> largest_task;
  std::int64_t largest_task_bytes = 0;  ///< of the data it accesses, each counted once

  std::int64_t depth = 0;         ///< levels of the graph: the tasks of its longest path
  std::int64_t width = 0;         ///< most tasks on one level
  std::int64_t width_levels = 1;  ///< beyond 2^20 levels this many neighbours are counted together; width: their mean

  /// Absent where a kernel of a [[task]] does not say its operations. An origin or a save that does not say has none.
  std::optional<double> flops;
  std::optional<double> path_flops;  ///< most on one path

  [[nodiscard]] std::int64_t all_tasks() const { return tasks + origins + saves + save_parts; }
  /// Tasks a level.
  [[nodiscard]] double parallelism() const {
    return depth == 0 ? 0.0 : static_cast<double>(all_tasks()) / static_cast<double>(depth);
  }
  /// How many times faster than one after the other the tasks can be on any number of equal devices, if operations are
  /// all that takes time.
  [[nodiscard]] std::optional<double> speedup_max() const {
    if (!path_flops || !(*path_flops > 0.0)) return std::nullopt;
    return *flops / *path_flops;
  }
};

/// Called every few thousand steps, done or passed over, with the tasks so far, origins and saves included; what it
/// throws ends the walk.
using Watch = std::function<void(std::int64_t tasks)>;

/// Throws Error (bad_job) for what only shows in the stream.
[[nodiscard]] GraphSummary summarize(const Job& job, const Watch& watch = {});

}  // namespace penstock::jobs
