/// A job: what a job file says, checked. Loaded by the front-end or the command line on rank 0, then constant; copies
/// are cheap and share everything.
///
/// A job file is TOML: data or families of data, tasks that loop over indices, and what to save.
///
///     [data.A]
///     for = "i in 0..64"
///     shape = [192, 160]
///     dtype = "f32"
///     origin = "file"               # file, zeros, ones, iota or uniform; absent: the first task that writes it
///     file = "data/a_{i:02}.npy"    # relative to the job file
///
///     [[task]]
///     for = "i in 0..64"
///     kernel = "gemm"
///     read = ["A[i]", "B"]          # in the order of the kernel's accesses; write and read_write likewise
///     write = ["C[i]"]
///     parameters = { alpha = 2.0 }
///
///     [[save]]
///     for = "i in 0..64"
///     data = "C[i]"
///     file = "c_{i:02}.npy"         # relative to the results of the run
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include <penstock/kernel.hpp>

#include "jobs/stream.hpp"

namespace penstock::jobs {

/// What there is to do. Numbers beyond 63 bits are the largest one.
struct Totals {
  std::int64_t tasks = 0;           ///< steps of all [[task]]
  std::int64_t saves = 0;           ///< steps of all [[save]]
  std::int64_t origin_tasks = 0;    ///< at most: elements with an origin, of the families that some entry names
  std::int64_t data = 0;            ///< elements of those families
  std::int64_t data_bytes = 0;      ///< of these elements, were all alive at once
  std::int64_t task_bytes_max = 0;  ///< of all that one task accesses
};

class Job {
 public:
  /// Reads the file, checks everything that can be known before a task runs, and looks at the headers of its input
  /// files. `kernels` must stay as long as the job and its streams. Throws Error (bad_job) with one line
  /// `file:line:column: what is wrong, what would be right`.
  static Job load(const std::filesystem::path& path, std::span<const KernelDescription* const> kernels);

  /// Of the table [job], or the file's stem.
  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] const Totals& totals() const { return totals_; }
  /// All steps from the first on. Any number of streams at once.
  [[nodiscard]] Stream stream() const { return Stream(plan_); }
  /// "A[3]", "A[1, 2]" or "B"
  [[nodiscard]] std::string datum_name(Datum datum) const;

 private:
  explicit Job(std::shared_ptr<const Plan> plan);

  std::shared_ptr<const Plan> plan_;
  Totals totals_;
};

}  // namespace penstock::jobs
