#include "npy/file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <penstock/error.hpp>
#include <vector>

#include "core/assert.hpp"
#include "npy/descriptor.hpp"
#include "npy/header.hpp"
#include "npy/open_array.hpp"
#include "npy/transpose.hpp"

namespace penstock::npy {

namespace {

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
  if (!array.header.fortran_order || expected.shape.dimensions() < 2) return array.read_data(0, out);
  std::vector<std::byte> columns(out.size());
  array.read_data(0, columns);
  fortran_to_c(expected, columns, out);
}

void write(const std::string& path, const ArrayType& type, std::span<const std::byte> data) {
  PENSTOCK_ASSERT(data.size() == static_cast<std::size_t>(type.bytes()));
  create_folders_above(path);
  const std::string header = make_header(type);
  Temporary temporary(path);
  temporary.file().write_at(0, std::as_bytes(std::span(header)));
  temporary.file().write_at(static_cast<std::int64_t>(header.size()), data);
  temporary.rename();
}

}  // namespace penstock::npy
