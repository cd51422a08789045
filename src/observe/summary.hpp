/// How a run went: filled in by the runtime on rank 0 at the end, printed here for people and for programs. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "observe/trace_numbers.hpp"

namespace penstock::observe {

struct DeviceSummary {
  std::string kind;  ///< "cpu" or "cuda"
  std::string name;  ///< of a GPU: its model
  int lanes = 0;     ///< cores, or 1 for a GPU, whose queues share it
  std::uint64_t tasks = 0;
  double busy_s = 0.0;  ///< of all lanes together; of a GPU when any of its queues was
  // Of a GPU.
  std::uint64_t bytes_in = 0;   ///< that came to its memory
  std::uint64_t bytes_out = 0;  ///< that left it
  std::uint64_t evictions = 0;  ///< arrays that had to make room there for others
  std::string why_idle = {};    ///< why it ran no more tasks; empty: nothing to say

  /// Share of the lanes' time spent in kernels, 0 to 1; 0 where there was no time.
  [[nodiscard]] double busy_share(double wall_s) const;
};

struct RankSummary {
  int rank = 0;
  std::string host;
  std::string cores;  ///< "0-3,8"
  std::vector<DeviceSummary> devices;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
};

struct PluginSummary {
  std::string path;
  std::string sha256;  ///< of the file, as `sha256sum` prints it
  std::vector<std::string> kernels;
};

struct FailureLine {
  std::uint64_t task = 0;
  std::string message;  ///< in full: kernel, submit place, rank, device, attempt, cause
};

struct SkippedLine {
  FailureLine task;
  FailureLine cause;
};

struct RunSummary {
  std::string job;
  std::string version;
  std::string started;  ///< ISO 8601, UTC
  std::string verdict;  ///< "all done", "3 tasks failed", "interrupted"
  std::uint64_t tasks_done = 0;
  std::uint64_t tasks_failed = 0;
  std::uint64_t tasks_skipped = 0;
  std::uint64_t tasks_cancelled = 0;
  std::uint64_t tasks_not_started = 0;
  double wall_s = 0.0;
  std::string run_folder;  ///< empty: none
  std::uint64_t results_saved = 0;
  std::vector<PluginSummary> plugins = {};  ///< the same on every rank
  std::vector<FailureLine> failures;        ///< the first ones
  std::uint64_t failures_omitted = 0;
  std::vector<SkippedLine> skipped = {};  ///< the first ones; not on the screen
  std::uint64_t skipped_omitted = 0;
  std::vector<RankSummary> ranks;
  std::optional<TraceNumbers> trace = {};  ///< absent: there was none
  int exit_code = 0;
};

inline constexpr std::size_t screen_lines = 24;
inline constexpr std::size_t screen_columns = 100;

/// At most one screen of text. A row per rank and device where they fit; else the least, median and greatest of each
/// column. Failures are shown as far as there is room, the first ones in preference.
[[nodiscard]] std::string to_screen(const RunSummary& run);

/// report.json, ending in a line break:
///
///     format           1; grows when a key changes its meaning or goes
///     job, version, started, verdict, exit_code, run_folder (null: none), wall_s
///     tasks            {done, failed, skipped, cancelled, not_started}
///     results_saved    files written by the job's saves
///     plugins          [{path, sha256, kernels: [name, ...]}, ...]
///     failures         [{task, message}, ...], the first ones; failures_omitted says how many more there were
///     skipped          [{task, message, cause: {task, message}}, ...], likewise; cause is the task that failed
///     ranks            [{rank, host, cores, bytes_sent, bytes_received,
///                        devices: [{kind, name, lanes, tasks, busy_s, busy_share}, ...]}, ...];
///                        of GPUs also bytes_in, bytes_out, evictions, why_idle
///     trace            what the trace says; null: none. Where dropped is not 0, of its complete part only:
///                      {span_s, compute_s, transfer_s, transfers, transfer_bytes, parallelism, overlap (null: no
///                       transfers), events, dropped,
///                       critical_path: {s, tasks, kernels: [{kernel, tasks, s}, ...], those that make most of it},
///                       ranks: [{rank, devices: [{kind, name, lanes, busy_share, idle_share}, ...]}, ...]};
///                      span_s is from the first beginning of a task or transfer to the last end, compute_s the time
///                      of all tasks (of each panel), parallelism their ratio; transfer_s is when a rank had a
///                      transfer (between ranks, or to a GPU or from it) under way, of all ranks together, overlap the
///                      share of it in which one of the same rank's lanes computed; critical_path is the longest chain
///                      of tasks that read what the one before made
///
/// Times are seconds, sizes bytes, shares 0 to 1. Text that is not UTF-8 is mended with U+FFFD.
[[nodiscard]] std::string to_json(const RunSummary& run);

}  // namespace penstock::observe
