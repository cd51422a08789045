/// Owners of what CUDA hands out. Each is made, used and destroyed while its GPU is the calling thread's current
/// device; destructors print what fails and never throw.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
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

/// Events without timing, reused. One thread at a time.
class EventPool {
 public:
  EventPool() = default;
  ~EventPool();
  EventPool(const EventPool&) = delete;
  EventPool& operator=(const EventPool&) = delete;
  [[nodiscard]] cudaEvent_t take();
  void give_back(cudaEvent_t event) { free_.push_back(event); }

 private:
  std::vector<cudaEvent_t> free_;
};

/// A fixed number of device buffers that all work of one stream shares: each grows to the largest size asked for. The
/// stream's order makes that sound, as one work's copies out end before the next one's copies in begin.
class DeviceBuffers {
 public:
  static constexpr std::size_t count = 3;

  explicit DeviceBuffers(const CudaStream& stream) : stream_(stream) {}
  ~DeviceBuffers() { release(); }
  DeviceBuffers(const DeviceBuffers&) = delete;
  DeviceBuffers& operator=(const DeviceBuffers&) = delete;

  /// One buffer for each size. Waits for the stream when one has to grow. Throws Error (environment) when the GPU has
  /// not that much memory, even with the others given back; all buffers are empty then.
  std::array<void*, count> reserve(std::span<const std::size_t, count> bytes);

 private:
  bool grow(std::span<const std::size_t, count> bytes);
  void release();

  const CudaStream& stream_;
  std::array<void*, count> data_{};
  std::array<std::size_t, count> bytes_{};
};

}  // namespace penstock::device
