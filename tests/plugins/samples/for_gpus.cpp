// A plugin with a kernel that has no body for cores; that for GPUs needs nothing of CUDA.
#include <penstock/plugin.hpp>

namespace ps = penstock;

PENSTOCK_KERNEL("sample.for_gpus", [](const ps::CudaContext&, ps::In<float>, ps::InOut<float>, double) {},
                {.arguments = {"x", "y", {"alpha", "not used", 1}}})
