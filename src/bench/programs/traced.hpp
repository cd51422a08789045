/// Benchmarks are run with the trace on, as jobs are: where the driver says, which the next run replaces. Called by
/// itself, a program runs without.
#pragma once

#include <cstdint>
#include <cstdlib>

#include <penstock/penstock.hpp>

namespace penstock::bench {

inline constexpr const char* run_dir_variable = "PENSTOCK_BENCH_RUN_DIR";

inline Options traced(Options options = {}) {
  const char* const folder = std::getenv(run_dir_variable);
  if (folder == nullptr) return options;
  options.run_dir = folder;
  options.fresh = true;
  options.trace_bytes = std::int64_t{1} << 20;  // the last events: to merge all of a million tasks takes a while
  return options;
}

}  // namespace penstock::bench
