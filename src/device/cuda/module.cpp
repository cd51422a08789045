/// The entry of the CUDA module: translates between CUDA and the table of module_abi.hpp, exceptions into one line.
#include <array>
#include <cstdio>
#include <exception>

#include "device/cuda/cuda_device.hpp"
#include "device/cuda/cuda_error.hpp"
#include "device/cuda/module_abi.hpp"

namespace penstock::device {
namespace {

std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof(uuid.bytes); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    std::array<char, 3> digits{};
    std::snprintf(digits.data(), digits.size(), "%02x",
                  static_cast<unsigned>(static_cast<unsigned char>(uuid.bytes[i])));
    text += digits.data();
  }
  return text;
}

/// As CUDA itself writes it: a GPU is function 0 of its device.
std::string pci_bus_id(const cudaDeviceProp& properties) {
  std::array<char, 32> id{};
  std::snprintf(id.data(), id.size(), "%04x:%02x:%02x.0", static_cast<unsigned>(properties.pciDomainID),
                static_cast<unsigned>(properties.pciBusID), static_cast<unsigned>(properties.pciDeviceID));
  return id.data();
}

std::string describe_software() {
  int driver = 0;
  int runtime = 0;
  PENSTOCK_CUDA_TRY(cudaDriverGetVersion(&driver));
  PENSTOCK_CUDA_TRY(cudaRuntimeGetVersion(&runtime));
  return "driver " + std::to_string(driver) + ", CUDA " + std::to_string(runtime) + ", cuBLAS " +
         std::to_string(CUBLAS_VERSION);
}

GpuDescription describe_gpu(int index) {
  cudaDeviceProp properties{};
  PENSTOCK_CUDA_TRY(cudaGetDeviceProperties(&properties, index));
  return {.name = properties.name,
          .uuid = uuid_text(properties.uuid),
          .pci_bus_id = pci_bus_id(properties),
          .memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem),
          .capability_major = properties.major,
          .capability_minor = properties.minor,
          .software = describe_software()};
}

std::string why_no_gpu(cudaError_t error) {
  switch (error) {
    case cudaErrorStubLibrary:
      return "no GPU: the CUDA driver is a stub (" + describe(error) + ")";
    case cudaErrorInsufficientDriver:
      return "no GPU: the CUDA driver is missing or too old (" + describe(error) + ")";
    case cudaErrorNoDevice:
      return "no GPU: CUDA sees no device (" + describe(error) + ")";
    default:
      return "no GPU: " + describe(error);
  }
}

void probe(std::vector<GpuDescription>& gpus, std::string& why) noexcept {
  try {
    int count = 0;
    if (const cudaError_t error = cudaGetDeviceCount(&count); error != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      why = why_no_gpu(error);
      return;
    }
    for (int index = 0; index < count; ++index) gpus.push_back(describe_gpu(index));
    if (count == 0) why = why_no_gpu(cudaErrorNoDevice);
  } catch (const std::exception& error) {
    gpus.clear();
    why = std::string("no GPU: ") + error.what();
  }
}

Accelerator* open(const GpuOptions& options, Completions& completions, TransferEnds& transfers,
                  std::string& why) noexcept {
  try {
    return new CudaDevice(options, completions, transfers);  // owned by the caller, as the table says
  } catch (const std::exception& error) {
    why = error.what();
    return nullptr;
  }
}

/// Also on the launching thread of another GPU, which stays current there.
void* allocate_pinned(int gpu, std::size_t bytes) noexcept {
  void* memory = nullptr;
  int current = gpu;
  static_cast<void>(cudaGetDevice(&current));
  const bool is_there =
      cudaSetDevice(gpu) == cudaSuccess && cudaHostAlloc(&memory, bytes, cudaHostAllocPortable) == cudaSuccess;
  static_cast<void>(cudaSetDevice(current));
  static_cast<void>(cudaGetLastError());
  return is_there ? memory : nullptr;
}

void free_pinned(void* memory) noexcept { log_cuda(cudaFreeHost(memory), "pinned memory"); }

constexpr CudaModule module_table{.abi_version = cuda_abi_version,
                                  .probe = probe,
                                  .open = open,
                                  .allocate_pinned = allocate_pinned,
                                  .free_pinned = free_pinned};

}  // namespace
}  // namespace penstock::device

extern "C" __attribute__((visibility("default"))) const penstock::device::CudaModule* penstock_cuda_module() {
  return &penstock::device::module_table;
}
