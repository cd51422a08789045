/// What the steps of a job are about. Plain values.
#pragma once

#include <cstdint>
#include <vector>

#include <penstock/kernel.hpp>

#include "jobs/source.hpp"

namespace penstock::jobs {

/// An element of a family; a datum without `for` is element 0 of its own.
struct Datum {
  std::uint32_t family = 0;
  std::int64_t element = 0;
  friend bool operator==(const Datum&, const Datum&) = default;
};

/// Whether a task with this access depends on what the datum held before. Who reduces does not.
[[nodiscard]] constexpr bool reads(AccessMode mode) { return mode != AccessMode::write && mode != AccessMode::reduce; }
/// Whether who comes later depends on the task.
[[nodiscard]] constexpr bool writes(AccessMode mode) { return mode != AccessMode::read; }

/// How partial results become one: kernels with all their parameters.
struct Reduction {
  const KernelDescription* combine = nullptr;  ///< it reads and writes an array, into which it combines another one
  std::vector<Parameter> combine_parameters;
  const KernelDescription* neutral = nullptr;  ///< it writes an array that changes nothing when it is combined
  std::vector<Parameter> neutral_parameters;
  bool is_built_in = true;
  Position position;
};

struct DatumAccess {
  Datum datum;
  AccessMode mode = AccessMode::read;
  const Reduction* reduction = nullptr;  ///< of an access that reduces
};

}  // namespace penstock::jobs
