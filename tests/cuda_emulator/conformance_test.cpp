// What CUDA does that a program has to reckon with: the same on the emulator and on a GPU. What only the emulator can
// show is skipped on a GPU.
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t count = 1024;
constexpr std::size_t bytes = count * sizeof(float);

#define ASSERT_CUDA(call) ASSERT_EQ((call), cudaSuccess)
#define EXPECT_CUDA(call) EXPECT_EQ((call), cudaSuccess)

bool is_emulated() {
  cudaDeviceProp properties{};
  return cudaGetDeviceProperties(&properties, 0) == cudaSuccess &&
         std::string_view(properties.name).starts_with("Emulated");
}

int gpus() {
  int number = 0;
  EXPECT_CUDA(cudaGetDeviceCount(&number));
  return number;
}

/// Holds a stream until it is opened, on any GPU: by a host function.
class Gate {
 public:
  void hold(cudaStream_t stream) { EXPECT_CUDA(cudaLaunchHostFunc(stream, &Gate::wait, this)); }
  void await() const { begun_.wait(false); }
  void open() {
    open_ = true;
    open_.notify_all();
  }

 private:
  static void wait(void* gate) {
    auto& self = *static_cast<Gate*>(gate);
    self.begun_ = true;
    self.begun_.notify_all();
    self.open_.wait(false);
  }

  std::atomic<bool> begun_{false};
  std::atomic<bool> open_{false};
};

/// A GPU's buffer and a pinned one of the host, and two streams that do not wait for the default one.
class Cuda : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_CUDA(cudaSetDevice(0));
    ASSERT_CUDA(cudaMalloc(reinterpret_cast<void**>(&device_), bytes));
    ASSERT_CUDA(cudaMallocHost(reinterpret_cast<void**>(&host_), bytes));
    ASSERT_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    ASSERT_CUDA(cudaStreamCreateWithFlags(&other_, cudaStreamNonBlocking));
  }
  void TearDown() override {
    EXPECT_CUDA(cudaSetDevice(0));
    EXPECT_CUDA(cudaStreamDestroy(stream_));
    EXPECT_CUDA(cudaStreamDestroy(other_));
    EXPECT_CUDA(cudaFreeHost(host_));
    EXPECT_CUDA(cudaFree(device_));
    EXPECT_CUDA(cudaGetLastError());
  }
  void fill_host(float value) { std::fill(host_, host_ + count, value); }
  /// What the GPU's buffer holds once `stream` has come so far.
  float on_device(cudaStream_t stream) {
    EXPECT_CUDA(cudaStreamSynchronize(stream));
    std::vector<float> values(count);
    EXPECT_CUDA(cudaMemcpy(values.data(), device_, bytes, cudaMemcpyDeviceToHost));
    return values.front();
  }

  float* device_ = nullptr;
  float* host_ = nullptr;
  cudaStream_t stream_ = nullptr;
  cudaStream_t other_ = nullptr;
};

TEST_F(Cuda, ACopyReadsItsSourceWhenItRuns) {
  Gate gate;
  fill_host(1);
  gate.hold(stream_);
  EXPECT_CUDA(cudaMemcpyAsync(device_, host_, bytes, cudaMemcpyHostToDevice, stream_));
  gate.await();

  fill_host(2);
  gate.open();

  EXPECT_EQ(on_device(stream_), 2);
}

TEST_F(Cuda, AStreamRunsInOrderAndAnotherBesideIt) {
  Gate gate;
  gate.hold(stream_);
  EXPECT_CUDA(cudaMemsetAsync(device_, 0, bytes, other_));

  EXPECT_CUDA(cudaStreamSynchronize(other_));
  EXPECT_EQ(cudaStreamQuery(stream_), cudaErrorNotReady);
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotReady);
  gate.open();
  EXPECT_EQ(on_device(stream_), 0);
}

TEST_F(Cuda, AnEventOrdersTwoStreams) {
  Gate gate;
  cudaEvent_t event = nullptr;
  ASSERT_CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  EXPECT_CUDA(cudaEventQuery(event));  // never recorded
  fill_host(3);
  gate.hold(stream_);
  EXPECT_CUDA(cudaMemcpyAsync(device_, host_, bytes, cudaMemcpyHostToDevice, stream_));
  EXPECT_CUDA(cudaEventRecord(event, stream_));
  EXPECT_CUDA(cudaStreamWaitEvent(other_, event, 0));
  EXPECT_CUDA(cudaMemsetAsync(device_, 0, bytes, other_));

  EXPECT_EQ(cudaEventQuery(event), cudaErrorNotReady);
  EXPECT_EQ(cudaStreamQuery(other_), cudaErrorNotReady);
  gate.open();
  EXPECT_EQ(on_device(other_), 0);
  EXPECT_CUDA(cudaEventSynchronize(event));
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotReady);
  EXPECT_CUDA(cudaEventDestroy(event));
}

TEST_F(Cuda, NotReadyStaysTheLastErrorAfterSuccess) {
  Gate gate;
  gate.hold(stream_);
  EXPECT_EQ(cudaStreamQuery(stream_), cudaErrorNotReady);
  gate.open();

  EXPECT_CUDA(cudaStreamSynchronize(stream_));
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorNotReady);
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotReady);
  EXPECT_CUDA(cudaGetLastError());
}

TEST_F(Cuda, APageableCopyBlocksTheCaller) {
  Gate gate;
  std::vector<float> pageable(count);
  std::atomic<bool> returned{false};
  EXPECT_CUDA(cudaMemsetAsync(device_, 0, bytes, stream_));
  gate.hold(stream_);
  std::thread caller([&] {
    EXPECT_CUDA(cudaMemcpyAsync(pageable.data(), device_, bytes, cudaMemcpyDeviceToHost, stream_));
    returned = true;
  });
  gate.await();

  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // it could not be told that it has not returned
  EXPECT_FALSE(returned);
  gate.open();
  caller.join();
}

TEST_F(Cuda, APinnedCopyDoesNot) {
  Gate gate;
  EXPECT_CUDA(cudaMemsetAsync(device_, 0, bytes, stream_));
  gate.hold(stream_);

  EXPECT_CUDA(cudaMemcpyAsync(host_, device_, bytes, cudaMemcpyDeviceToHost, stream_));
  EXPECT_EQ(cudaStreamQuery(stream_), cudaErrorNotReady);
  gate.open();

  EXPECT_CUDA(cudaStreamSynchronize(stream_));
  EXPECT_EQ(host_[0], 0);
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotReady);
}

TEST_F(Cuda, RegisteredMemoryIsPinned) {
  std::vector<float> memory(count, 4);
  Gate gate;
  ASSERT_CUDA(cudaHostRegister(memory.data(), bytes, cudaHostRegisterDefault));
  EXPECT_EQ(cudaHostRegister(memory.data(), bytes, cudaHostRegisterDefault), cudaErrorHostMemoryAlreadyRegistered);
  EXPECT_EQ(cudaGetLastError(), cudaErrorHostMemoryAlreadyRegistered);
  gate.hold(stream_);
  EXPECT_CUDA(cudaMemcpyAsync(device_, memory.data(), bytes, cudaMemcpyHostToDevice, stream_));
  gate.open();
  EXPECT_EQ(on_device(stream_), 4);
  EXPECT_CUDA(cudaHostUnregister(memory.data()));
}

TEST_F(Cuda, TheDefaultStreamWaitsForThoseThatBlockAndTheyForIt) {
  Gate gate;
  cudaStream_t blocking = nullptr;
  ASSERT_CUDA(cudaStreamCreate(&blocking));
  gate.hold(blocking);
  EXPECT_CUDA(cudaMemsetAsync(device_, 0, bytes, nullptr));
  EXPECT_CUDA(cudaMemsetAsync(device_, 1, bytes, blocking));

  EXPECT_CUDA(cudaStreamSynchronize(stream_));  // it does not block
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorNotReady);
  EXPECT_EQ(cudaStreamQuery(blocking), cudaErrorNotReady);
  gate.open();
  EXPECT_CUDA(cudaStreamSynchronize(blocking));
  EXPECT_CUDA(cudaStreamQuery(nullptr));
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotReady);
  EXPECT_CUDA(cudaStreamDestroy(blocking));
}

TEST_F(Cuda, FreeingWaitsForTheDevice) {
  void* more = nullptr;
  void* pinned = nullptr;
  ASSERT_CUDA(cudaMalloc(&more, bytes));
  ASSERT_CUDA(cudaMallocHost(&pinned, bytes));
  Gate gate;
  std::atomic<int> returned{0};
  gate.hold(stream_);
  gate.await();
  std::thread first([&] {
    EXPECT_CUDA(cudaFree(more));
    ++returned;
  });
  std::thread second([&] {
    EXPECT_CUDA(cudaFreeHost(pinned));
    ++returned;
  });

  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // as above
  EXPECT_EQ(returned, 0);
  gate.open();
  first.join();
  second.join();
}

TEST_F(Cuda, AHostFunctionMayNotCallCuda) {
  cudaError_t answer = cudaSuccess;
  const auto asks = [](void* to) {
    void* memory = nullptr;
    *static_cast<cudaError_t*>(to) = cudaMalloc(&memory, bytes);
  };

  EXPECT_CUDA(cudaLaunchHostFunc(stream_, asks, &answer));
  EXPECT_CUDA(cudaStreamSynchronize(stream_));

  EXPECT_EQ(answer, cudaErrorNotPermitted);
}

TEST_F(Cuda, EachThreadHasADeviceOfItsOwn) {
  if (gpus() < 2) GTEST_SKIP() << "there is one GPU";
  ASSERT_CUDA(cudaSetDevice(1));
  int in_another = -1;
  std::thread([&] { EXPECT_CUDA(cudaGetDevice(&in_another)); }).join();
  int here = -1;
  EXPECT_CUDA(cudaGetDevice(&here));

  EXPECT_EQ(in_another, 0);
  EXPECT_EQ(here, 1);
}

TEST_F(Cuda, AnEventIsOfOneDevice) {
  if (gpus() < 2) GTEST_SKIP() << "there is one GPU";
  ASSERT_CUDA(cudaSetDevice(1));
  cudaEvent_t event = nullptr;
  ASSERT_CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));

  EXPECT_EQ(cudaEventRecord(event, stream_), cudaErrorInvalidResourceHandle);

  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidResourceHandle);
  EXPECT_CUDA(cudaEventDestroy(event));
}

TEST_F(Cuda, MemoryRunsOutAndComesBack) {
  std::size_t free = 0;
  std::size_t total = 0;
  ASSERT_CUDA(cudaMemGetInfo(&free, &total));
  EXPECT_LT(free, total);
  void* most = nullptr;
  void* too_much = nullptr;
  ASSERT_CUDA(cudaMalloc(&most, free / 4 * 3));

  EXPECT_EQ(cudaMalloc(&too_much, free / 2), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_CUDA(cudaFree(most));
  EXPECT_CUDA(cudaMalloc(&too_much, free / 2));
  EXPECT_CUDA(cudaFree(too_much));
}

TEST_F(Cuda, PropertiesTellThePciBusId) {
  for (int gpu = 0; gpu < gpus(); ++gpu) {
    cudaDeviceProp properties{};
    ASSERT_CUDA(cudaGetDeviceProperties(&properties, gpu));
    std::array<char, 32> text{};
    ASSERT_CUDA(cudaDeviceGetPCIBusId(text.data(), text.size(), gpu));
    int domain = 0;
    int bus = 0;
    int device = 0;
    int function = -1;

    ASSERT_EQ(std::sscanf(text.data(), "%x:%x:%x.%x", &domain, &bus, &device, &function), 4) << text.data();

    EXPECT_EQ(domain, properties.pciDomainID);
    EXPECT_EQ(bus, properties.pciBusID);
    EXPECT_EQ(device, properties.pciDeviceID);
    EXPECT_EQ(function, 0);
  }
}

TEST_F(Cuda, PointersSayWhoseTheyAre) {
  float on_stack = 0;
  cudaPointerAttributes attributes{};
  EXPECT_CUDA(cudaPointerGetAttributes(&attributes, device_));
  EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
  EXPECT_EQ(attributes.device, 0);
  EXPECT_CUDA(cudaPointerGetAttributes(&attributes, host_));
  EXPECT_EQ(attributes.type, cudaMemoryTypeHost);
  EXPECT_CUDA(cudaPointerGetAttributes(&attributes, &on_stack));
  EXPECT_EQ(attributes.type, cudaMemoryTypeUnregistered);
}

TEST_F(Cuda, ACopyKnowsItsDirection) {
  EXPECT_EQ(cudaMemcpy(device_, host_, bytes, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  fill_host(5);
  EXPECT_CUDA(cudaMemcpy(device_, host_, bytes, cudaMemcpyDefault));
  EXPECT_EQ(on_device(stream_), 5);
}

TEST_F(Cuda, PeersCopyToEachOther) {
  if (gpus() < 2) GTEST_SKIP() << "there is one GPU";
  fill_host(6);
  EXPECT_CUDA(cudaMemcpy(device_, host_, bytes, cudaMemcpyHostToDevice));
  ASSERT_CUDA(cudaSetDevice(1));
  void* there = nullptr;
  ASSERT_CUDA(cudaMalloc(&there, bytes));

  EXPECT_CUDA(cudaMemcpyPeerAsync(there, 1, device_, 0, bytes, stream_));
  EXPECT_CUDA(cudaStreamSynchronize(stream_));
  fill_host(0);
  EXPECT_CUDA(cudaMemcpy(host_, there, bytes, cudaMemcpyDeviceToHost));

  EXPECT_EQ(host_[count - 1], 6);
  EXPECT_CUDA(cudaFree(there));
}

TEST_F(Cuda, PeerAccessIsEnabledOnceAndNotToItself) {
  int can = 1;
  EXPECT_CUDA(cudaDeviceCanAccessPeer(&can, 0, 0));
  EXPECT_EQ(can, 0);
  if (gpus() < 2) GTEST_SKIP() << "there is one GPU";
  EXPECT_EQ(cudaDeviceEnablePeerAccess(0, 0), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
  EXPECT_CUDA(cudaDeviceCanAccessPeer(&can, 0, 1));
  if (can == 0) {
    EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessUnsupported);
    EXPECT_EQ(cudaGetLastError(), cudaErrorPeerAccessUnsupported);
    return;
  }
  EXPECT_CUDA(cudaDeviceEnablePeerAccess(1, 0));
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
  EXPECT_EQ(static_cast<int>(cudaGetLastError()), 704);
}

TEST_F(Cuda, ProductsComeColumnByColumn) {
  cublasHandle_t cublas = nullptr;
  ASSERT_EQ(cublasCreate(&cublas), CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(cublasSetStream(cublas, stream_), CUBLAS_STATUS_SUCCESS);
  const float matrices[] = {1, 2, 3, 4, 5, 6, 7, 8};  // [1 3; 2 4] and [5 7; 6 8]
  EXPECT_CUDA(cudaMemcpy(device_, matrices, sizeof(matrices), cudaMemcpyHostToDevice));
  const float one = 1;
  const float zero = 0;

  EXPECT_EQ(cublasSgemm_64(cublas, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, device_, 2, device_ + 4, 2, &zero,
                           device_ + 8, 2),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_CUDA(cudaMemcpyAsync(host_, device_ + 8, 4 * sizeof(float), cudaMemcpyDeviceToHost, stream_));
  EXPECT_CUDA(cudaStreamSynchronize(stream_));

  EXPECT_EQ(std::vector<float>(host_, host_ + 4), (std::vector<float>{23, 34, 31, 46}));
  EXPECT_EQ(cublasDestroy(cublas), CUBLAS_STATUS_SUCCESS);
}

/// Whoever sets the stream gives the workspace up: it is not touched from then on.
TEST_F(Cuda, SettingTheStreamOfAHandleDropsItsWorkspace) {
  constexpr std::size_t workspace_bytes = 8192;
  cublasHandle_t cublas = nullptr;
  void* workspace = nullptr;
  std::vector<unsigned char> found(workspace_bytes);
  const float one = 1;
  ASSERT_EQ(cublasCreate(&cublas), CUBLAS_STATUS_SUCCESS);
  ASSERT_CUDA(cudaMalloc(&workspace, workspace_bytes));
  ASSERT_CUDA(cudaMemset(workspace, 7, workspace_bytes));
  ASSERT_CUDA(cudaMemset(device_, 0, 3 * 64 * sizeof(float)));
  const auto multiply = [&] {
    ASSERT_EQ(cublasSgemm_64(cublas, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &one, device_, 8, device_ + 64, 8, &one,
                             device_ + 128, 8),
              CUBLAS_STATUS_SUCCESS);
    EXPECT_CUDA(cudaStreamSynchronize(stream_));
    EXPECT_CUDA(cudaMemcpy(found.data(), workspace, workspace_bytes, cudaMemcpyDeviceToHost));
  };

  EXPECT_EQ(cublasSetWorkspace(cublas, static_cast<char*>(workspace) + 1, 1024), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasSetWorkspace(cublas, workspace, workspace_bytes), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasSetStream(cublas, stream_), CUBLAS_STATUS_SUCCESS);
  multiply();
  EXPECT_EQ(found, std::vector<unsigned char>(workspace_bytes, 7));

  EXPECT_EQ(cublasSetWorkspace(cublas, workspace, workspace_bytes), CUBLAS_STATUS_SUCCESS);
  multiply();
  EXPECT_TRUE(!is_emulated() || found.front() != 7) << "a product may use all of it";
  EXPECT_CUDA(cudaFree(workspace));
  EXPECT_EQ(cublasDestroy(cublas), CUBLAS_STATUS_SUCCESS);
}

// --- what ends a process ---

using CudaDeathTest = Cuda;

TEST_F(CudaDeathTest, TheHostCannotReadDeviceMemory) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(std::printf("%f", static_cast<double>(device_[0])), "");
}

/// The product itself succeeds; it is found when somebody looks, and from then on there is no CUDA.
TEST_F(CudaDeathTest, AnIllegalAccessShowsLaterAndForAlways) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto after_illegal_access = [&] {
    cublasHandle_t cublas = nullptr;
    const float one = 1;
    const bool began = cublasCreate(&cublas) == CUBLAS_STATUS_SUCCESS &&
                       cublasSgemm_64(cublas, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &one, device_ + (1U << 30U), 8,
                                      device_, 8, &one, device_, 8) == CUBLAS_STATUS_SUCCESS;
    void* memory = nullptr;
    const bool broke =
        cudaDeviceSynchronize() == cudaErrorIllegalAddress && cudaMalloc(&memory, bytes) == cudaErrorIllegalAddress &&
        cudaGetLastError() == cudaErrorIllegalAddress && cudaStreamQuery(stream_) == cudaErrorIllegalAddress;
    _exit(began && broke ? 0 : 1);
  };
  EXPECT_EXIT(after_illegal_access(), ::testing::ExitedWithCode(0), "");
}

TEST_F(Cuda, AForkedProcessHasNoCuda) {
  const pid_t child = fork();
  if (child == 0) {
    void* memory = nullptr;
    _exit(cudaMalloc(&memory, bytes) == cudaErrorInitializationError ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

// --- what only the emulator shows ---

TEST_F(Cuda, FreshMemoryIsPoisoned) {
  if (!is_emulated()) GTEST_SKIP() << "this is a GPU";
  void* memory = nullptr;
  ASSERT_CUDA(cudaMalloc(&memory, bytes));
  EXPECT_CUDA(cudaMemcpy(host_, memory, bytes, cudaMemcpyDeviceToHost));
  EXPECT_EQ(static_cast<unsigned char>(reinterpret_cast<char*>(host_)[17]), 0xCB);
  EXPECT_CUDA(cudaFree(memory));
}

TEST_F(Cuda, AHandleIsOfOneDevice) {
  if (!is_emulated() || gpus() < 2) GTEST_SKIP() << "this is a GPU, or one";
  cublasHandle_t cublas = nullptr;
  ASSERT_EQ(cublasCreate(&cublas), CUBLAS_STATUS_SUCCESS);
  ASSERT_CUDA(cudaSetDevice(1));
  EXPECT_EQ(cublasSetStream(cublas, stream_), CUBLAS_STATUS_EXECUTION_FAILED);
  EXPECT_EQ(cublasDestroy(cublas), CUBLAS_STATUS_SUCCESS);
}

}  // namespace
