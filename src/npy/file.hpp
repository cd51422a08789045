/// .npy files: one array of f32, f64, i32 or i64 each. Called by the kernels `load` and `save` and by the reader of job
/// files, from any thread; every call blocks until the disk has answered. Errors are Error, in one line that begins
/// with the file's name: invalid_argument when the file is not what it should be, environment when the machine refused.
#pragma once

#include <cstddef>
#include <penstock/types.hpp>
#include <span>
#include <string>

namespace penstock::npy {

/// What the file holds. Reads the header only, but refuses a file whose length is not header and data.
[[nodiscard]] ArrayType read_type(const std::string& path);

/// Reads the array, whose type must be `expected`, to `out`, which holds expected.bytes(). An array in Fortran order is
/// put in C order; that takes as much memory again while it lasts.
void read_into(const std::string& path, const ArrayType& expected, std::span<std::byte> out);

/// Writes the array (row-major) as version 1.0, creating missing folders: to a temporary name beside `path`, then
/// renamed, so that nobody ever sees a part of it and a failure leaves what was there. Not flushed to the disk (no
/// fsync).
void write(const std::string& path, const ArrayType& type, std::span<const std::byte> data);

}  // namespace penstock::npy
