/// What tells two builds apart, so that ranks of one run are known to run the same code.
#pragma once

#include <string>

namespace penstock::runtime {

/// The build ids that the linker gave the program and the library, in hexadecimal; the version where there are none.
[[nodiscard]] std::string build_id();

}  // namespace penstock::runtime
