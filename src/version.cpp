#include <penstock/version.hpp>

namespace penstock {
const char* version() { return PENSTOCK_VERSION; }
}  // namespace penstock
