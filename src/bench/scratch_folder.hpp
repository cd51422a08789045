/// A folder for the files of a benchmark, in memory where the machine has room there, removed with all that is in it at
/// the end of the scope, also when that is an exception after Ctrl-C.
#pragma once

#include <cstdint>
#include <filesystem>

namespace penstock::bench {

class ScratchFolder {
 public:
  /// In /dev/shm if it has `bytes` free, otherwise in TMPDIR. Throws Error (environment) when it cannot be made.
  explicit ScratchFolder(std::uint64_t bytes);
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Removes what is in it.
  void empty() const;

 private:
  std::filesystem::path path_;
};

}  // namespace penstock::bench
