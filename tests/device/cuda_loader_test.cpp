#include "device/cuda/loader.hpp"

#include <gmock/gmock.h>

#include <penstock/error.hpp>

#include "device/recorder.hpp"
#include "device/work_batch.hpp"

namespace penstock::device {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

struct NoTransfers final : TransferEnds {
  void prepare(Transfer& /*transfer*/) override {}
  void transferred(std::span<TransferEnd> /*ends*/) override {}
};

TEST(CudaGpus, AreNoneAndSayWhyInOneLineOrAreThere) {
  const CudaGpus found = CudaGpus::find();

  EXPECT_EQ(found.gpus().empty(), !found.why_none().empty());
  EXPECT_THAT(found.why_none(), Not(HasSubstr("\n")));
}

TEST(CudaGpus, AreHiddenByAnEmptyListOfVisibleDevices) {
  EXPECT_EQ(why_hidden(""), "no GPU: CUDA_VISIBLE_DEVICES is empty");
  EXPECT_EQ(why_hidden("-1"), "no GPU: CUDA_VISIBLE_DEVICES is -1");
  EXPECT_EQ(why_hidden("0,1"), "");
  EXPECT_EQ(why_hidden(nullptr), "");
}

TEST(CudaGpus, ComeFromAModuleOfTheRightVersion) {
  const CudaGpus found = CudaGpus::load(FAKE_CUDA_GOOD);

  ASSERT_THAT(found.gpus(), SizeIs(2));
  EXPECT_EQ(found.gpus()[0].name, "Fake A");
  EXPECT_EQ(found.gpus()[1].memory_bytes, 1 << 20);
  EXPECT_EQ(found.why_none(), "");
}

TEST(CudaGpus, OpenADeviceThatWorksAcrossTheModuleBoundary) {
  Recorder recorder;
  KernelDescription gemm;
  gemm.name = "gemm";
  WorkBatch work(gemm, 3);
  NoTransfers transfers;
  const CudaGpus found = CudaGpus::load(FAKE_CUDA_GOOD);

  const std::unique_ptr<Device> device = found.open({.index = 0}, recorder, transfers);

  EXPECT_EQ(device->kind(), DeviceKind::cuda);
  EXPECT_TRUE(device->can_run(gemm));
  EXPECT_EQ(device->start(work.all()).point, 3U);
}

TEST(CudaGpus, SayWhyADeviceCannotBeOpened) {
  Recorder recorder;
  NoTransfers transfers;
  const CudaGpus found = CudaGpus::load(FAKE_CUDA_GOOD);

  try {
    static_cast<void>(found.open({.index = 1}, recorder, transfers));
    FAIL() << "opened a GPU that is out of memory";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::environment);
    EXPECT_STREQ(error.what(), "GPU 1: cudaErrorMemoryAllocation: out of memory");
  }
}

TEST(CudaGpus, RefuseAnIndexOutOfRange) {
  Recorder recorder;
  NoTransfers transfers;
  const CudaGpus found = CudaGpus::load(FAKE_CUDA_GOOD);

  EXPECT_THROW(static_cast<void>(found.open({.index = 2}, recorder, transfers)), Error);
  EXPECT_THROW(static_cast<void>(found.open({.index = -1}, recorder, transfers)), Error);
}

TEST(CudaGpus, DoNotUseAModuleOfAnotherVersion) {
  const CudaGpus found = CudaGpus::load(FAKE_CUDA_OLD);

  EXPECT_THAT(found.gpus(), IsEmpty());
  EXPECT_THAT(found.why_none(), HasSubstr("has interface version 6, this program needs version 5"));
}

TEST(CudaGpus, PassOnTheReasonOfTheModuleOrGiveOne) {
  const CudaGpus with_reason = CudaGpus::load(FAKE_CUDA_EMPTY);
  const CudaGpus without = CudaGpus::load(FAKE_CUDA_EMPTY);

  EXPECT_THAT(with_reason.why_none(), HasSubstr("cudaErrorInsufficientDriver"));
  EXPECT_EQ(without.why_none(), "no GPU: CUDA sees none");
}

TEST(CudaGpus, DoNotTakeAnotherLibraryForAModule) {
  EXPECT_THAT(CudaGpus::load(FAKE_CUDA_FOREIGN).why_none(), HasSubstr("is no CUDA module of penstock"));
}

TEST(CudaGpus, SayWhyAModuleCannotBeLoaded) {
  const CudaGpus found = CudaGpus::load("/nowhere/libpenstock_cuda.so");

  EXPECT_THAT(found.why_none(), StartsWith("no GPU: the CUDA module cannot be loaded: "));
  EXPECT_THAT(found.why_none(), Not(HasSubstr("\n")));
}

}  // namespace
}  // namespace penstock::device
