/// A job file and what it includes, read and parsed. That is a step of its own, since the kernels of a job are known
/// only when the plugins that it names are loaded:
///
///     [job]
///     plugins = ["filters.so", "/opt/kernels/fft.so"]   # relative to the job file; never looked for elsewhere
///
/// Read by rank 0 or the command line, then constant; copies are cheap and share everything.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "jobs/source.hpp"

namespace penstock::jobs {

struct Document;

struct NamedPlugin {
  std::filesystem::path path;  ///< absolute
  Position position;
};

class JobText {
 public:
  /// Throws Error (bad_job).
  explicit JobText(const std::filesystem::path& job);

  /// The job file as it was given.
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// For messages.
  [[nodiscard]] const SourceFile& source() const;
  /// Those of the table [job]; nothing else is looked at. Throws Error (bad_job).
  [[nodiscard]] std::vector<NamedPlugin> plugins() const;
  /// The bytes of all files, with a byte 0 behind each: what the job says, but for the values that replace some.
  [[nodiscard]] std::string bytes() const;

  /// What a file includes comes before it; so the job file is the last one.
  [[nodiscard]] const std::vector<std::unique_ptr<const Document>>& documents() const { return *documents_; }

 private:
  std::filesystem::path path_;
  std::shared_ptr<const std::vector<std::unique_ptr<const Document>>> documents_;
};

}  // namespace penstock::jobs
