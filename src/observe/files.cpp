#include "observe/files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>

namespace penstock::observe {

namespace {

int sync_file(int fd) {
  if (::fsync(fd) == 0) return 0;
  return errno == EINVAL || errno == ENOTSUP || errno == ENOSYS ? 0 : errno;  // some file systems cannot
}

int remove_entry(int folder, dev_t file_system, const std::string& name, std::string& where);

int remove_folder(int parent, dev_t file_system, const std::string& name, std::string& where) {
  const Descriptor folder(::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder.valid()) return errno;
  struct stat status {};
  if (::fstat(folder.get(), &status) != 0) return errno;
  if (status.st_dev != file_system) return EXDEV;
  std::vector<std::string> names;
  if (const int error = list_folder(folder.get(), names); error != 0) return error;
  for (const std::string& entry : names) {
    if (const int error = remove_entry(folder.get(), file_system, entry, where); error != 0) return error;
  }
  return ::unlinkat(parent, name.c_str(), AT_REMOVEDIR) == 0 ? 0 : errno;
}

int remove_entry(int folder, dev_t file_system, const std::string& name, std::string& where) {
  if (::unlinkat(folder, name.c_str(), 0) == 0 || errno == ENOENT) return 0;
  int error = errno;
  if (error == EISDIR || error == EPERM) {  // Linux says EISDIR, POSIX EPERM
    const int as_folder = remove_folder(folder, file_system, name, where);
    if (as_folder == 0) return 0;
    if (as_folder != ENOTDIR) error = as_folder;
  }
  where = where.empty() ? name : name + "/" + where;
  return error;
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    static_cast<void>(close());
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

int Descriptor::close() {
  if (fd_ < 0) return 0;
  return ::close(std::exchange(fd_, -1)) == 0 || errno == EINTR ? 0 : errno;
}

int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno != EINTR) return errno;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

int read_file_at(int folder, const char* name, std::size_t bytes_max, std::string& text) {
  const Descriptor file(::openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.valid()) return errno;
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return errno;
  if (!S_ISREG(status.st_mode)) return EINVAL;
  text.clear();
  std::array<char, 4096> block{};
  while (true) {
    const ssize_t got = ::read(file.get(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0 ? 0 : errno;
    text.append(block.data(), static_cast<std::size_t>(got));
    if (text.size() > bytes_max) return EFBIG;
  }
}

int replace_file_at(int folder, const char* name, std::string_view text, unsigned mode) {
  const std::string temporary = std::string(".penstock-") + name + ".new";
  ::unlinkat(folder, temporary.c_str(), 0);  // of a run that was killed
  Descriptor file(::openat(folder, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!file.valid()) return errno;
  int error = write_all(file.get(), text);
  if (error == 0) error = sync_file(file.get());
  if (const int at_close = file.close(); error == 0) error = at_close;
  if (error == 0 && ::renameat(folder, temporary.c_str(), folder, name) != 0) error = errno;
  if (error != 0) ::unlinkat(folder, temporary.c_str(), 0);
  return error;
}

int list_folder(int folder, std::vector<std::string>& names) {
  const int again = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);  // with a position of its own
  if (again < 0) return errno;
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::fdopendir(again), [](DIR* dir) { return ::closedir(dir); });
  if (!entries) {
    const int error = errno;
    ::close(again);
    return error;
  }
  names.clear();
  while (true) {
    errno = 0;
    const dirent* entry = ::readdir(entries.get());
    if (entry == nullptr) return errno;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
}

int remove_contents(int folder, const std::function<bool(std::string_view)>& keep, std::string& where) {
  where.clear();
  struct stat status {};
  if (::fstat(folder, &status) != 0) return errno;
  std::vector<std::string> names;
  if (const int error = list_folder(folder, names); error != 0) return error;
  for (const std::string& name : names) {
    if (keep(name)) continue;
    if (const int error = remove_entry(folder, status.st_dev, name, where); error != 0) return error;
  }
  return 0;
}

}  // namespace penstock::observe
