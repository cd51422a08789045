/// The one kernel of the CUDA module: c = alpha * op(a) * op(b) + beta * c by cuBLAS, f32 and f64.
#pragma once

#include <span>

#include <penstock/kernel.hpp>

#include "device/cuda/cuda_resources.hpp"
#include "device/device.hpp"

namespace penstock::device {

/// Queues the copies in, the product and the copy out on `stream`. The host memory of work.arrays must stay until the
/// stream has passed them. Throws Error: invalid_argument when arrays or parameters do not fit, environment when CUDA
/// refuses; part of it may be queued then.
void queue_gemm(const Work& work, std::span<const Parameter> parameters, const CudaStream& stream,
                const CublasHandle& cublas, DeviceBuffers& buffers);

}  // namespace penstock::device
