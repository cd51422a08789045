#include <penstock/version.hpp>

namespace penstock {

static_assert(header_version == PENSTOCK_VERSION, "the version of CMakeLists.txt is not that of version.hpp");

const char* version() { return PENSTOCK_VERSION; }

}  // namespace penstock
