/// Whether the data and parameters of a task fit its kernel, and where the mistake is when they do not. Called while a
/// job is loaded, and by streams of jobs that are too long to be looked at whole. Pure.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include <penstock/kernel.hpp>

#include "jobs/source.hpp"

namespace penstock::jobs {

/// Where the parts of a task stand in the job file.
struct FitPlaces {
  std::span<const std::string_view> names;              ///< of the data
  std::span<const Position* const> accesses;            ///< by access
  std::span<const std::optional<Position>> parameters;  ///< by parameter; those given
  const Position& otherwise;
};

/// Throws Error (bad_job) at the access or parameter that is wrong: dtypes, shapes, values.
void check_fit(const SourceFile& source, const KernelDescription& kernel, std::span<const TaskAccess> accesses,
               std::span<const Parameter> parameters, const FitPlaces& places);

}  // namespace penstock::jobs
