// The GPU as a device, on emulated GPUs. Each test is a process of its own, as settings of the emulator are read once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <penstock/error.hpp>

#include "core/parameters.hpp"
#include "device/cuda/loader.hpp"
#include "device/recorder.hpp"
#include "device/work_batch.hpp"

/// AddressSanitizer's: its search for leaks falls over the thread-local memory of libraries that were opened at run
/// time.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }

namespace penstock::device {
namespace {

using testing::HasSubstr;

KernelDescription named_gemm() {
  KernelDescription kernel;
  kernel.name = "gemm";
  return kernel;
}

/// A product of square matrices, each of one value, for a number of results.
class Products {
 public:
  static constexpr std::int64_t n = 24;

  explicit Products(std::size_t count, double beta = 0)
      : kernel_(named_gemm()), work_(kernel_, count), a_(n * n, 2), b_(n * n, 3), c_(count), views_(count) {
    const std::vector<Parameter> parameters{false, false, 1.0, beta};
    core::encode_parameters(parameters, encoded_);
    for (std::size_t i = 0; i < count; ++i) {
      c_[i].assign(n * n, 1);
      views_[i] = {view(a_), view(b_), view(c_[i])};
      work_[i].arrays = views_[i];
      work_[i].parameters = encoded_;
    }
  }
  [[nodiscard]] const KernelDescription& kernel() const { return kernel_; }
  [[nodiscard]] WorkBatch& work() { return work_; }
  [[nodiscard]] const std::vector<float>& result(std::size_t i) const { return c_[i]; }
  /// Product i adds to what product 0 writes.
  void accumulate_in_first(std::size_t i) {
    views_[i][2] = view(c_[0]);
    work_[i].arrays = views_[i];
  }
  static std::vector<float> all(double value) {
    return std::vector<float>(static_cast<std::size_t>(n * n), static_cast<float>(value));
  }

 private:
  static ArrayView view(std::vector<float>& values) {
    return {reinterpret_cast<std::byte*>(values.data()), {DType::f32, Shape{n, n}}};
  }

  KernelDescription kernel_;
  WorkBatch work_;
  std::vector<float> a_;
  std::vector<float> b_;
  std::vector<std::vector<float>> c_;
  std::vector<std::vector<ArrayView>> views_;
  std::vector<std::byte> encoded_;
};

class GpuDevice : public testing::Test {
 protected:
  /// The GPUs of a machine with such a setting.
  static CudaGpus find(const char* setting = nullptr, const char* value = nullptr) {
    if (setting != nullptr) setenv(setting, value, 1);
    CudaGpus gpus = CudaGpus::load(PENSTOCK_CUDA_MODULE);
    EXPECT_EQ(gpus.why_none(), "");
    return gpus;
  }
  /// What became of the pieces of work, in the order in which it was told.
  std::vector<std::string> messages() const {
    std::vector<std::string> all;
    for (const Completion& completion : recorder_.completions()) all.push_back(completion.message);
    return all;
  }

  Recorder recorder_;
};

constexpr double product = 2 * 3 * Products::n;

TEST_F(GpuDevice, TellsWhatItIs) {
  const CudaGpus gpus = find("PENSTOCK_EMULATED_MEMORY", "67108864");

  ASSERT_EQ(gpus.gpus().size(), 1U);
  EXPECT_EQ(gpus.gpus()[0].name, "Emulated GPU 0");
  EXPECT_EQ(gpus.gpus()[0].uuid, "GPU-e0e0e0e0-0000-4000-8000-000000000000");
  EXPECT_EQ(gpus.gpus()[0].memory_bytes, 67108864);
}

TEST_F(GpuDevice, MultipliesManyAtATime) {
  constexpr std::size_t count = 300;
  const CudaGpus gpus = find();
  Products products(count);
  auto device = gpus.open(0, recorder_);
  ASSERT_TRUE(device->can_run(products.kernel()));

  for (std::size_t first = 0; first < count; first += 50) device->start(products.work().part(first, 50));
  ASSERT_TRUE(recorder_.wait_for(*device, count));

  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(products.result(i), Products::all(product)) << i;
}

TEST_F(GpuDevice, OrdersByTokensWithoutTheHost) {
  constexpr std::size_t count = 40;
  const CudaGpus gpus = find("PENSTOCK_EMULATED_KERNEL_NS", "200000");
  Products products(count, 1);
  auto device = gpus.open(0, recorder_);
  Token before = device->start(products.work().one(0));
  for (std::size_t i = 1; i < count; ++i) {
    products.accumulate_in_first(i);
    before = device->start(products.work().one(i), std::span(&before, 1));
  }
  ASSERT_TRUE(recorder_.wait_for(*device, count));

  EXPECT_EQ(products.result(0), Products::all(1 + count * product));
}

TEST_F(GpuDevice, EndsWhatWasStartedWhenItGoes) {
  const CudaGpus gpus = find("PENSTOCK_EMULATED_KERNEL_NS", "1000000");
  Products products(20);
  auto device = gpus.open(0, recorder_);

  device->start(products.work().all());
  device.reset();

  EXPECT_EQ(messages(), std::vector<std::string>(20));
  EXPECT_EQ(products.result(19), Products::all(product));
}

TEST_F(GpuDevice, GoesOnAfterACallThatFailed) {
  const CudaGpus gpus = find("PENSTOCK_EMULATED_FAULT", "gemm:3:1");
  Products products(6);
  auto device = gpus.open(0, recorder_);

  device->start(products.work().all());
  ASSERT_TRUE(recorder_.wait_for(*device, 6));

  const std::vector<std::string> told = messages();
  for (std::size_t i = 0; i < told.size(); ++i) {
    if (i == 2)
      EXPECT_THAT(told[i], HasSubstr("CUBLAS_STATUS_EXECUTION_FAILED"));
    else
      EXPECT_EQ(told[i], "") << i;
  }
  EXPECT_TRUE(device->can_run(products.kernel()));
}

TEST_F(GpuDevice, IsNotUsedAfterItsContextBroke) {
  const CudaGpus gpus = find("PENSTOCK_EMULATED_FAULT", "kernel:3:700");
  Products products(6);
  auto device = gpus.open(0, recorder_);

  for (std::size_t i = 0; i < 6; ++i) {
    device->start(products.work().one(i));
    ASSERT_TRUE(recorder_.wait_for(*device, i + 1));
  }

  const std::vector<std::string> told = messages();
  EXPECT_EQ(told[1], "");
  for (std::size_t i = 2; i < 6; ++i) EXPECT_NE(told[i], "") << i;
  EXPECT_THAT(told[2], HasSubstr("cudaErrorIllegalAddress"));
  EXPECT_FALSE(device->can_run(products.kernel()));
}

TEST_F(GpuDevice, SaysWhyItCannotBeOpened) {
  const CudaGpus gpus = find("PENSTOCK_EMULATED_FAULT", "cudaStreamCreateWithFlags:1:2");
  try {
    static_cast<void>(gpus.open(0, recorder_));
    FAIL() << "it was opened";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("cudaErrorMemoryAllocation"));
  }
}

}  // namespace
}  // namespace penstock::device
