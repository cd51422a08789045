/// The exceptions of the library. A failed task never unwinds the scheduler: it is an outcome, kept with the data it
/// should have written, and becomes a TaskError only where the program waits for it.
#pragma once

#include <cstdint>
#include <source_location>
#include <stdexcept>
#include <string>

namespace penstock {

enum class ErrorCode : std::uint8_t {
  invalid_argument,  ///< the caller's mistake: wrong type, shape, parameter, or use
  bad_job,           ///< a job file that cannot be run; the message is file:line:column: ...
  run_folder,        ///< the run folder cannot be used
  environment,       ///< the machine refused: a file, MPI, CUDA, memory
  lost,              ///< a rank or a device was lost
  task_failed,       ///< some task failed, was skipped or cancelled
  interrupted,       ///< Ctrl-C: no more tasks are taken
};

/// Base of everything the library throws.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

/// Where a task was submitted: a line of a program or of a job file. The file name must outlive the runtime.
struct Place {
  const char* file = "";
  std::uint32_t line = 0;

  Place() = default;
  Place(const char* file_name, std::uint32_t line_number) : file(file_name), line(line_number) {}
  explicit Place(const std::source_location& where) : file(where.file_name()), line(where.line()) {}
};

/// Thrown by wait(), wait_all() and read() for a datum whose version could not be made, or by wait_all() for any failed
/// task. The message names kernel, submit place, rank, device, attempt and cause of the task that failed first.
class TaskError : public Error {
 public:
  TaskError(const std::string& message, std::uint64_t failed_tasks)
      : Error(ErrorCode::task_failed, message), failed_tasks_(failed_tasks) {}
  /// How many tasks failed or were skipped so far, this one included.
  [[nodiscard]] std::uint64_t failed_tasks() const { return failed_tasks_; }

 private:
  std::uint64_t failed_tasks_;
};

}  // namespace penstock
