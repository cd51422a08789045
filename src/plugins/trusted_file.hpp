/// A file whose content may be run: nobody but its owner and the owner's group can have written it, and its owner is
/// the user or root. What was checked is what is open: later changes of names do not matter.
#pragma once

#include <filesystem>
#include <string>

namespace penstock::plugins {

/// Opens and checks a file; owns the descriptor.
class TrustedFile {
 public:
  /// What tells one file from all others of the machine.
  struct Identity {
    unsigned long long device = 0;
    unsigned long long number = 0;
    friend bool operator==(const Identity&, const Identity&) = default;
  };

  /// Follows symbolic links first: the real file and each folder that leads to it are checked. Throws Error
  /// (invalid_argument), one line without the file's name: missing, not a regular file, writable by others, in a folder
  /// where others may replace it (writable by others and without the sticky bit), or owned by another user than root.
  explicit TrustedFile(const std::filesystem::path& path);
  TrustedFile(const TrustedFile&) = delete;
  TrustedFile& operator=(const TrustedFile&) = delete;
  ~TrustedFile();

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] const Identity& identity() const { return identity_; }
  /// A path of this very file, whatever became of its name, as long as it is open.
  [[nodiscard]] std::string own_path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }
  /// Whether it begins as an ELF file does.
  [[nodiscard]] bool is_elf() const;
  /// Leaves it open for the life of the process, so that no other file ever gets this one's own_path().
  void keep_open() { descriptor_ = -1; }

 private:
  void check(const std::filesystem::path& path);

  int descriptor_ = -1;
  Identity identity_;
};

}  // namespace penstock::plugins
