/// What the commands of `penstock` do; the command line parses, calls one of these, and exits with what it returns.
/// Every rank calls the same function with the same arguments, from its main thread, once in the life of the process.
/// What is thrown is printed by the rank that throws, so a function throws only on the rank that has to report: rank 0
/// for all that concerns the whole run. The other ranks then return 0, as they do when tasks failed: a launcher that
/// saw them fail would end rank 0 before it has said why.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <penstock/error.hpp>
#include <penstock/runtime.hpp>

namespace penstock::runtime {

/// What main() returns; part of the interface to scripts.
namespace exit_code {
inline constexpr int all_done = 0;
inline constexpr int task_failed = 1;
inline constexpr int bad_input = 2;
inline constexpr int run_folder = 3;
inline constexpr int lost = 4;
inline constexpr int interrupted = 130;
}  // namespace exit_code

constexpr int exit_code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::run_folder:
      return exit_code::run_folder;
    case ErrorCode::lost:
      return exit_code::lost;
    case ErrorCode::task_failed:
      return exit_code::task_failed;
    case ErrorCode::interrupted:
      return exit_code::interrupted;
    case ErrorCode::invalid_argument:
    case ErrorCode::bad_job:
    case ErrorCode::environment:
      break;
  }
  return exit_code::bad_input;
}

/// Replacements of some of a job's [values]: name and text, as `--set NAME=TEXT` gives them.
using GivenValues = std::vector<std::pair<std::string, std::string>>;

struct RunOptions {
  std::filesystem::path job;
  std::optional<std::filesystem::path> run_dir;  ///< absent: penstock-runs/ and the job's name
  bool fresh = false;                            ///< replace the run that the folder holds
  bool quiet = false;                            ///< no progress
  bool json = false;                             ///< the report on standard output in place of the screen
  int workers = Options{}.workers;               ///< cores per rank; 0: all this process may use
  std::uint64_t window_tasks = Options{}.window_tasks;
  std::int64_t window_bytes = Options{}.window_bytes;
  bool use_cpu = true;
  std::int64_t trace_bytes = std::int64_t{64} << 20;  ///< of each rank's trace, at most; 0: none
  bool use_cuda = true;                               ///< those that answer; never an error while use_cpu is set
  bool checked = Options{}.checked;                   ///< this and the next two: on cores only
  bool serial = Options{}.serial;                     ///< on one rank
  std::optional<std::uint64_t> schedule_seed = {};    ///< likewise
  std::int64_t gpu_bytes = Options{}.gpu_bytes;       ///< this and what follows: as those of Options
  std::optional<std::int64_t> pinned_bytes = {};
  std::string placement = Options{}.placement;
  GivenValues values = {};
};

/// Runs the job over all ranks until it has ended; handles Ctrl-C. Progress and errors go to standard error, the
/// summary to standard output, both on rank 0. Returns the exit code, on rank 0. Throws Error (bad_job, run_folder,
/// environment) when the run cannot begin.
int run_job(const RunOptions& options);

struct CheckOptions {
  std::filesystem::path job;
  bool json = false;
  /// Where the graph goes, in GraphViz's language; "-": to `out`, in place of what is known of the job.
  std::optional<std::filesystem::path> graph;
  GivenValues values = {};
};

/// Reads the job without running it and prints what is known of it. Unlike the others, called by one rank only. Writes
/// no file but the graph. Throws Error (bad_job, invalid_argument, environment, interrupted).
int check_job(const CheckOptions& options, std::ostream& out);

/// Prints on rank 0 one table of what every rank may compute on, as text or JSON.
int list_devices(std::ostream& out, bool json);

struct KernelsOptions {
  std::vector<std::filesystem::path> plugins = {};  ///< loaded first
  std::optional<std::string> kernel = {};           ///< this one only, in detail
  bool json = false;
};

/// Prints the kernels of this program and of plugins with their accesses and parameters. Called by one rank only.
/// Throws Error (invalid_argument).
int list_kernels(const KernelsOptions& options, std::ostream& out);

/// Makes a trace for viewers of the run in `folder`, into `output`; "-": standard output. Says on standard error what
/// it is of. Called by one rank only. Throws Error (environment).
int make_trace(const std::filesystem::path& folder, const std::filesystem::path& output);

}  // namespace penstock::runtime
