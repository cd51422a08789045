// The GPU as a device, on emulated GPUs. Each test is a process of its own, as settings of the emulator are read once.
#include <cuda_runtime_api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <penstock/error.hpp>

#include "core/parameters.hpp"
#include "cuda_emulator/cuda_module.hpp"
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

/// The owner's side of transfers.
class Transfers final : public TransferEnds {
 public:
  void prepare(Transfer& transfer) override {
    if (on_prepare) on_prepare(transfer);
  }
  void transferred(std::span<TransferEnd> ends) override {
    for (TransferEnd& end : ends) ended.push_back(std::move(end));
  }
  std::function<void(Transfer&)> on_prepare;
  std::vector<TransferEnd> ended;  // by progress() only, which one thread calls
};

/// Products of square matrices, each of one value, for a number of results, in the memory of a GPU.
class Products {
 public:
  static constexpr std::int64_t n = 24;
  static constexpr std::size_t elements = n * n;
  static constexpr std::size_t bytes = elements * sizeof(float);

  Products(Accelerator& gpu, std::size_t count, double beta = 0)
      : gpu_(gpu), kernel_(named_gemm()), work_(kernel_, count), hosts_(count + 2), views_(count) {
    const std::vector<Parameter> parameters{false, false, 1.0, beta};
    core::encode_parameters(parameters, encoded_);
    for (std::size_t i = 0; i < hosts_.size(); ++i) hosts_[i].assign(elements, i == 0 ? 2.0F : i == 1 ? 3.0F : 1.0F);
    for (std::size_t i = 0; i < count; ++i) {
      views_[i] = {view(0), view(1), view(i + 2)};
      work_[i].arrays = views_[i];
      work_[i].parameters = encoded_;
    }
  }
  [[nodiscard]] const KernelDescription& kernel() const { return kernel_; }
  [[nodiscard]] WorkBatch& work() { return work_; }
  /// To the GPU: a, b, and what the first results are at first.
  std::vector<Token> bring_in(std::size_t results = 0) {
    std::vector<Token> tokens;
    for (std::size_t i = 0; i < 2 + results; ++i) tokens.push_back(move(Transfer::Direction::in, i, {}));
    return tokens;
  }
  Token bring_back(std::size_t result, const Token& after) {
    return move(Transfer::Direction::out, result + 2, std::span(&after, 1));
  }
  [[nodiscard]] const std::vector<float>& result(std::size_t i) const { return hosts_[i + 2]; }
  [[nodiscard]] std::size_t moved() const { return transfers_.size(); }
  /// Product i adds to what product 0 writes.
  void accumulate_in_first(std::size_t i) {
    views_[i][2] = view(2);
    work_[i].arrays = views_[i];
  }
  static std::vector<float> all(double value) { return std::vector<float>(elements, static_cast<float>(value)); }

 private:
  ArrayView view(std::size_t i) { return {gpu_.memory().data() + i * 4096, {DType::f32, Shape{n, n}}}; }
  Token move(Transfer::Direction direction, std::size_t i, std::span<const Token> after) {
    transfers_.push_back({.direction = direction,
                          .own = view(i).data,
                          .other = reinterpret_cast<std::byte*>(hosts_[i].data()),
                          .bytes = bytes});
    return gpu_.transfer(transfers_.back(), after);
  }
  static_assert(bytes <= 4096);

  Accelerator& gpu_;
  KernelDescription kernel_;
  WorkBatch work_;
  std::vector<std::vector<float>> hosts_;
  std::vector<std::vector<ArrayView>> views_;
  std::vector<std::byte> encoded_;
  std::deque<Transfer> transfers_;
};

class GpuDevice : public testing::Test {
 protected:
  /// The GPUs of a machine with such a setting.
  static CudaGpus find(const char* setting = nullptr, const char* value = nullptr) {
    if (setting != nullptr) setenv(setting, value, 1);
    CudaGpus gpus = CudaGpus::load(tests::cuda_module());
    EXPECT_EQ(gpus.why_none(), "");
    return gpus;
  }
  /// What became of the pieces of work, in the order in which it was told.
  std::vector<std::string> messages() const {
    std::vector<std::string> all;
    for (const Completion& completion : recorder_.completions()) all.push_back(completion.message);
    return all;
  }

  std::unique_ptr<Accelerator> open(const CudaGpus& gpus) { return gpus.open({.index = 0}, recorder_, transfers_); }
  /// Until so much has been reported.
  void wait_for(Accelerator& device, std::size_t work, std::size_t transfers) {
    ASSERT_TRUE(recorder_.wait_for(device, work));
    while (transfers_.ended.size() < transfers) device.progress();
  }

  Recorder recorder_;
  Transfers transfers_;
};

/// Cases that need a setting of the emulator.
class EmulatedGpuDevice : public GpuDevice {};

constexpr double product = 2 * 3 * Products::n;

TEST_F(EmulatedGpuDevice, TellsWhatItIs) {
  const CudaGpus gpus = find("PENSTOCK_EMULATED_MEMORY", "67108864");

  ASSERT_EQ(gpus.gpus().size(), 1U);
  EXPECT_EQ(gpus.gpus()[0].name, "Emulated GPU");
  EXPECT_EQ(gpus.gpus()[0].uuid, "GPU-e0e0e0e0-0000-4000-8000-000000000000");
  EXPECT_EQ(gpus.gpus()[0].memory_bytes, 67108864);
}

TEST_F(EmulatedGpuDevice, GivesMostOfItsMemoryToTasks) {
  const CudaGpus gpus = find("PENSTOCK_EMULATED_MEMORY", "134217728");

  const auto all = open(gpus);
  const auto some = gpus.open({.index = 0, .memory_share = 0.5, .memory_most = 4096}, recorder_, transfers_);

  EXPECT_GT(all->memory().size(), 67108864U);
  EXPECT_LT(all->memory().size(), 134217728U);
  EXPECT_EQ(some->memory().size(), 4096U);
}

/// After a workspace of cuBLAS and a scratch for each queue.
TEST_F(EmulatedGpuDevice, TakesLessMemoryWhenItHasNotSoMuch) {
  const CudaGpus gpus = find("PENSTOCK_EMULATED_FAULT", "cudaMalloc:9:2");

  EXPECT_GT(open(gpus)->memory().size(), 67108864U);
}

TEST_F(GpuDevice, MultipliesManyAtATime) {
  constexpr std::size_t count = 300;
  const CudaGpus gpus = find();
  const auto device = open(gpus);
  Products products(*device, count);
  ASSERT_TRUE(device->can_run(products.kernel()));

  const std::vector<Token> inputs = products.bring_in();
  for (std::size_t i = 0; i < count; ++i) products.bring_back(i, device->start(products.work().one(i), inputs));
  wait_for(*device, count, count + 2);

  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(products.result(i), Products::all(product)) << i;
}

TEST_F(EmulatedGpuDevice, UsesSeveralQueues) {
  const CudaGpus gpus = find("PENSTOCK_EMULATED_KERNEL_NS", "2000000");
  const auto device = open(gpus);
  Products products(*device, 16);

  const std::vector<Token> inputs = products.bring_in();
  std::set<std::uint32_t> queues;
  for (std::size_t i = 0; i < 16; ++i) queues.insert(device->start(products.work().one(i), inputs).queue);
  wait_for(*device, 16, 2);

  EXPECT_EQ(queues.size(), static_cast<std::size_t>(device->lanes()));
}

TEST_F(EmulatedGpuDevice, OrdersByTokensWithoutTheHost) {
  constexpr std::size_t count = 40;
  const CudaGpus gpus = find("PENSTOCK_EMULATED_KERNEL_NS", "200000");
  const auto device = open(gpus);
  Products products(*device, count, 1);

  std::vector<Token> before = products.bring_in(1);
  const Token first = device->start(products.work().one(0), before);
  before = {first};
  for (std::size_t i = 1; i < count; ++i) {
    products.accumulate_in_first(i);
    before[0] = device->start(products.work().one(i), before);
    EXPECT_EQ(before[0].queue, first.queue);
  }
  products.bring_back(0, before[0]);
  wait_for(*device, count, 4);

  EXPECT_EQ(products.result(0), Products::all(1 + count * product));
}

/// Each third product is behind two others, one of which is on another queue.
TEST_F(GpuDevice, TellsOfNoEndBeforeThoseThatItFollows) {
  constexpr std::size_t count = 900;
  const CudaGpus gpus = find();
  const auto device = open(gpus);
  Products products(*device, count);

  const std::vector<Token> inputs = products.bring_in();
  for (std::size_t i = 0; i < count; i += 3) {
    const Token first = device->start(products.work().one(i), inputs);
    const Token second = device->start(products.work().one(i + 1), inputs);
    device->start(products.work().one(i + 2), std::array{first, second});
  }
  wait_for(*device, count, 2);

  std::vector<bool> ended(count);
  for (const Completion& completion : recorder_.completions()) {
    const std::size_t i = products.work().index_of(completion.work);
    ended[i] = true;
    if (i % 3 < 2) continue;
    ASSERT_TRUE(ended[i - 2] && ended[i - 1]) << i;
  }
}

/// What comes from the GPU waits for its kernel, not for the kernels behind it.
TEST_F(EmulatedGpuDevice, MovesResultsWhileItComputes) {
  const CudaGpus gpus = find("PENSTOCK_EMULATED_KERNEL_NS", "20000000");
  const auto device = open(gpus);
  Products products(*device, 4);
  const std::vector<Token> inputs = products.bring_in();

  for (std::size_t i = 0; i < 4; ++i) products.bring_back(i, device->start(products.work().one(i), inputs));
  wait_for(*device, 4, 6);

  ASSERT_EQ(transfers_.ended[2].transfer->direction, Transfer::Direction::out);
  EXPECT_LT(transfers_.ended[2].end_ns, recorder_.completions().back().end_ns);
  for (const Completion& completion : recorder_.completions()) {
    EXPECT_LT(completion.begin_ns, completion.end_ns);
  }
}

TEST_F(GpuDevice, HasHostMemoryMadeReadyJustBefore) {
  const CudaGpus gpus = find();
  const auto device = open(gpus);
  std::vector<float> here(Products::elements);
  transfers_.on_prepare = [&](Transfer& transfer) {
    if (transfer.direction == Transfer::Direction::out) transfer.other = reinterpret_cast<std::byte*>(here.data());
  };
  Products products(*device, 1);

  products.bring_back(0, device->start(products.work().one(0), products.bring_in()));
  wait_for(*device, 1, 3);

  EXPECT_EQ(here, Products::all(product));
}

TEST_F(EmulatedGpuDevice, TellsWhyATransferFailed) {
  const CudaGpus gpus = find("PENSTOCK_EMULATED_FAULT", "cudaMemcpyAsync:2:1");
  const auto device = open(gpus);
  Products products(*device, 1);

  products.bring_in();
  wait_for(*device, 0, 2);

  EXPECT_FALSE(transfers_.ended[0].failed);
  EXPECT_TRUE(transfers_.ended[1].failed);
  EXPECT_THAT(transfers_.ended[1].message, HasSubstr("cudaErrorInvalidValue"));
  EXPECT_FALSE(device->is_broken());
}

TEST_F(EmulatedGpuDevice, EndsWhatWasStartedWhenItGoes) {
  const CudaGpus gpus = find("PENSTOCK_EMULATED_KERNEL_NS", "1000000");
  auto device = open(gpus);
  Products products(*device, 20);

  const std::vector<Token> inputs = products.bring_in();
  for (std::size_t i = 0; i < 20; ++i) products.bring_back(i, device->start(products.work().one(i), inputs));
  device.reset();

  EXPECT_EQ(messages(), std::vector<std::string>(20));
  EXPECT_EQ(transfers_.ended.size(), products.moved());
  EXPECT_EQ(products.result(19), Products::all(product));
}

TEST_F(EmulatedGpuDevice, GoesOnAfterACallThatFailed) {
  const CudaGpus gpus = find("PENSTOCK_EMULATED_FAULT", "gemm:3:1");
  const auto device = open(gpus);
  Products products(*device, 6);

  const std::vector<Token> inputs = products.bring_in();
  device->start(products.work().all(), inputs);
  wait_for(*device, 6, 2);

  int failed = 0;
  for (const std::string& message : messages()) {
    if (message.empty()) continue;
    ++failed;
    EXPECT_THAT(message, HasSubstr("CUBLAS_STATUS_EXECUTION_FAILED"));
  }
  EXPECT_EQ(failed, 1);
  EXPECT_FALSE(device->is_broken());
  EXPECT_TRUE(device->can_run(products.kernel()));
}

TEST_F(EmulatedGpuDevice, IsNotUsedAfterItsContextBroke) {
  const CudaGpus gpus = find("PENSTOCK_EMULATED_FAULT", "kernel:3:700");
  const auto device = open(gpus);
  Products products(*device, 6);

  const std::vector<Token> inputs = products.bring_in();
  for (std::size_t i = 0; i < 6; ++i) {
    device->start(products.work().one(i), inputs);
    wait_for(*device, i + 1, 0);
  }

  const std::vector<std::string> told = messages();
  EXPECT_EQ(told[1], "");
  for (std::size_t i = 2; i < 6; ++i) EXPECT_NE(told[i], "") << i;
  EXPECT_THAT(told[2], HasSubstr("cudaErrorIllegalAddress"));
  EXPECT_TRUE(device->is_broken());
  EXPECT_FALSE(device->can_run(products.kernel()));
}

/// Of the process, as the device has left it.
cudaError_t enable_peer_access(int gpu, int peer) {
  EXPECT_EQ(cudaSetDevice(gpu), cudaSuccess);
  const cudaError_t answer = cudaDeviceEnablePeerAccess(peer, 0);
  EXPECT_EQ(cudaGetLastError(), answer);
  return answer;
}

TEST_F(EmulatedGpuDevice, ReachesThePeersItIsTold) {
  setenv("PENSTOCK_EMULATED_GPUS", "3", 1);
  const CudaGpus gpus = find();

  const auto first = gpus.open({.index = 0, .peers = {0, 1}}, recorder_, transfers_);
  const auto again = gpus.open({.index = 0, .memory_share = 0.5, .peers = {0, 1}}, recorder_, transfers_);

  EXPECT_EQ(enable_peer_access(0, 1), cudaErrorPeerAccessAlreadyEnabled);
  EXPECT_EQ(enable_peer_access(0, 2), cudaSuccess);
  EXPECT_EQ(enable_peer_access(1, 0), cudaSuccess);
}

/// By way of host memory, where it does not reach them: twice as long, then.
TEST_F(EmulatedGpuDevice, GetsBytesFromPeers) {
  setenv("PENSTOCK_EMULATED_GPUS", "2", 1);
  setenv("PENSTOCK_EMULATED_PEERS", "0", 1);
  const CudaGpus gpus = find("PENSTOCK_EMULATED_GBPS", "0.01");
  const auto near = open(gpus);
  const auto far = gpus.open({.index = 1, .peers = {0, 1}}, recorder_, transfers_);
  std::vector<std::byte> sent(40'000, std::byte{7});
  std::vector<std::byte> received(sent.size());
  const std::size_t bytes = sent.size();
  Transfer in{.own = near->memory().data(), .other = sent.data(), .bytes = bytes};
  Transfer over{.own = far->memory().data(), .other = near->memory().data(), .peer = 0, .bytes = bytes};
  Transfer out{
      .direction = Transfer::Direction::out, .own = far->memory().data(), .other = received.data(), .bytes = bytes};

  near->transfer(in, {});
  wait_for(*near, 0, 1);
  const auto begin = std::chrono::steady_clock::now();
  const Token there = far->transfer(over, {});
  far->transfer(out, std::span(&there, 1));
  wait_for(*far, 0, 3);

  EXPECT_EQ(received, sent);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(12));  // three times 4 ms
}

TEST_F(EmulatedGpuDevice, LeavesATraceOfWhatRan) {
  const std::string file = testing::TempDir() + "operations-" + std::to_string(getpid());
  const CudaGpus gpus = find("PENSTOCK_EMULATED_TRACE", file.c_str());
  const auto device = open(gpus);
  Products products(*device, 6);
  const std::vector<Token> inputs = products.bring_in();
  for (std::size_t i = 0; i < 6; ++i) products.bring_back(i, device->start(products.work().one(i), inputs));
  wait_for(*device, 6, 8);

  std::map<std::string, int> ran;
  std::ifstream trace(file);
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  int gpu = -1;
  std::string engine;
  for (int stream = 0; trace >> begin_ns >> end_ns >> gpu >> engine >> stream;) {
    EXPECT_LE(begin_ns, end_ns);
    EXPECT_EQ(gpu, 0);
    ++ran[engine];
  }
  EXPECT_EQ(ran, (std::map<std::string, int>{{"kernels", 6}, {"copies-in", 2}, {"copies-out", 6}}));
  std::filesystem::remove(file);
}

TEST_F(EmulatedGpuDevice, SaysWhyItCannotBeOpened) {
  const CudaGpus gpus = find("PENSTOCK_EMULATED_FAULT", "cudaStreamCreateWithFlags:1:2");
  try {
    static_cast<void>(open(gpus));
    FAIL() << "it was opened";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("cudaErrorMemoryAllocation"));
  }
}

}  // namespace
}  // namespace penstock::device
