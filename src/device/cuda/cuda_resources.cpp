#include "device/cuda/cuda_resources.hpp"

#include <cstdio>

#include "device/cuda/cuda_error.hpp"

namespace penstock::device {

CudaStream::CudaStream() { PENSTOCK_CUDA_TRY(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }

CudaStream::~CudaStream() { log_cuda(cudaStreamDestroy(stream_), "a stream"); }

CublasHandle::CublasHandle(const CudaStream& stream) {
  PENSTOCK_CUBLAS_TRY(cublasCreate(&handle_));
  try {
    PENSTOCK_CUBLAS_TRY(cublasSetStream(handle_, stream.get()));
  } catch (...) {
    cublasDestroy(handle_);
    throw;
  }
}

CublasHandle::~CublasHandle() {
  const cublasStatus_t status = cublasDestroy(handle_);
  if (status != CUBLAS_STATUS_SUCCESS) {
    std::fprintf(stderr, "penstock: %s at the end of a cuBLAS handle\n", cublasGetStatusName(status));
  }
}

EventPool::~EventPool() {
  for (cudaEvent_t event : free_) log_cuda(cudaEventDestroy(event), "an event");
}

cudaEvent_t EventPool::take() {
  cudaEvent_t event = nullptr;
  if (free_.empty()) {
    PENSTOCK_CUDA_TRY(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  } else {
    event = free_.back();
    free_.pop_back();
  }
  return event;
}

std::array<void*, DeviceBuffers::count> DeviceBuffers::reserve(std::span<const std::size_t, count> bytes) {
  if (!grow(bytes)) {
    release();  // what the buffers hold beyond this request may be all that is missing
    if (!grow(bytes)) {
      release();
      PENSTOCK_CUDA_TRY(cudaErrorMemoryAllocation);
    }
  }
  return data_;
}

/// False when the GPU is out of memory.
bool DeviceBuffers::grow(std::span<const std::size_t, count> bytes) {
  for (std::size_t i = 0; i < count; ++i) {
    if (bytes[i] <= bytes_[i]) continue;
    PENSTOCK_CUDA_TRY(cudaStreamSynchronize(stream_.get()));
    log_cuda(cudaFree(data_[i]), "a device buffer");
    data_[i] = nullptr;
    bytes_[i] = 0;
    const cudaError_t error = cudaMalloc(&data_[i], bytes[i]);
    if (error == cudaErrorMemoryAllocation) {
      data_[i] = nullptr;
      static_cast<void>(cudaGetLastError());
      return false;
    }
    PENSTOCK_CUDA_TRY(error);
    bytes_[i] = bytes[i];
  }
  return true;
}

void DeviceBuffers::release() {
  for (std::size_t i = 0; i < count; ++i) {
    log_cuda(cudaFree(data_[i]), "a device buffer");  // waits for the device
    data_[i] = nullptr;
    bytes_[i] = 0;
  }
}

}  // namespace penstock::device
