/// Column-major to row-major order, any number of dimensions. Pure; called by npy/file.hpp.
#pragma once

#include <cstddef>
#include <penstock/types.hpp>
#include <span>

namespace penstock::npy {

/// Writes the elements of `from`, which are in Fortran order, to `to` in C order. Both hold type.bytes() and do not
/// overlap.
void fortran_to_c(const ArrayType& type, std::span<const std::byte> from, std::span<std::byte> to);

}  // namespace penstock::npy
