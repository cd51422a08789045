/// The options of a program: whether they are within their ranges, and what they mean for its session. Pure; any
/// thread.
#pragma once

#include <penstock/runtime.hpp>

#include "runtime/session.hpp"

namespace penstock::runtime {

/// Throws Error (invalid_argument) that names the option, its value and the range.
void check(const Options& options);

/// Of options that were checked, or will be by SessionOptions::prepare.
[[nodiscard]] SessionOptions session_options(const Options& options);

}  // namespace penstock::runtime
