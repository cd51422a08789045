// A static object that is older than CUDA outlives it: its calls are refused. Exits with 0 if so.
#include <cuda_runtime_api.h>
#include <unistd.h>

#include <cstdio>

namespace {

struct Late {
  ~Late() {
    void* memory = nullptr;
    const cudaError_t answer = cudaMalloc(&memory, 1);
    if (answer != cudaErrorCudartUnloading) std::fprintf(stderr, "answered %s\n", cudaGetErrorName(answer));
    _exit(answer == cudaErrorCudartUnloading ? 0 : 1);
  }
};
const Late late;

}  // namespace

int main() {
  void* memory = nullptr;
  return cudaMalloc(&memory, 1) == cudaSuccess && cudaFree(memory) == cudaSuccess ? 0 : 2;
}
