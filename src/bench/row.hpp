/// What a benchmark reports, as JSON for programs and as a table for people. Pure; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "bench/statistics.hpp"

namespace penstock::bench {

/// The machine a benchmark ran on.
struct MachineLine {
  std::string cpu;
  int cores = 0;  ///< that this process may use
  std::string compiler;
  std::string blas;
  std::string date;  ///< ISO 8601, UTC
  std::string version;
  double load = 0.0;  ///< of the last minute when the benchmark began: above 0.5, others were at work
};

/// What is measured: metric and unit are "time" in "s", "ns per task" and "ns per event" in "ns", "tasks/s", "GFLOP/s",
/// "GB/s", "efficiency", "ratio" or "bytes" in "B".
struct Measure {
  std::string name;  ///< the case
  std::string metric;
  std::string unit;
  std::optional<double> limit = {};  ///< where it is known beforehand
};

/// One system's result in one case with one number of workers.
struct Row {
  std::string bench;
  Measure measure;
  std::string system;
  int workers = 1;
  Summary summary;
  std::optional<double> limit;  ///< what the machine allows, in the same unit; none where there is no such limit
  /// Of penstock: its value over the rival's; none where no regime has runs of both, or the rival's is 0 or less.
  std::optional<double> ratio;
  std::string rival;  ///< of the ratio
  Regime regime = Regime::mixed;
};

/// `{"machine": {...}, "rows": [{"bench", "case", "system", "workers", "metric", "value", "unit", "min", "max", "runs",
/// "limit", "ratio", "regime"}, ...]}`, ending in a line break; what is none is null.
[[nodiscard]] std::string to_json(const MachineLine& machine, std::span<const Row> rows);

/// The machine in one line, then a line a row; a ratio with the rival it is over.
[[nodiscard]] std::string to_table(const MachineLine& machine, std::span<const Row> rows);

}  // namespace penstock::bench
