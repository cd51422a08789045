#include "npy/descriptor.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <penstock/error.hpp>
#include <system_error>
#include <utility>

namespace penstock::npy {

namespace {

/// One system call moves at most this much; Linux itself stops a little below 2 GiB.
constexpr std::size_t chunk_bytes = std::size_t{1} << 30;

}  // namespace

void fail(const std::string& path, const std::string& what, int error) {
  throw Error(ErrorCode::environment, path + ": " + what + ": " + std::generic_category().message(error));
}

void create_folders_above(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail(path, "the folder cannot be created", error.value());
}

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

std::int64_t Descriptor::length() const {
  struct stat status {};
  if (::fstat(number_, &status) != 0) fail(path_, "cannot be read", errno);
  if (S_ISREG(status.st_mode)) return status.st_size;
  throw Error(ErrorCode::invalid_argument, path_ + ": is not a regular file; an .npy file is");
}

std::size_t Descriptor::read_at(std::int64_t offset, std::span<std::byte> out) {
  std::size_t done = 0;
  while (done < out.size()) {
    const std::size_t wanted = std::min(out.size() - done, chunk_bytes);
    const ssize_t count = ::pread(number_, out.data() + done, wanted, offset + static_cast<std::int64_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(path_, "cannot be read", errno);
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

void Descriptor::write_at(std::int64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(number_, bytes.data(), std::min(bytes.size(), chunk_bytes), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(path_, "cannot be written", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    offset += count;
  }
}

void Descriptor::set_length(std::int64_t bytes) {
  while (::ftruncate(number_, bytes) != 0) {
    if (errno != EINTR) fail(path_, "cannot be given its length", errno);
  }
}

void Descriptor::flush() {
  while (::fsync(number_) != 0) {
    if (errno != EINTR) fail(path_, "cannot be flushed to the disk", errno);
  }
}

void Descriptor::close() {
  const int number = std::exchange(number_, -1);
  // The number is gone even when close() says EINTR.
  if (::close(number) != 0 && errno != EINTR) fail(path_, "cannot be written", errno);
}

}  // namespace penstock::npy
