/// What two ranks must agree on about a kernel, as one line of text, and hashes of it. Ranks exchange the hash of their
/// whole table at start-up, and the lines only when it differs, to name the kernel at fault.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <penstock/kernel.hpp>

namespace penstock::kernels {

/// "increment(read_write x any; by real = 1) panels": name, accesses, parameters, dtypes, defaults, panels.
[[nodiscard]] std::string signature_of(const KernelDescription& kernel);

/// FNV-1a, 64 bits; the same on every machine. `seed` continues the hash of what came before.
[[nodiscard]] std::uint64_t hash_of(std::string_view text, std::uint64_t seed = 0xcbf29ce484222325U);

/// One line that names the first kernel, by name, in which two lists of signatures differ; empty: they are equal. Both
/// are sorted by kernel name.
[[nodiscard]] std::string first_difference(std::span<const std::string> here, std::span<const std::string> there);

}  // namespace penstock::kernels
