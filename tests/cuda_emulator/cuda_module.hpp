/// The CUDA module that is tested: that of the build, or, where the tests have been carried to another machine, the one
/// that the environment names.
#pragma once

#include <cstdlib>
#include <filesystem>

namespace penstock::tests {

inline std::filesystem::path cuda_module() {
  const char* const carried = std::getenv("PENSTOCK_CUDA_MODULE");
  return carried != nullptr ? carried : PENSTOCK_CUDA_MODULE;
}

}  // namespace penstock::tests
