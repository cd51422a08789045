#include "npy/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <penstock/error.hpp>
#include <system_error>
#include <utility>
#include <vector>

#include "core/assert.hpp"
#include "npy/header.hpp"
#include "npy/transpose.hpp"

namespace penstock::npy {

namespace {

static_assert(std::endian::native == std::endian::little, "the files hold numbers as memory does");

/// One system call moves at most this much; Linux itself stops a little below 2 GiB.
constexpr std::size_t chunk_bytes = std::size_t{1} << 30;

[[noreturn]] void fail(const std::string& path, const std::string& what, int error) {
  throw Error(ErrorCode::environment, path + ": " + what + ": " + std::generic_category().message(error));
}

/// An open file. The destructor closes without a word; close() reports.
class Descriptor {
 public:
  Descriptor(int number, const std::string& path) : number_(number), path_(path) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }

  [[nodiscard]] int number() const { return number_; }

  /// Fills `out` or stops at the end of the file; returns the bytes read.
  std::size_t read(std::span<std::byte> out) {
    std::size_t done = 0;
    while (done < out.size()) {
      const ssize_t count = ::read(number_, out.data() + done, std::min(out.size() - done, chunk_bytes));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail(path_, "cannot be read", errno);
      if (count == 0) break;
      done += static_cast<std::size_t>(count);
    }
    return done;
  }

  void write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::write(number_, bytes.data(), std::min(bytes.size(), chunk_bytes));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail(path_, "cannot be written", errno);
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
  }

  /// Some file systems report a full disk only here. The number is gone even when close() says EINTR.
  void close() {
    const int number = std::exchange(number_, -1);
    if (::close(number) != 0 && errno != EINTR) fail(path_, "cannot be written", errno);
  }

 private:
  int number_;
  const std::string& path_;
};

/// An open .npy file, read up to its data, whose length fits its header.
struct OpenArray {
  explicit OpenArray(const std::string& path) : file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK), path) {
    if (file.number() < 0) fail(path, "cannot be opened", errno);
    struct stat status {};
    if (::fstat(file.number(), &status) != 0) fail(path, "cannot be read", errno);
    if (!S_ISREG(status.st_mode))
      throw Error(ErrorCode::invalid_argument, path + ": is not a regular file; an .npy file is");

    std::vector<std::byte> bytes(prefix_bytes);
    bytes.resize(file.read(bytes));
    const std::size_t have = bytes.size();
    bytes.resize(std::max(header_bytes(bytes, path), have));
    bytes.resize(have + file.read(std::span(bytes).subspan(have)));
    header = parse_header(bytes, path);
    check_length(path, status.st_size);
  }

  void check_length(const std::string& path, std::int64_t length) const {
    const std::int64_t present = length - static_cast<std::int64_t>(header.data_offset);
    const std::int64_t needed = header.type.bytes();
    if (present == needed) return;
    throw Error(ErrorCode::invalid_argument,
                path + (present < needed ? ": the data are cut off: " : ": bytes follow the data: ") +
                    std::to_string(present) + " bytes where " + header.type.shape.to_string() + ' ' +
                    std::string(name_of(header.type.dtype)) + " takes " + std::to_string(needed));
  }

  Descriptor file;
  Header header;
};

std::string text_of(const ArrayType& type) { return std::string(name_of(type.dtype)) + ' ' + type.shape.to_string(); }

/// A new file beside `path`. Ranks on other machines may have the same process number, and a killed run may have left
/// files behind: a name that is taken is passed over.
int open_temporary(const std::string& path, std::string& name) {
  static std::atomic<std::uint64_t> next{
      0};  // shared by all threads of the process; only its values' difference counts
  const std::string prefix = path + ".tmp-" + std::to_string(::getpid()) + '-';
  while (true) {
    name = prefix + std::to_string(next.fetch_add(1, std::memory_order_relaxed));
    const int number = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (number >= 0) return number;
    if (errno != EEXIST) fail(path, "cannot be created", errno);
  }
}

/// Removes the temporary file unless it got its final name.
class Temporary {
 public:
  explicit Temporary(const std::string& path) : file_(open_temporary(path, name_), path), path_(path) {}
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() {
    if (!renamed_) ::unlink(name_.c_str());
  }
  Descriptor& file() { return file_; }
  void rename() {
    file_.close();
    if (std::rename(name_.c_str(), path_.c_str()) != 0) fail(path_, "cannot be given its name", errno);
    renamed_ = true;
  }

 private:
  std::string name_;  // before file_, which is opened under it
  Descriptor file_;
  const std::string& path_;
  bool renamed_ = false;
};

}  // namespace

ArrayType read_type(const std::string& path) { return OpenArray(path).header.type; }

void read_into(const std::string& path, const ArrayType& expected, std::span<std::byte> out) {
  PENSTOCK_ASSERT(out.size() == static_cast<std::size_t>(expected.bytes()));
  OpenArray array(path);
  if (array.header.type != expected) {
    throw Error(ErrorCode::invalid_argument,
                path + ": holds " + text_of(array.header.type) + ", " + text_of(expected) + " is needed");
  }
  const auto read_all = [&](std::span<std::byte> to) {
    if (array.file.read(to) != to.size()) {
      throw Error(ErrorCode::invalid_argument,
                  path + ": the data are cut off; the file became shorter while it was read");
    }
  };
  if (!array.header.fortran_order || expected.shape.dimensions() < 2) return read_all(out);
  std::vector<std::byte> columns(out.size());
  read_all(columns);
  fortran_to_c(expected, columns, out);
}

void write(const std::string& path, const ArrayType& type, std::span<const std::byte> data) {
  PENSTOCK_ASSERT(data.size() == static_cast<std::size_t>(type.bytes()));
  if (const auto folder = std::filesystem::path(path).parent_path(); !folder.empty()) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) fail(path, "the folder cannot be created", error.value());
  }
  const std::string header = make_header(type);
  Temporary temporary(path);
  temporary.file().write(std::as_bytes(std::span(header)));
  temporary.file().write(data);
  temporary.rename();
}

}  // namespace penstock::npy
