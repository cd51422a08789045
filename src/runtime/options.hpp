/// Whether the options of a program are within their ranges. Pure; any thread.
#pragma once

#include <penstock/runtime.hpp>

namespace penstock::runtime {

/// Throws Error (invalid_argument) that names the option, its value and the range.
void check(const Options& options);

}  // namespace penstock::runtime
