// Kernels: what code made by nvcc calls to make its kernels known and to launch them.
#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "cuda_emulator/kernel_body.hpp"
#include "cuda_emulator/process.hpp"

using penstock::emulator::call;
using penstock::emulator::current_gpu;
using penstock::emulator::Engine;
using penstock::emulator::Extent;
using penstock::emulator::KernelBody;
using penstock::emulator::Process;
using penstock::emulator::QuietMutex;
using penstock::emulator::Settings;

namespace {

constexpr unsigned threads_most = 1024;

struct Configuration {
  dim3 blocks;
  dim3 threads;
  std::size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
};

/// Bodies by their mangled names, and those names by the addresses that programs launch.
struct Kernels {
  QuietMutex mutex;  // guards what follows
  std::map<std::string, const KernelBody*, std::less<>> bodies;
  std::map<const void*, std::string> names;

  static Kernels& get() {
    static auto* const kernels = new Kernels;  // code of the program may launch until the process has ended
    return *kernels;
  }
  /// Null: nobody has brought one.
  const KernelBody* find(const void* function) {
    const std::lock_guard lock(mutex);
    const auto name = names.find(function);
    if (name == names.end()) return nullptr;
    const auto body = bodies.find(name->second);
    if (body != bodies.end()) return body->second;
    std::fprintf(stderr, "the emulated CUDA has no body of the kernel %s\n", name->second.c_str());
    return nullptr;
  }
};

/// Between <<<>>> and the launch.
std::vector<Configuration>& pushed() {
  thread_local std::vector<Configuration> configurations;
  return configurations;
}

Extent extent(const dim3& size) { return {size.x, size.y, size.z}; }

/// The values of the arguments as of now; a pointer to GPU memory becomes one that the host can follow.
std::vector<std::vector<std::byte>> values_of(Process& process, const KernelBody& body, void** arguments) {
  std::vector<std::vector<std::byte>> values;
  const std::lock_guard lock(process.memory_mutex());
  for (std::size_t i = 0; i < body.argument_count; ++i) {
    const auto* const bytes = static_cast<const std::byte*>(arguments[i]);
    values.emplace_back(bytes, bytes + body.argument_bytes[i]);
    void* address = nullptr;
    if (body.argument_bytes[i] != sizeof(address)) continue;
    std::memcpy(&address, bytes, sizeof(address));
    const int gpu = process.owner_of(address);
    if (gpu < 0) continue;
    std::byte* const there = process.gpu(gpu).memory.bytes_at(address, 0);
    std::memcpy(values.back().data(), &there, sizeof(there));
  }
  return values;
}

cudaError_t launch(Process& process, const void* function, const Configuration& configuration, void** arguments) {
  const auto stream = process.find(configuration.stream);
  if (stream->device != current_gpu()) return cudaErrorInvalidResourceHandle;
  const KernelBody* const body = Kernels::get().find(function);
  if (body == nullptr) return cudaErrorInvalidDeviceFunction;
  const dim3& threads = configuration.threads;
  const std::uint64_t in_block = std::uint64_t{threads.x} * threads.y * threads.z;
  const std::uint64_t blocks = std::uint64_t{configuration.blocks.x} * configuration.blocks.y * configuration.blocks.z;
  if (in_block == 0 || in_block > threads_most || blocks == 0) return cudaErrorInvalidConfiguration;
  std::atomic<int>& fault = process.gpu(stream->device).fault;
  const auto run = [&process, &fault, body, configuration, values = values_of(process, *body, arguments)]() mutable {
    if (const auto error = process.fault_of("kernel")) {
      fault = *error;
      return;
    }
    std::vector<void*> pointers;
    for (std::vector<std::byte>& value : values) pointers.push_back(value.data());
    body->run(extent(configuration.blocks), extent(configuration.threads), configuration.shared_bytes, pointers.data());
  };
  process.queues().queue(stream, {.engine = Engine::kernels, .takes_ns = Settings::get().kernel_ns, .end = run});
  return cudaSuccess;
}

}  // namespace

extern "C" {

void penstock_emulate_kernel(const KernelBody* body) {
  Kernels& kernels = Kernels::get();
  const std::lock_guard lock(kernels.mutex);
  kernels.bodies[body->name] = body;
}

void penstock_visit_emulated_kernels(void (*visit)(const char* name, bool has_body)) {
  Kernels& kernels = Kernels::get();
  const std::lock_guard lock(kernels.mutex);
  for (const auto& [function, name] : kernels.names) visit(name.c_str(), kernels.bodies.contains(name));
}

cudaError_t cudaLaunchKernel(const void* function, dim3 blocks, dim3 threads, void** arguments,
                             std::size_t shared_bytes, cudaStream_t stream) {
  return call("cudaLaunchKernel", [&](Process& process) {
    return launch(process, function, {blocks, threads, shared_bytes, stream}, arguments);
  });
}

// --- for code made by nvcc, as its headers declare them ---

void** __cudaRegisterFatBinary(void* /*binary*/) {
  static void* handle = nullptr;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void** /*handle*/) {}
void __cudaUnregisterFatBinary(void** /*handle*/) {}
void __cudaRegisterVar(void** /*handle*/, char* /*host*/, char* /*device*/, const char* /*name*/, int /*external*/,
                       std::size_t /*bytes*/, int /*constant*/, int /*global*/) {}
char __cudaInitModule(void** /*handle*/) { return 1; }

void __cudaRegisterFunction(void** /*handle*/, const char* function, char* /*device_function*/, const char* name,
                            int /*thread_limit*/, uint3* /*thread*/, uint3* /*block*/, dim3* /*block_size*/,
                            dim3* /*grid_size*/, int* /*warp_size*/) {
  Kernels& kernels = Kernels::get();
  const std::lock_guard lock(kernels.mutex);
  kernels.names[function] = name;
}

unsigned __cudaPushCallConfiguration(dim3 blocks, dim3 threads, std::size_t shared_bytes, cudaStream_t stream) {
  pushed().push_back({blocks, threads, shared_bytes, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* blocks, dim3* threads, std::size_t* shared_bytes, void* stream) {
  if (pushed().empty()) return cudaErrorInvalidConfiguration;
  const Configuration& last = pushed().back();
  *blocks = last.blocks;
  *threads = last.threads;
  *shared_bytes = last.shared_bytes;
  *static_cast<cudaStream_t*>(stream) = last.stream;
  pushed().pop_back();
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  *kernel = static_cast<cudaKernel_t>(const_cast<void*>(function));
  return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 blocks, dim3 threads, void** arguments,
                               std::size_t shared_bytes, cudaStream_t stream) {
  return cudaLaunchKernel(static_cast<const void*>(kernel), blocks, threads, arguments, shared_bytes, stream);
}

}  // extern "C"
