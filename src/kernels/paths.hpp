/// What the kernels that read and write files share. Pure, any thread. A check's answer is one line, empty when all is
/// well.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <penstock/kernel.hpp>

#include "npy/block.hpp"

namespace penstock::kernels {

inline std::span<std::byte> bytes_of(const ArrayView& array) {
  return {array.data, static_cast<std::size_t>(array.type.bytes())};
}

/// Whether a parameter `path` can be one.
[[nodiscard]] std::string path_fault(const Parameter& path);
/// Whether x can be a block of some array from `start` on.
[[nodiscard]] std::string block_fault(const ArrayType& x, npy::BlockStart start);

}  // namespace penstock::kernels
