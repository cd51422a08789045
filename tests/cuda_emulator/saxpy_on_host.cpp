// The kernel of the example plugin saxpy.cu for the host: a part of the emulator, as those of the module.
#include <cstddef>

#include "cuda_emulator/on_host.hpp"

namespace {

void saxpy_each(const float* x, float* y, std::size_t count, float alpha) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) y[i] += alpha * x[i];
}

}  // namespace

PENSTOCK_EMULATED_KERNEL("_Z10saxpy_eachPKfPfmf", saxpy_each);
