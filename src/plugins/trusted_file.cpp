#include "plugins/trusted_file.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include <penstock/error.hpp>

namespace penstock::plugins {

namespace {

[[noreturn]] void refuse(const std::string& fault) { throw Error(ErrorCode::invalid_argument, fault); }

[[noreturn]] void refuse_because_of(int error) {
  if (error == ENOENT || error == ENOTDIR) refuse("there is no such file");
  refuse("it cannot be opened: " + std::generic_category().message(error));
}

/// Whoever may write a folder may put another file in its place, unless the sticky bit keeps all but the owner from it.
void check_folders(const std::filesystem::path& real) {
  for (std::filesystem::path folder = real.parent_path();; folder = folder.parent_path()) {
    struct stat status {};
    if (stat(folder.c_str(), &status) != 0) refuse_because_of(errno);
    if ((status.st_mode & S_IWOTH) != 0 && (status.st_mode & S_ISVTX) == 0) {
      refuse("every user may replace it: the folder " + folder.string() + " is writable by others (chmod o-w)");
    }
    if (folder == folder.parent_path()) return;
  }
}

}  // namespace

TrustedFile::TrustedFile(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(path, error);
  if (error) refuse_because_of(error.value());
  // Not waiting: the file might be a pipe. No link: one that came after the names were followed is somebody's trick.
  descriptor_ = open(real.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor_ < 0) refuse_because_of(errno);
  try {
    check(real);
  } catch (...) {
    close(descriptor_);
    throw;
  }
}

TrustedFile::~TrustedFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

void TrustedFile::check(const std::filesystem::path& path) {
  struct stat status {};
  if (fstat(descriptor_, &status) != 0) refuse_because_of(errno);
  if (!S_ISREG(status.st_mode)) refuse("it is not a regular file");
  if (status.st_uid != 0 && status.st_uid != geteuid()) {
    refuse("it belongs to user " + std::to_string(status.st_uid) + ", neither to you nor to root");
  }
  if ((status.st_mode & S_IWOTH) != 0) refuse("every user may write it (chmod o-w)");
  check_folders(path);
  identity_ = {status.st_dev, status.st_ino};
}

bool TrustedFile::is_elf() const {
  std::array<char, SELFMAG> begin{};
  return pread(descriptor_, begin.data(), begin.size(), 0) == SELFMAG &&
         std::memcmp(begin.data(), ELFMAG, SELFMAG) == 0;
}

}  // namespace penstock::plugins
