// Fails while it describes its kernels.
#include <stdexcept>

#include <penstock/plugin.hpp>

PENSTOCK_KERNEL_DESCRIPTION([]() -> penstock::KernelDescription { throw std::runtime_error("no licence\nfound"); })
