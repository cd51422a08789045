/// What the commands of `penstock` do; the command line parses, calls one of these, and exits with what it returns.
/// Every rank calls the same function with the same arguments, from its main thread, once in the life of the process.
/// What is thrown is printed by the rank that throws, so a function throws only on the rank that has to report: rank 0
/// for all that concerns the whole run, with the other ranks returning the same exit code.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <ostream>

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
  bool use_cuda = true;  ///< those that answer; never an error while use_cpu is set
};

/// Runs the job over all ranks until it has ended; handles Ctrl-C. Progress and errors go to standard error, the
/// summary to standard output, both on rank 0. Returns the exit code, the same on every rank. Throws Error (bad_job,
/// run_folder, environment) when the run cannot begin.
int run_job(const RunOptions& options);

/// Reads the job without running it and prints on rank 0 what was understood. Throws Error (bad_job, environment).
int check_job(const std::filesystem::path& job, std::ostream& out);

/// Prints on rank 0 one table of what every rank may compute on, as text or JSON.
int list_devices(std::ostream& out, bool json);

/// Prints on rank 0 the kernels of this program with their accesses and parameters.
int list_kernels(std::ostream& out);

}  // namespace penstock::runtime
