#pragma once

namespace penstock {
/// "0.1.0"
const char* version();
}  // namespace penstock
