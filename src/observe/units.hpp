/// Amounts as people read and write them. Pure functions; any thread. Used by all that prints and by the command line.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace penstock::observe {

/// "0 B", "1023 B", "1.5 KiB", "4.0 GiB".
[[nodiscard]] std::string bytes_text(std::uint64_t bytes);

/// "850 us", "42.0 ms", "12.3 s", "3 min 20 s", "2 h 05 min", "4 d 03 h". Negative and unknown (NaN) times are "-".
[[nodiscard]] std::string duration_text(double seconds);

/// "0.42/s", "812/s", "1.2 k/s", "3.4 M/s". Unknown (NaN, infinite) is "-".
[[nodiscard]] std::string rate_text(double per_second);

/// ISO 8601 in UTC, whole seconds: "2026-01-31T08:05:09Z".
[[nodiscard]] std::string utc_text(std::chrono::system_clock::time_point time);

/// Reads an amount of bytes: a number, then nothing, B, kB, MB, GB, TB (powers of 1000) or KiB, MiB, GiB, TiB (powers
/// of 1024), in any case and with spaces between: "4GiB", "1.5 MB", "1e9", "4096". Fractions of a byte are dropped.
/// Nothing when it is no such text, negative, or above 2^63 - 1.
[[nodiscard]] std::optional<std::int64_t> parse_bytes(std::string_view text);

}  // namespace penstock::observe
