/// Files of the run folder by descriptor, so that nobody can redirect an operation by exchanging a folder on the way.
/// All functions block and return 0 or an errno; any thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace penstock::observe {

/// Owns an open descriptor; -1 is none.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor() { static_cast<void>(close()); }
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool valid() const { return fd_ >= 0; }
  /// Closes now; some file systems report only here that the disk is full.
  [[nodiscard]] int close();

 private:
  int fd_ = -1;
};

[[nodiscard]] int write_all(int fd, std::string_view text);

/// Reads the regular file `name` of the folder, at most `bytes_max`, into `text`. Does not follow a symbolic link
/// (ELOOP) and does not wait for a pipe (EINVAL for whatever is not a regular file; EFBIG for a longer one).
[[nodiscard]] int read_file_at(int folder, const char* name, std::size_t bytes_max, std::string& text);

/// Puts the file `name` with `text` in the folder in one step: after a crash or an error the old file is there, or the
/// new one, never a part. `mode` less the umask says who may read it.
[[nodiscard]] int replace_file_at(int folder, const char* name, std::string_view text, unsigned mode = 0600);

/// The names in the folder, without "." and "..".
[[nodiscard]] int list_folder(int folder, std::vector<std::string>& names);

/// Removes what is in the folder, except entries of the top level that `keep` says to keep. Symbolic links are removed,
/// never followed, and other file systems mounted below are not entered (EXDEV). Stops at the first error, with the
/// path below the folder in `where`.
[[nodiscard]] int remove_contents(int folder, const std::function<bool(std::string_view)>& keep, std::string& where);

}  // namespace penstock::observe
