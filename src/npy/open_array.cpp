#include "npy/open_array.hpp"

#include <fcntl.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <penstock/error.hpp>
#include <vector>

namespace penstock::npy {

namespace {

static_assert(std::endian::native == std::endian::little, "the files hold numbers as memory does");

void check_length(const std::string& path, const Header& header, std::int64_t length) {
  const std::int64_t present = length - static_cast<std::int64_t>(header.data_offset);
  const std::int64_t needed = header.type.bytes();
  if (present == needed) return;
  throw Error(ErrorCode::invalid_argument,
              path + (present < needed ? ": the data are cut off: " : ": bytes follow the data: ") +
                  std::to_string(present) + " bytes where " + header.type.shape.to_string() + ' ' +
                  std::string(name_of(header.type.dtype)) + " takes " + std::to_string(needed));
}

}  // namespace

OpenArray::OpenArray(const std::string& path, int flags)
    : name(path), file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags), path) {
  if (file.number() < 0) fail(path, "cannot be opened", errno);
  const std::int64_t length = file.length();
  std::vector<std::byte> bytes(prefix_bytes);
  bytes.resize(file.read_at(0, bytes));
  const std::size_t have = bytes.size();
  bytes.resize(std::max(header_bytes(bytes, path), have));
  bytes.resize(have + file.read_at(static_cast<std::int64_t>(have), std::span(bytes).subspan(have)));
  header = parse_header(bytes, path);
  check_length(path, header, length);
}

void OpenArray::read_data(std::int64_t offset, std::span<std::byte> out) {
  if (file.read_at(static_cast<std::int64_t>(header.data_offset) + offset, out) == out.size()) return;
  throw Error(ErrorCode::invalid_argument, name + ": the data are cut off; the file became shorter while it was read");
}

std::string text_of(const ArrayType& type) { return std::string(name_of(type.dtype)) + ' ' + type.shape.to_string(); }

}  // namespace penstock::npy
