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
    PENSTOCK_CUDA_TRY(cudaEventCreate(&event));
  } else {
    event = free_.back();
    free_.pop_back();
  }
  return event;
}

void EventPool::give_back(cudaEvent_t event) {
  if (event != nullptr) free_.push_back(event);
}

FindingPool::~FindingPool() {
  for (std::int64_t* page : pages_) log_cuda(cudaFreeHost(page), "pinned memory");
}

std::int64_t* FindingPool::take() {
  if (free_.empty()) {
    void* page = nullptr;
    PENSTOCK_CUDA_TRY(cudaHostAlloc(&page, at_once * sizeof(std::int64_t), cudaHostAllocDefault));
    pages_.push_back(static_cast<std::int64_t*>(page));
    for (std::size_t i = 0; i < at_once; ++i) free_.push_back(pages_.back() + i);
  }
  std::int64_t* const finding = free_.back();
  free_.pop_back();
  return finding;
}

void FindingPool::give_back(std::int64_t* finding) {
  if (finding != nullptr) free_.push_back(finding);
}

GpuMemory::GpuMemory(std::size_t bytes) : bytes_(bytes) {
  if (bytes > 0) PENSTOCK_CUDA_TRY(cudaMalloc(&data_, bytes));
}

GpuMemory::~GpuMemory() { log_cuda(cudaFree(data_), "a GPU's memory"); }

}  // namespace penstock::device
