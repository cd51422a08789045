#include "npy/block.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <penstock/error.hpp>
#include <vector>

#include "core/assert.hpp"
#include "npy/descriptor.hpp"
#include "npy/header.hpp"
#include "npy/open_array.hpp"
#include "npy/transpose.hpp"

namespace penstock::npy {

namespace {

/// Stretches of the file that follow one another in the block; all in bytes, behind the header.
struct Stretches {
  std::int64_t count;
  std::int64_t length;
  std::int64_t first;
  std::int64_t step;

  /// Calls body(place in the file, place in the block, length); those that touch are one.
  template <class Body>
  void for_each(Body body) const {
    if (step == length) return body(first, std::int64_t{0}, count * length);
    for (std::int64_t i = 0; i < count; ++i) body(first + i * step, i * length, length);
  }
};

/// Along the rows of the file in C order, along its columns in Fortran order.
Stretches stretches_of(const ArrayType& block, BlockStart start, const Shape& whole, bool fortran_order) {
  const auto size = static_cast<std::int64_t>(size_of(block.dtype));
  if (whole.dimensions() == 1) return {1, block.bytes(), start.row * size, block.bytes()};
  if (fortran_order) {
    return {block.shape[1], block.shape[0] * size, (start.column * whole[0] + start.row) * size, whole[0] * size};
  }
  return {block.shape[0], block.shape[1] * size, (start.row * whole[1] + start.column) * size, whole[1] * size};
}

std::string partial_name(const std::string& path) { return path + ".partial"; }

/// So that the new name survives a power failure. A file system that cannot flush a folder says EINVAL.
void flush_folder_of(const std::string& path) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  Descriptor file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC), folder);
  if (file.number() < 0) fail(folder, "cannot be opened", errno);
  if (::fsync(file.number()) != 0 && errno != EINVAL) fail(folder, "cannot be flushed to the disk", errno);
}

}  // namespace

bool is_within(const Shape& block, BlockStart start, const Shape& whole) {
  if (block.dimensions() != whole.dimensions()) return false;
  if (block.dimensions() == 1) return start.column == 0 && start.row <= whole[0] - block[0];
  return block.dimensions() == 2 && start.row <= whole[0] - block[0] && start.column <= whole[1] - block[1];
}

void read_block(const std::string& path, BlockStart start, const ArrayType& block, std::span<std::byte> out) {
  PENSTOCK_ASSERT(out.size() == static_cast<std::size_t>(block.bytes()));
  OpenArray array(path);
  const ArrayType& whole = array.header.type;
  if (whole.dtype != block.dtype || !is_within(block.shape, start, whole.shape)) {
    throw Error(ErrorCode::invalid_argument, path + ": holds " + text_of(whole) + ", which has no block " +
                                                 text_of(block) + " at row " + std::to_string(start.row) + ", column " +
                                                 std::to_string(start.column));
  }
  if (out.empty()) return;
  const bool is_turned = array.header.fortran_order && block.shape.dimensions() == 2;
  std::vector<std::byte> columns(is_turned ? out.size() : 0);
  const std::span<std::byte> to = is_turned ? std::span(columns) : out;
  stretches_of(block, start, whole.shape, is_turned)
      .for_each([&](std::int64_t in_file, std::int64_t in_block, std::int64_t length) {
        array.read_data(in_file, to.subspan(static_cast<std::size_t>(in_block), static_cast<std::size_t>(length)));
      });
  if (is_turned) fortran_to_c(block, columns, out);
}

void write_block(const std::string& path, const ArrayType& whole, BlockStart start, const ArrayType& block,
                 std::span<const std::byte> data) {
  PENSTOCK_ASSERT(data.size() == static_cast<std::size_t>(block.bytes()) && whole.dtype == block.dtype);
  PENSTOCK_ASSERT(is_within(block.shape, start, whole.shape));
  const std::string name = partial_name(path);
  create_folders_above(path);
  Descriptor file(::open(name.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666), name);
  if (file.number() < 0) fail(name, "cannot be opened", errno);
  static_cast<void>(file.length());  // refuses what is no regular file
  const std::string header = make_header(whole);
  const auto offset = static_cast<std::int64_t>(header.size());
  file.write_at(0, std::as_bytes(std::span(header)));
  file.set_length(offset + whole.bytes());
  if (!data.empty()) {
    stretches_of(block, start, whole.shape, false)
        .for_each([&](std::int64_t in_file, std::int64_t in_block, std::int64_t length) {
          file.write_at(offset + in_file,
                        data.subspan(static_cast<std::size_t>(in_block), static_cast<std::size_t>(length)));
        });
  }
  file.close();
}

void publish(const std::string& path, std::int64_t elements) {
  const std::string name = partial_name(path);
  OpenArray array(name, O_NOFOLLOW);
  if (array.header.type.shape.count() != elements) {
    throw Error(ErrorCode::invalid_argument, name + ": holds " + text_of(array.header.type) + ", that is " +
                                                 std::to_string(array.header.type.shape.count()) + " elements, not " +
                                                 std::to_string(elements));
  }
  array.file.flush();
  if (std::rename(name.c_str(), path.c_str()) != 0) fail(path, "cannot be given its name", errno);
  flush_folder_of(path);
}

}  // namespace penstock::npy
