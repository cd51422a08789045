/// The header of an .npy file: what NumPy writes in front of the data. Pure: bytes in, a description out, and back.
/// Called by the functions of npy/file.hpp, from any thread. Files are not trusted: whatever the bytes are, a function
/// here returns or throws Error (invalid_argument) in one line that names the file and says what would be right.
#pragma once

#include <cstddef>
#include <penstock/types.hpp>
#include <span>
#include <string>
#include <string_view>

namespace penstock::npy {

struct Header {
  ArrayType type;
  bool fortran_order = false;   ///< the data are in column-major order
  std::size_t data_offset = 0;  ///< where the data begin in the file
};

/// A longer header is refused.
inline constexpr std::size_t max_header_bytes = std::size_t{1} << 20;

/// How much of a file's start is enough for header_bytes().
inline constexpr std::size_t prefix_bytes = 12;

/// Bytes from the start of the file to its data, read off the first prefix_bytes of it (or all of a shorter file).
[[nodiscard]] std::size_t header_bytes(std::span<const std::byte> prefix, std::string_view name);

/// `bytes` begins at the start of the file and holds at least the header; `name` is the file's, for messages.
[[nodiscard]] Header parse_header(std::span<const std::byte> bytes, std::string_view name);

/// A header of version 1.0 for C order; its length is a multiple of 64, so that the data are aligned.
[[nodiscard]] std::string make_header(const ArrayType& type);

}  // namespace penstock::npy
