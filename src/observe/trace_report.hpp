/// From the trace of a run to trace.json and to the numbers of the report. Main thread of rank 0, after the other ranks
/// have ended, and the command that does it later. Blocks on the disk.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "observe/trace_numbers.hpp"
#include "observe/trace_run.hpp"

namespace penstock::observe {

/// At the end of a run trace.json is made where there are no more task events than this: about 100 MB, in less
/// than a second. Of larger runs not everybody wants it, and viewers take long to open it.
inline constexpr std::uint64_t trace_json_tasks_most = 200'000;

struct TraceReport {
  std::optional<TraceNumbers> numbers;
  std::vector<std::string> notes;  ///< a line each, for standard error: what is wrong, and why there is no trace.json
};

/// Counts, and makes trace.json in the run folder where it is not too large. Never throws: a run is not worse for its
/// trace.
[[nodiscard]] TraceReport report_trace(const std::filesystem::path& run_folder);

/// Writes the run's trace.json to `file`, in one step where that is a regular file or none. Throws Error (environment).
void save_trace_json(const TraceRun& run, const std::filesystem::path& file);

/// "12345 events of 4 ranks; 17 more were dropped; ..."
[[nodiscard]] std::string trace_line(const TraceRun& run);

}  // namespace penstock::observe
