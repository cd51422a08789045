/// The built-in kernels' bodies for GPUs, by the kernels' names; a kernel that is not here runs on cores. The arguments
/// passed the kernel's checks when the task was submitted, so bodies do not repeat these. A body throws Error
/// (environment) when CUDA or cuBLAS refuses; part of its work may be queued then. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <penstock/kernel.hpp>

namespace penstock::device {

using CudaBody = void (*)(const CudaContext&);

/// Null: none.
[[nodiscard]] CudaBody find_cuda_body(std::string_view kernel);

/// Why the call failed, "" if it did not, from the first 8 bytes of its scratch, which its work has written: to be
/// copied from there in the order of the stream.
using CudaVerdict = std::string (*)(std::int64_t finding);

/// For a kernel that may find only on the GPU that it cannot do its task. Null: for all others.
[[nodiscard]] CudaVerdict find_cuda_verdict(std::string_view kernel);

}  // namespace penstock::device
