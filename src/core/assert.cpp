#include "core/assert.hpp"

#include <cstdio>
#include <cstdlib>

namespace penstock::core {

void assertion_failed(const char* expression, const char* file, int line) {
  std::fprintf(stderr, "penstock: %s:%d: assertion failed: %s\n", file, line, expression);
  std::abort();
}

}  // namespace penstock::core
