#pragma once

#include <string_view>

namespace penstock {
/// "0.1.0", of the library that runs.
const char* version();
/// The same of the headers.
inline constexpr std::string_view header_version = "0.1.0";
}  // namespace penstock
