/// Owners of what CUDA hands out. Each is made, used and destroyed while its GPU is the calling thread's current
/// device; destructors print what fails and never throw.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace penstock::device {

/// A stream that does not wait for the default stream, nor the default stream for it.
class CudaStream {
 public:
  CudaStream();
  ~CudaStream();
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;
  [[nodiscard]] cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// A cuBLAS handle for one stream. One thread at a time.
class CublasHandle {
 public:
  explicit CublasHandle(const CudaStream& stream);
  ~CublasHandle();
  CublasHandle(const CublasHandle&) = delete;
  CublasHandle& operator=(const CublasHandle&) = delete;
  [[nodiscard]] cublasHandle_t get() const { return handle_; }

 private:
  cublasHandle_t handle_ = nullptr;
};

/// Events with times, reused. One thread at a time.
class EventPool {
 public:
  EventPool() = default;
  ~EventPool();
  EventPool(const EventPool&) = delete;
  EventPool& operator=(const EventPool&) = delete;
  [[nodiscard]] cudaEvent_t take();
  /// Null is none.
  void give_back(cudaEvent_t event);

 private:
  std::vector<cudaEvent_t> free_;
};

/// Numbers in host memory that work on a GPU writes, reused. One thread at a time.
class FindingPool {
 public:
  FindingPool() = default;
  ~FindingPool();
  FindingPool(const FindingPool&) = delete;
  FindingPool& operator=(const FindingPool&) = delete;
  [[nodiscard]] std::int64_t* take();
  /// Null is none.
  void give_back(std::int64_t* finding);

 private:
  static constexpr std::size_t at_once = 512;
  std::vector<std::int64_t*> pages_;
  std::vector<std::int64_t*> free_;
};

/// Memory of the GPU.
class GpuMemory {
 public:
  /// Throws Error (environment) when there is not so much.
  explicit GpuMemory(std::size_t bytes);
  ~GpuMemory();
  GpuMemory(const GpuMemory&) = delete;
  GpuMemory& operator=(const GpuMemory&) = delete;
  [[nodiscard]] std::span<std::byte> bytes() const { return {static_cast<std::byte*>(data_), bytes_}; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace penstock::device
