// A plugin with a kernel for cores and GPUs; saxpy.toml uses it. Built into saxpy.so by CMake beside a copy of the job,
// where the CUDA toolkit is found:
//
//     penstock run build/release/jobs/plugins/saxpy.toml
#include <penstock/plugin.hpp>

namespace ps = penstock;

__global__ void saxpy_each(const float* x, float* y, std::size_t count, float alpha) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) y[i] += alpha * x[i];
}

namespace {

void saxpy_on_a_core(ps::In<float> x, ps::InOut<float> y, float alpha) {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += alpha * x[i];
}

/// Called on the host: x and y are in the GPU's memory, where only kernels look at them.
void saxpy_on_a_gpu(const ps::CudaContext& gpu, ps::In<float> x, ps::InOut<float> y, float alpha) {
  constexpr std::size_t threads = 256;
  if (y.empty()) return;
  const auto blocks = static_cast<unsigned>((y.size() + threads - 1) / threads);
  saxpy_each<<<blocks, threads, 0, gpu.stream>>>(x.data(), y.data(), y.size(), alpha);
}

}  // namespace

PENSTOCK_KERNEL("example.saxpy", saxpy_on_a_core,
                {.cuda = saxpy_on_a_gpu,
                 .summary = "y = y + alpha * x, by element.",
                 .arguments = {"x", "y", {"alpha", "factor of x", 1}},
                 .check = [](const ps::Shape& x, const ps::Shape& y,
                             float) { return x == y ? "" : "x and y have different shapes"; },
                 .flops = [](const ps::Shape&, const ps::Shape& y, float) { return 2 * y.count(); }})
