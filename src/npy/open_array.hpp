/// An .npy file that is open for reading, its header read and found to fit its length. For the functions of this layer;
/// one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <penstock/types.hpp>
#include <span>
#include <string>

#include "npy/descriptor.hpp"
#include "npy/header.hpp"

namespace penstock::npy {

struct OpenArray {
  /// `path` must outlive it. `flags` are open()'s, besides those for reading. Throws Error: environment when the file
  /// cannot be opened or read, invalid_argument when it is no .npy file or its length is not that of header and data.
  explicit OpenArray(const std::string& path, int flags = 0);

  /// Fills `out` from `offset` bytes behind the header; throws Error (invalid_argument) when the file has become
  /// shorter.
  void read_data(std::int64_t offset, std::span<std::byte> out);

  const std::string& name;
  Descriptor file;
  Header header;
};

/// "f32 [2, 3]"
[[nodiscard]] std::string text_of(const ArrayType& type);

}  // namespace penstock::npy
