// Devices and errors.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string>

#include "cuda_emulator/process.hpp"

using penstock::emulator::call;
using penstock::emulator::call_that_looks;
using penstock::emulator::current_gpu;
using penstock::emulator::Gpu;
using penstock::emulator::last_error;
using penstock::emulator::Process;
using penstock::emulator::Settings;

namespace {

constexpr int runtime_version = CUDART_VERSION;
constexpr int processors = 8;
constexpr int pci_domain = 0xe0e0;  // where no machine has a device

bool is_gpu(Process& process, int device) { return device >= 0 && device < process.gpus(); }

/// "GPU-e0e0..." to its 16 bytes.
cudaUUID_t uuid_of(const Gpu& gpu) {
  std::string digits = penstock::emulator::uuid_text(gpu.physical).substr(4);
  std::erase(digits, '-');
  cudaUUID_t uuid{};
  for (std::size_t i = 0; i < sizeof(uuid.bytes); ++i) {
    unsigned byte = 0;
    std::from_chars(digits.data() + 2 * i, digits.data() + 2 * i + 2, byte, 16);
    uuid.bytes[i] = static_cast<char>(byte);
  }
  return uuid;
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 0;
  return call("cudaGetDeviceCount", [&](Process& process) {
    *count = process.gpus();
    return cudaSuccess;
  });
}

cudaError_t cudaSetDevice(int device) {
  return call("cudaSetDevice", [&](Process& process) {
    if (!is_gpu(process, device)) return cudaErrorInvalidDevice;
    current_gpu() = device;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDevice(int* device) {
  return call("cudaGetDevice", [&](Process& /*process*/) {
    *device = current_gpu();
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return call("cudaGetDeviceProperties", [&](Process& process) {
    if (!is_gpu(process, device)) return cudaErrorInvalidDevice;
    const Gpu& gpu = process.gpu(device);
    *properties = {};
    std::snprintf(properties->name, sizeof(properties->name), "Emulated GPU");
    properties->uuid = uuid_of(gpu);
    properties->totalGlobalMem = gpu.memory.capacity();
    properties->major = 9;
    properties->multiProcessorCount = processors;
    properties->pciDomainID = pci_domain;
    properties->pciBusID = gpu.physical;
    properties->asyncEngineCount = 2;
    properties->unifiedAddressing = 1;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return call("cudaDeviceGetAttribute", [&](Process& process) {
    if (!is_gpu(process, device)) return cudaErrorInvalidDevice;
    switch (attribute) {
      case cudaDevAttrComputeCapabilityMajor:
        *value = 9;
        return cudaSuccess;
      case cudaDevAttrComputeCapabilityMinor:
        *value = 0;
        return cudaSuccess;
      case cudaDevAttrMultiProcessorCount:
        *value = processors;
        return cudaSuccess;
      case cudaDevAttrAsyncEngineCount:
        *value = 2;
        return cudaSuccess;
      case cudaDevAttrPciDomainId:
        *value = pci_domain;
        return cudaSuccess;
      case cudaDevAttrPciBusId:
        *value = process.gpu(device).physical;
        return cudaSuccess;
      default:
        return cudaErrorNotSupported;
    }
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device) {
  return call("cudaDeviceGetPCIBusId", [&](Process& process) {
    if (!is_gpu(process, device) || length < 13) return cudaErrorInvalidValue;
    std::snprintf(id, static_cast<std::size_t>(length), "%04X:%02X:00.0", static_cast<unsigned>(pci_domain),
                  static_cast<unsigned>(process.gpu(device).physical) & 0xFFU);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return call_that_looks("cudaDeviceSynchronize", current_gpu(), [](Process& process) {
    process.queues().wait_for_device(current_gpu());
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return call("cudaDeviceCanAccessPeer", [&](Process& process) {
    if (!is_gpu(process, device) || !is_gpu(process, peer)) return cudaErrorInvalidDevice;
    *can = device != peer && Settings::get().peers > 0 ? 1 : 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned /*flags*/) {
  return call("cudaDeviceEnablePeerAccess", [&](Process& process) {
    if (!is_gpu(process, peer) || peer == current_gpu()) return cudaErrorInvalidDevice;
    if (Settings::get().peers == 0) return cudaErrorPeerAccessUnsupported;
    const std::lock_guard lock(process.memory_mutex());
    auto may_use = process.gpu(current_gpu()).peers[static_cast<std::size_t>(peer)];
    if (may_use) return cudaErrorPeerAccessAlreadyEnabled;
    may_use = true;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return call("cudaDeviceGetStreamPriorityRange", [&](Process& /*process*/) {
    *least = 0;
    *greatest = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = runtime_version;
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = runtime_version;
  return cudaSuccess;
}

// --- errors ---

cudaError_t cudaGetLastError() {
  const cudaError_t error = last_error();
  const cudaError_t refusal = Process::get().refusal();
  last_error() = refusal;  // what stays is not taken off
  return error;
}

cudaError_t cudaPeekAtLastError() { return last_error(); }

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
#define PENSTOCK_NAME(code) \
  case code:                \
    return #code
    PENSTOCK_NAME(cudaSuccess);
    PENSTOCK_NAME(cudaErrorInvalidValue);
    PENSTOCK_NAME(cudaErrorMemoryAllocation);
    PENSTOCK_NAME(cudaErrorInitializationError);
    PENSTOCK_NAME(cudaErrorCudartUnloading);
    PENSTOCK_NAME(cudaErrorInvalidConfiguration);
    PENSTOCK_NAME(cudaErrorInvalidDeviceFunction);
    PENSTOCK_NAME(cudaErrorStubLibrary);
    PENSTOCK_NAME(cudaErrorInsufficientDriver);
    PENSTOCK_NAME(cudaErrorDevicesUnavailable);
    PENSTOCK_NAME(cudaErrorNoDevice);
    PENSTOCK_NAME(cudaErrorInvalidDevice);
    PENSTOCK_NAME(cudaErrorECCUncorrectable);
    PENSTOCK_NAME(cudaErrorInvalidResourceHandle);
    PENSTOCK_NAME(cudaErrorNotReady);
    PENSTOCK_NAME(cudaErrorIllegalAddress);
    PENSTOCK_NAME(cudaErrorLaunchFailure);
    PENSTOCK_NAME(cudaErrorPeerAccessUnsupported);
    PENSTOCK_NAME(cudaErrorPeerAccessAlreadyEnabled);
    PENSTOCK_NAME(cudaErrorHostMemoryAlreadyRegistered);
    PENSTOCK_NAME(cudaErrorHostMemoryNotRegistered);
    PENSTOCK_NAME(cudaErrorNotPermitted);
    PENSTOCK_NAME(cudaErrorNotSupported);
    PENSTOCK_NAME(cudaErrorUnknown);
#undef PENSTOCK_NAME
    default:
      return "unrecognized error code";
  }
}

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorIllegalAddress:
      return "an illegal memory access was encountered";
    case cudaErrorNoDevice:
      return "no CUDA-capable device is detected";
    default:
      return "an error of the emulated CUDA";
  }
}

}  // extern "C"
