// Kernels made by nvcc, on the emulator and on a GPU.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <vector>

#include "cuda_emulator/sample_kernels.hpp"

namespace penstock::emulator {
namespace {

constexpr int count = 64 * 40;
constexpr std::size_t bytes = count * sizeof(float);

class CudaKernels : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&values_), bytes), cudaSuccess);
    ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&sums_), bytes), cudaSuccess);
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess);
    std::vector<float> numbers(count);
    for (int i = 0; i < count; ++i) numbers[static_cast<std::size_t>(i)] = static_cast<float>(i % 7);
    ASSERT_EQ(cudaMemcpy(values_, numbers.data(), bytes, cudaMemcpyHostToDevice), cudaSuccess);
  }
  void TearDown() override {
    EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess);
    EXPECT_EQ(cudaFree(sums_), cudaSuccess);
    EXPECT_EQ(cudaFree(values_), cudaSuccess);
  }
  std::vector<float> fetch(const float* from) {
    std::vector<float> numbers(count);
    EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(numbers.data(), from, bytes, cudaMemcpyDeviceToHost), cudaSuccess);
    return numbers;
  }

  float* values_ = nullptr;
  float* sums_ = nullptr;
  cudaStream_t stream_ = nullptr;
};

TEST_F(CudaKernels, RunEachThreadOnce) {
  launch_scale(values_, 3, count, stream_);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);

  const std::vector<float> numbers = fetch(values_);
  for (int i = 0; i < count; ++i) ASSERT_EQ(numbers[static_cast<std::size_t>(i)], 3 * static_cast<float>(i % 7)) << i;
}

TEST_F(CudaKernels, ShareMemoryInABlockAndWaitForEachOther) {
  launch_sums(values_, sums_, count / 64, stream_);

  const std::vector<float> sums = fetch(sums_);
  for (int block = 0; block < count / 64; ++block) {
    float expected = 0;
    for (int i = 64 * block; i < 64 * (block + 1); ++i) expected += static_cast<float>(i % 7);
    ASSERT_EQ(sums[static_cast<std::size_t>(block)], expected) << block;
  }
}

TEST_F(CudaKernels, ComeInTheOrderOfTheirStream) {
  launch_scale(values_, 2, count, stream_);
  launch_scale(values_, 5, count, stream_);
  launch_sums(values_, sums_, count / 64, stream_);

  EXPECT_EQ(fetch(sums_)[0], 10 * (9 * 21 + 0));
}

TEST_F(CudaKernels, AreRefusedWithTooManyThreads) {
  launch_scale(values_, 2, 0, stream_);  // no block
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
}

TEST_F(CudaKernels, AreOfTheCurrentDevice) {
  int gpus = 0;
  ASSERT_EQ(cudaGetDeviceCount(&gpus), cudaSuccess);
  if (gpus < 2) GTEST_SKIP() << "there is one GPU";
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  launch_scale(values_, 2, count, stream_);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidResourceHandle);
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
}

}  // namespace
}  // namespace penstock::emulator
