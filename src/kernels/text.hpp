/// How kernels, their arguments and numbers are written in messages and signatures. Pure functions, any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <penstock/kernel.hpp>

namespace penstock::kernels {

/// "read", "write", "read_write", "commute" or "reduce".
[[nodiscard]] std::string_view name_of(AccessMode mode);
/// "boolean", "integer", "real" or "text".
[[nodiscard]] std::string_view name_of(ParameterType type);

/// The shortest text that reads back as the same number, in any locale: "0.5", "1e+300".
[[nodiscard]] std::string to_text(double number);
/// true, 3, 0.5 or "a text", quotes and backslashes escaped.
[[nodiscard]] std::string to_text(const Parameter& value);
/// "[3, 4] f32"
[[nodiscard]] std::string to_text(const ArrayType& type);

/// The candidate with the fewest edits from `name`, if these are few enough to be a slip; else empty.
[[nodiscard]] std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace penstock::kernels
