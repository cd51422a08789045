/// PENSTOCK_ASSERT: a bug in penstock itself. Always on; prints the place and aborts.
#pragma once

namespace penstock::core {
[[noreturn]] void assertion_failed(const char* expression, const char* file, int line);
}  // namespace penstock::core

#define PENSTOCK_ASSERT(expression) \
  ((expression) ? static_cast<void>(0) : ::penstock::core::assertion_failed(#expression, __FILE__, __LINE__))
