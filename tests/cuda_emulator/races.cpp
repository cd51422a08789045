// Mistakes in the use of streams that ThreadSanitizer has to find on the emulator, and the same without the mistake.
//
//     races ordered|no-event|early-reuse|early-read
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

constexpr std::size_t count = std::size_t{1} << 16U;
constexpr std::size_t bytes = count * sizeof(float);

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorName(error));
  std::exit(3);
}

}  // namespace

/// One stream brings numbers to the GPU, another takes them back, and the host uses both of its buffers again.
int main(int argc, char** argv) {
  const std::string_view mistake = argc > 1 ? argv[1] : "ordered";
  void* on_gpu = nullptr;
  float* from = nullptr;
  float* to = nullptr;
  cudaStream_t in = nullptr;
  cudaStream_t out = nullptr;
  cudaEvent_t arrived = nullptr;
  check(cudaMalloc(&on_gpu, bytes));
  check(cudaMallocHost(reinterpret_cast<void**>(&from), bytes));
  check(cudaMallocHost(reinterpret_cast<void**>(&to), bytes));
  check(cudaStreamCreateWithFlags(&in, cudaStreamNonBlocking));
  check(cudaStreamCreateWithFlags(&out, cudaStreamNonBlocking));
  check(cudaEventCreateWithFlags(&arrived, cudaEventDisableTiming));
  for (std::size_t i = 0; i < count; ++i) from[i] = 1;

  check(cudaMemcpyAsync(on_gpu, from, bytes, cudaMemcpyHostToDevice, in));
  check(cudaEventRecord(arrived, in));
  if (mistake == "early-reuse") from[0] = 2;
  if (mistake != "no-event") check(cudaStreamWaitEvent(out, arrived, 0));
  check(cudaMemcpyAsync(to, on_gpu, bytes, cudaMemcpyDeviceToHost, out));
  float seen = 1;
  if (mistake == "early-read") seen = to[0];
  check(cudaEventSynchronize(arrived));
  from[0] = 2;
  check(cudaStreamSynchronize(out));
  check(cudaStreamSynchronize(in));
  if (mistake == "ordered") seen = to[0];

  check(cudaEventDestroy(arrived));
  check(cudaStreamDestroy(out));
  check(cudaStreamDestroy(in));
  check(cudaFreeHost(to));
  check(cudaFreeHost(from));
  check(cudaFree(on_gpu));
  return mistake == "ordered" && seen != 1 ? 1 : 0;
}
