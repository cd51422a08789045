#include "cuda_emulator/on_host.hpp"

namespace on_host {
namespace {
#include "cuda_emulator/sample_kernels.cuh"
}  // namespace
}  // namespace on_host

PENSTOCK_EMULATED_KERNEL("_Z5scalePffi", on_host::scale);
PENSTOCK_EMULATED_KERNEL("_Z10sum_blocksPKfPf", on_host::sum_blocks);
