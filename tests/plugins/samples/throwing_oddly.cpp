// Throws what no catch of std::exception sees.
#include <penstock/plugin.hpp>

PENSTOCK_KERNEL_DESCRIPTION([]() -> penstock::KernelDescription { throw 42; })
