/// Whole-number arithmetic that says when 64 bits do not suffice. Pure; any thread.
#pragma once

#include <cstdint>

#include "jobs/source.hpp"

namespace penstock::jobs {

[[noreturn]] inline void too_large() { throw Mistake("the number does not fit into 64 bits, smaller ones are needed"); }

/// These throw Mistake.
[[nodiscard]] inline std::int64_t checked_sum(std::int64_t left, std::int64_t right) {
  if (__builtin_add_overflow(left, right, &left)) too_large();
  return left;
}
[[nodiscard]] inline std::int64_t checked_difference(std::int64_t left, std::int64_t right) {
  if (__builtin_sub_overflow(left, right, &left)) too_large();
  return left;
}
[[nodiscard]] inline std::int64_t checked_product(std::int64_t left, std::int64_t right) {
  if (__builtin_mul_overflow(left, right, &left)) too_large();
  return left;
}

/// Rounded towards minus infinity; `by` is positive.
[[nodiscard]] constexpr std::int64_t floor_quotient(std::int64_t value, std::int64_t by) {
  return value / by - (value % by < 0 ? 1 : 0);
}
/// From 0 to by - 1; `by` is positive.
[[nodiscard]] constexpr std::int64_t floor_remainder(std::int64_t value, std::int64_t by) {
  return value % by < 0 ? value % by + by : value % by;
}

/// The largest number where the result would be beyond it; none of the two is negative.
[[nodiscard]] constexpr std::int64_t capped_sum(std::int64_t left, std::int64_t right) {
  return __builtin_add_overflow(left, right, &left) ? INT64_MAX : left;
}
[[nodiscard]] constexpr std::int64_t capped_product(std::int64_t left, std::int64_t right) {
  return __builtin_mul_overflow(left, right, &left) ? INT64_MAX : left;
}

}  // namespace penstock::jobs
