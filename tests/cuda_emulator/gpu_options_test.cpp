// What a program's options say of GPUs, as its tasks on an emulated GPU find it.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>

#include <penstock/penstock.hpp>

#include "support/sanitizers.hpp"

/// AddressSanitizer's: its search for leaks falls over the thread-local memory of libraries that were opened at run
/// time.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }

namespace penstock::tests {
namespace {

constexpr std::int64_t n = 64;

/// Where the result of a product is in host memory: what CUDA says of it.
cudaMemoryType memory_of_result(const Options& options) {
  Runtime runtime(options);
  const auto a = runtime.array<float>({n, n}, uniform(1));
  const auto c = runtime.array<float>({n, n});
  runtime.submit(gemm, read(a), read(a), write(c));
  const auto view = runtime.read(c);
  cudaPointerAttributes attributes{};
  EXPECT_EQ(cudaPointerGetAttributes(&attributes, view.data()), cudaSuccess);
  return attributes.type;
}

TEST(GpuOptions, HostMemoryIsPinnedWhereNothingIsSaid) {
  EXPECT_EQ(memory_of_result({.use_cpu = false}), cudaMemoryTypeHost);
}

TEST(GpuOptions, HostMemoryIsPinnedWhereItJustMayBe) {
  EXPECT_EQ(memory_of_result({.use_cpu = false, .pinned_bytes = n * n * 4}), cudaMemoryTypeHost);
}

TEST(GpuOptions, HostMemoryIsNotPinnedBeyondItsBound) {
  EXPECT_EQ(memory_of_result({.use_cpu = false, .pinned_bytes = n * n * 4 - 1}), cudaMemoryTypeUnregistered);
}

TEST(GpuOptions, HostMemoryIsNotPinnedWhereNoneMayBe) {
  EXPECT_EQ(memory_of_result({.use_cpu = false, .pinned_bytes = 0}), cudaMemoryTypeUnregistered);
}

/// A GPU that is there but cannot be opened tells whether somebody tried.
TEST(GpuOptions, GpusAreLeftAloneWhereOnlyCoresMayBeUsed) {
#ifdef PENSTOCK_THREAD_SANITIZER
  GTEST_SKIP() << "OpenMP's threads go from one runtime to the next in an order that it is not told of";
#endif
  setenv("PENSTOCK_EMULATED_FAULT", "cudaStreamCreateWithFlags:1:2,cudaStreamCreateWithFlags:2:2", 1);
  const auto said = [](const Options& options) {
    testing::internal::CaptureStderr();
    static_cast<void>(memory_of_result(options));
    return testing::internal::GetCapturedStderr();
  };

  EXPECT_NE(said({}).find("is not used"), std::string::npos);
  EXPECT_EQ(said({.use_cuda = false}), "");
  EXPECT_THROW(static_cast<void>(memory_of_result({.use_cpu = false})), Error);
}

}  // namespace
}  // namespace penstock::tests
