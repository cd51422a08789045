/// How much a job is. Plain values.
#pragma once

#include <cstdint>

namespace penstock::jobs {

struct Plan;

/// What there is to do. Numbers beyond 63 bits are the largest one.
struct Totals {
  std::int64_t tasks = 0;           ///< steps of all [[task]]
  std::int64_t saves = 0;           ///< files that all [[save]] write
  std::int64_t save_tasks = 0;      ///< what does it: one task for an array, 2 for each tile of a tiled one
  std::int64_t origin_tasks = 0;    ///< one for each datum with an origin
  std::int64_t data = 0;            ///< those that the job names
  std::int64_t data_bytes = 0;      ///< of these, were all alive at once
  std::int64_t task_bytes_max = 0;  ///< of all that one task accesses
  bool is_exact = false;            ///< all but the last are; else at most so many

  [[nodiscard]] std::int64_t all_tasks() const;
};

/// The loops around and of one entry, as if no condition held a step back.
struct LoopSize {
  /// Of a tiled array that is saved: its tiles. Exact unless there are very many; then a bound.
  std::int64_t steps = 0;
  /// At least what a walk goes through: ranges that turn out to be empty count too.
  std::int64_t passed = 0;
};

/// As far as the loops show without being walked through.
[[nodiscard]] Totals bounds_of_totals(const Plan& plan);

/// Fills in Entry::size of all entries. Takes a bounded time, which they share.
void measure_loops(Plan& plan);
/// The files that the steps of an entry save, as if no condition held any back.
[[nodiscard]] std::int64_t count_files(const Plan& plan, std::uint32_t entry);

}  // namespace penstock::jobs
