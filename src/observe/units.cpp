#include "observe/units.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <ctime>

#include <fmt/core.h>

namespace penstock::observe {

namespace {

struct Unit {
  std::string_view name;  ///< in lower case
  std::int64_t bytes;
};

constexpr std::array<Unit, 9> units{{{"b", 1},
                                     {"kb", 1'000},
                                     {"mb", 1'000'000},
                                     {"gb", 1'000'000'000},
                                     {"tb", 1'000'000'000'000},
                                     {"kib", std::int64_t{1} << 10},
                                     {"mib", std::int64_t{1} << 20},
                                     {"gib", std::int64_t{1} << 30},
                                     {"tib", std::int64_t{1} << 40}}};

std::optional<std::int64_t> unit_named(std::string_view name) {
  if (name.empty()) return 1;
  std::string lower;
  for (const char c : name) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  for (const Unit& unit : units) {
    if (unit.name == lower) return unit.bytes;
  }
  return std::nullopt;
}

std::string_view without_spaces_around(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// Two units of time, the second one only where it matters.
std::string two_units(std::uint64_t amount, std::uint64_t ratio, const char* large, const char* small) {
  return fmt::format("{} {} {:02} {}", amount / ratio, large, amount % ratio, small);
}

}  // namespace

std::string bytes_text(std::uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  constexpr std::array<std::string_view, 6> names{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double amount = static_cast<double>(bytes) / 1024.0;
  std::size_t unit = 0;
  // 1023.95 would be printed as 1024.0.
  while (amount >= 1023.95 && unit + 1 < names.size()) {
    amount /= 1024.0;
    ++unit;
  }
  return fmt::format("{:.1f} {}", amount, names[unit]);
}

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0.0) return "-";
  if (seconds < 0.9995e-3) return fmt::format("{:.0f} us", seconds * 1e6);
  if (seconds < 0.9995) return fmt::format("{:.1f} ms", seconds * 1e3);
  if (seconds < 99.95) return fmt::format("{:.1f} s", seconds);
  if (seconds >= 1e12) return "-";
  const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  if (whole < 3600) return two_units(whole, 60, "min", "s");
  if (whole < 86'400) return two_units(whole / 60, 60, "h", "min");
  return two_units(whole / 3600, 24, "d", "h");
}

std::string rate_text(double per_second) {
  if (!std::isfinite(per_second) || per_second < 0.0) return "-";
  if (per_second < 9.995) return fmt::format("{:.2f}/s", per_second);
  if (per_second < 999.5) return fmt::format("{:.0f}/s", per_second);
  if (per_second < 999.95e3) return fmt::format("{:.1f} k/s", per_second / 1e3);
  return fmt::format("{:.1f} M/s", per_second / 1e6);
}

std::string utc_text(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  if (gmtime_r(&seconds, &parts) == nullptr) return "-";
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                     parts.tm_hour, parts.tm_min, parts.tm_sec);
}

std::optional<std::int64_t> parse_bytes(std::string_view text) {
  text = without_spaces_around(text);
  const char* const end = text.data() + text.size();
  // A whole number is read as such: a double would round those above 2^53.
  std::int64_t whole = 0;
  const auto as_whole = std::from_chars(text.data(), end, whole);
  double number = 0.0;
  const auto as_real = std::from_chars(text.data(), end, number);
  if (as_real.ec != std::errc{} || !std::isfinite(number) || std::signbit(number)) return std::nullopt;
  const auto unit = unit_named(without_spaces_around({as_real.ptr, end}));
  if (!unit) return std::nullopt;
  if (as_whole.ec == std::errc{} && as_whole.ptr == as_real.ptr) {
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(whole, *unit, &bytes)) return std::nullopt;
    return bytes;
  }
  const double bytes = number * static_cast<double>(*unit);
  if (bytes >= 0x1p63) return std::nullopt;
  return static_cast<std::int64_t>(bytes);
}

}  // namespace penstock::observe
