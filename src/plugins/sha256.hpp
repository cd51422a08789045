/// The SHA-256 of what a file holds, as `sha256sum` prints it.
#pragma once

#include <string>

namespace penstock::plugins {

/// Reads the open file from its first byte to its last; its position stays. 64 characters 0 to 9 and a to f. Throws
/// Error (environment) when it cannot be read.
[[nodiscard]] std::string sha256_of(int file);

}  // namespace penstock::plugins
