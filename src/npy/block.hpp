/// Blocks of an array in an .npy file: tiles of data that no rank holds whole. A whole of one dimension has blocks of
/// one dimension, a matrix has blocks of two; others have none. Called by the kernels `load`, `save_part` and
/// `publish`, from any thread and from any number of ranks at once; every call blocks until the system has answered.
/// Errors are Error, in one line that begins with the file's name: invalid_argument when the file is not what it should
/// be, environment when the machine refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <penstock/types.hpp>
#include <span>
#include <string>

namespace penstock::npy {

/// Where a block begins in the whole; the column of a block of one dimension is 0. Not negative.
struct BlockStart {
  std::int64_t row = 0;
  std::int64_t column = 0;
};

/// Whether a block of this shape, from `start` on, lies within a whole of that shape.
[[nodiscard]] bool is_within(const Shape& block, BlockStart start, const Shape& whole);

/// Reads a block of the file's array, which may be in either order, to `out`, which holds block.bytes(). Reads the
/// header and the block's bytes only; of an array in Fortran order the block takes as much memory again while it lasts.
void read_block(const std::string& path, BlockStart start, const ArrayType& block, std::span<std::byte> out);

/// Writes a block, which must lie within `whole`, to its place in the file of blocks that goes with `path`: its name
/// with ".partial" behind. The file is created, with missing folders, by whoever comes first; every call writes the
/// header and sets the length, the same for all, so that the order of the calls does not matter and the rest of an
/// older attempt does no harm. The ranks' file system needs to show each what the others wrote: one machine's own does,
/// and so do Lustre, GPFS and BeeGFS; NFS does not for blocks that meet within a page.
void write_block(const std::string& path, const ArrayType& whole, BlockStart start, const ArrayType& block,
                 std::span<const std::byte> data);

/// Gives the file of blocks the name `path`, after it is known to hold an array of `elements` elements and to be on the
/// disk. Whoever looks for `path` so never sees a part of it, not even after a power failure.
void publish(const std::string& path, std::int64_t elements);

}  // namespace penstock::npy
