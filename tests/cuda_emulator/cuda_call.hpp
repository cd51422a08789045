/// Calls of one kernel's body for GPUs, as a device would make them: arrays go to GPU memory and come back.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <list>
#include <stdexcept>
#include <string>
#include <vector>

#include "device/cuda/cuda_error.hpp"
#include "device/cuda/kernels/bodies.hpp"
#include "kernels/arguments.hpp"
#include "kernels/kernel_call.hpp"

namespace penstock::device {

/// The first GPU, for one thread.
class CudaCalls {
 public:
  CudaCalls() {
    PENSTOCK_CUDA_TRY(cudaSetDevice(0));
    PENSTOCK_CUDA_TRY(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    PENSTOCK_CUBLAS_TRY(cublasCreate(&cublas_));
    PENSTOCK_CUBLAS_TRY(cublasSetStream(cublas_, stream_));
    PENSTOCK_CUDA_TRY(cudaMalloc(reinterpret_cast<void**>(&scratch_), scratch_bytes));
  }
  ~CudaCalls() {
    cudaFree(scratch_);
    cublasDestroy(cublas_);
    cudaStreamDestroy(stream_);
  }
  CudaCalls(const CudaCalls&) = delete;
  CudaCalls& operator=(const CudaCalls&) = delete;

  /// Changes the arrays as the body does. Returns the verdict. Throws std::runtime_error for a write outside of them.
  std::string call(const KernelDescription& kernel, std::initializer_list<kernels::HostArray*> arrays,
                   const kernels::Named& named = {}) {
    std::vector<Parameter> parameters;
    kernels::resolve_parameters(kernel, named, {}, parameters);
    std::list<OnGpu> on_gpu;
    std::vector<ArrayView> views;
    for (kernels::HostArray* const array : arrays) {
      const OnGpu& last = on_gpu.emplace_back(array->view(), stream_);
      views.push_back({last.data(), array->type()});
    }
    find_cuda_body(kernel.name)({.arrays = views,
                                 .parameters = parameters,
                                 .stream = stream_,
                                 .cublas = cublas_,
                                 .scratch = scratch_,
                                 .scratch_bytes = scratch_bytes});
    for (OnGpu& array : on_gpu) array.bring_back(stream_);
    return verdict_of(kernel);
  }

 private:
  static constexpr std::size_t scratch_bytes = std::size_t{1} << 20;

  /// An array in GPU memory with a margin around it, which nobody may touch.
  class OnGpu {
   public:
    OnGpu(const ArrayView& host, cudaStream_t stream)
        : host_(host), bytes_(static_cast<std::size_t>(host.type.bytes())), image_(bytes_ + 2 * margin, pattern) {
      if (bytes_ > 0) std::memcpy(image_.data() + margin, host.data, bytes_);
      PENSTOCK_CUDA_TRY(cudaMalloc(reinterpret_cast<void**>(&memory_), image_.size()));
      PENSTOCK_CUDA_TRY(cudaMemcpyAsync(memory_, image_.data(), image_.size(), cudaMemcpyHostToDevice, stream));
    }
    ~OnGpu() { cudaFree(memory_); }
    OnGpu(const OnGpu&) = delete;
    OnGpu& operator=(const OnGpu&) = delete;
    [[nodiscard]] std::byte* data() const { return memory_ + margin; }
    void bring_back(cudaStream_t stream) {
      PENSTOCK_CUDA_TRY(cudaMemcpyAsync(image_.data(), memory_, image_.size(), cudaMemcpyDeviceToHost, stream));
      PENSTOCK_CUDA_TRY(cudaStreamSynchronize(stream));
      for (std::size_t i = 0; i < margin; ++i) {
        const bool is_whole = image_[i] == pattern && image_[margin + bytes_ + i] == pattern;
        if (!is_whole) throw std::runtime_error("a body wrote outside of an array");
      }
      if (bytes_ > 0) std::memcpy(host_.data, image_.data() + margin, bytes_);
    }

   private:
    static constexpr std::size_t margin = 512;
    static constexpr std::byte pattern{0xA5};
    ArrayView host_;
    std::size_t bytes_;
    std::vector<std::byte> image_;
    std::byte* memory_ = nullptr;
  };

  std::string verdict_of(const KernelDescription& kernel) {
    const CudaVerdict verdict = find_cuda_verdict(kernel.name);
    if (verdict == nullptr) return {};
    std::int64_t finding = 0;
    PENSTOCK_CUDA_TRY(cudaMemcpyAsync(&finding, scratch_, sizeof(finding), cudaMemcpyDeviceToHost, stream_));
    PENSTOCK_CUDA_TRY(cudaStreamSynchronize(stream_));
    return verdict(finding);
  }

  cudaStream_t stream_ = nullptr;
  cublasHandle_t cublas_ = nullptr;
  std::byte* scratch_ = nullptr;
};

}  // namespace penstock::device
