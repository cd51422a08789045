/// The folder of one run: results, report, and a marker that says which run it was. Made and owned by rank 0, from its
/// main thread, before anything else is written there; the other ranks are told its path. While it exists it holds a
/// lock, so that two runs never share a folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "observe/files.hpp"

namespace penstock::observe {

/// Which run a folder holds; its run.json.
struct RunMarker {
  std::string job;
  std::string job_file;  ///< absolute; empty: a program, not a job file
  std::string job_hash;  ///< content_hash() of the job
  std::string started;   ///< ISO 8601, UTC
  std::string version;   ///< of penstock
  std::int64_t pid = 0;
  std::string host;
};

/// FNV-1a, 64 bits, as 16 hexadecimal digits: tells changed files apart, withstands no attack.
[[nodiscard]] std::string content_hash(std::string_view content);

/// The marker of a run of this process that begins now. `job_text` is all that makes it this job: `job_file`, the files
/// that it includes, and values that replace some of theirs.
[[nodiscard]] RunMarker marker_of_this_process(std::string job, const std::filesystem::path& job_file,
                                               std::string_view job_text, std::string version);

/// penstock-runs/JOB below the current folder, with characters that a file name had better not have replaced.
[[nodiscard]] std::filesystem::path default_run_folder(std::string_view job);

class RunFolder {
 public:
  /// Makes the folder with mode 0700 (missing parents with the umask), locks it, writes the marker and makes results/.
  /// A folder that holds a run is refused unless `fresh`, which then removes what is in it; its marker may be damaged.
  /// Whatever is not a run of
  /// penstock or empty is refused always: nothing of it is touched. Throws Error (run_folder), one line that names the
  /// folder and what to do.
  RunFolder(const std::filesystem::path& folder, const RunMarker& marker, bool fresh);

  /// Absolute.
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path results() const { return path_ / "results"; }
  /// Makes the folder of the ranks' traces, with mode 0700, and returns its path. Throws Error (run_folder).
  [[nodiscard]] std::filesystem::path make_trace_folder() const;
  /// False where the file system has no locks: then nothing keeps a second run out.
  [[nodiscard]] bool locked() const { return locked_; }

  /// Puts report.json there in one step. Throws Error (run_folder) when it cannot be written completely.
  void write_report(std::string_view json) const;

 private:
  void open_folder();
  /// Left there by each run, and never by anything else.
  [[nodiscard]] bool has_lock() const;
  /// The run that the folder holds; none when it is empty; refuses what is neither. `is_ours`: it had a lock.
  [[nodiscard]] std::optional<std::string> earlier_run(bool is_ours) const;
  void lock();
  void empty() const;
  [[noreturn]] void refuse(const std::string& why) const;
  [[noreturn]] void refuse(const std::string& what, int error) const;

  std::filesystem::path path_;
  Descriptor folder_;
  Descriptor lock_;
  bool locked_ = false;
};

}  // namespace penstock::observe
