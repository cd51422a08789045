// Kernels of a program with bodies for GPUs, on emulated GPUs. Each test is a process of its own, as settings of the
// emulator are read once.
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <penstock/penstock.hpp>

#include "cuda_emulator/sample_kernels.hpp"

/// AddressSanitizer's: its search for leaks falls over the thread-local memory of libraries that were opened at run
/// time.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }

namespace penstock {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::int64_t count = 1000;

std::atomic<int> on_cores{0};
std::atomic<int> on_gpus{0};

const auto scale_by = kernel("test.scale_by",
                             [](InOut<float> x, float factor) {
                               ++on_cores;
                               for (float& one : x) one *= factor;
                             },
                             {.cuda = [](const CudaContext& gpu, InOut<float> x, float factor) {
                               ++on_gpus;
                               emulator::launch_scale(x.data(), factor, static_cast<int>(x.size()), gpu.stream);
                             }});

const auto copy_on_gpu = kernel("test.copy_on_gpu", [](const CudaContext& gpu, In<float> x, Out<float> y) {
  ++on_gpus;
  if (x.shape() != y.shape()) throw std::logic_error("the shapes differ");
  cudaMemcpyAsync(y.data(), x.data(), x.size_bytes(), cudaMemcpyDeviceToDevice, gpu.stream);
});

const auto multiply_on_gpu =
    kernel("test.multiply_on_gpu", [](const CudaContext& gpu, In<float> a, In<float> b, Out<float> c) {
      const int n = static_cast<int>(c.shape()[0]);
      const float one = 1;
      const float zero = 0;
      // cuBLAS counts by columns.
      const cublasStatus_t status = cublasSgemm_64(gpu.cublas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, b.data(), n,
                                                   a.data(), n, &zero, c.data(), n);
      if (status != CUBLAS_STATUS_SUCCESS) throw std::runtime_error(cublasGetStatusName(status));
    });

const auto throw_text = kernel("test.throw_text", [](const CudaContext&, InOut<float>) {
  throw "no exception, but a text";  // NOLINT(hicpp-exception-baseclass)
});

const auto launch_badly = kernel("test.launch_badly", [](const CudaContext& gpu, InOut<float> x) {
  emulator::launch_scale(x.data(), 2, 0, gpu.stream);  // no block
});

const auto submit_inside = kernel("test.submit_inside", [](Runtime& rt, InOut<float> x) {
  auto own = rt.array(x);
  rt.submit(launch_badly, read_write(own));
});

class UserKernels : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(cache_);  // nothing is known of how long tasks take
    set("XDG_CACHE_HOME", cache_.c_str());
  }
  void TearDown() override { std::filesystem::remove_all(cache_); }
  static void set(const char* name, const char* value) { setenv(name, value, 1); }

  static Array<float> numbers(Runtime& rt, std::int64_t extent = count) {
    return rt.array<float>({extent}, Origin{.kernel = "iota", .parameters = {}});
  }
  static std::vector<float> values(Runtime& rt, const Array<float>& array) {
    const View<float> view = rt.read(array);
    return {view.begin(), view.end()};
  }
  static std::vector<float> multiples(float factor) {
    std::vector<float> all(count);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = factor * static_cast<float>(i);
    return all;
  }
  /// What the call throws.
  template <class Call>
  static std::string message_of(const Call& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing was thrown";
  }

 private:
  const std::filesystem::path cache_ =
      std::filesystem::temp_directory_path() / ("penstock-user-kernels-" + std::to_string(getpid()));
};

TEST_F(UserKernels, WithBothBodiesRunOnCoresAndGpusAlike) {
  Runtime rt({.workers = 2});
  std::vector<Array<float>> arrays;
  for (int i = 0; i < 60; ++i) {
    arrays.push_back(numbers(rt));
    rt.submit(scale_by, read_write(arrays.back()), 3.0F);
  }

  for (const Array<float>& array : arrays) ASSERT_EQ(values(rt, array), multiples(3));
  EXPECT_GT(on_cores, 0);
  EXPECT_GT(on_gpus, 0);
  EXPECT_EQ(on_cores + on_gpus, 60);
}

TEST_F(UserKernels, ForGpusOnlyRunThereBetweenOthers) {
  Runtime rt({.workers = 2});
  const Array<float> x = numbers(rt);
  const auto y = rt.array<float>({count});

  rt.submit(copy_on_gpu, read(x), write(y));
  rt.submit(scale_by, read_write(y), 2.0F);

  EXPECT_EQ(values(rt, y), multiples(2));
  EXPECT_GE(on_gpus, 1);
}

TEST_F(UserKernels, CallCublasByItsHandle) {
  constexpr std::int64_t n = 3;
  Runtime rt({.workers = 1});
  const auto a = rt.array<float>({n, n}, Origin{.kernel = "iota", .parameters = {}});
  const auto c = rt.array<float>({n, n});

  rt.submit(multiply_on_gpu, read(a), read(a), write(c));

  EXPECT_EQ(values(rt, c), (std::vector<float>{15, 18, 21, 42, 54, 66, 69, 90, 111}));
}

TEST_F(UserKernels, FailTheirTaskWithWhatTheyThrow) {
  Runtime rt({.workers = 1});
  const Array<float> x = numbers(rt);
  const Array<float> y = numbers(rt);

  rt.submit(throw_text, read_write(x));
  rt.submit(scale_by, read_write(y), 2.0F);

  EXPECT_THAT(message_of([&] { rt.wait(x); }), AllOf(HasSubstr("test.throw_text"), HasSubstr("user_kernels_test.cpp:"),
                                                     HasSubstr("no exception, but a text")));
  EXPECT_EQ(values(rt, y), multiples(2));
}

TEST_F(UserKernels, FailTheirTaskByTheNameOfALaunchError) {
  Runtime rt({.workers = 1});
  const Array<float> x = numbers(rt);
  const Array<float> y = numbers(rt);
  const auto z = rt.array<float>({count});

  rt.submit(launch_badly, read_write(x));
  rt.submit(copy_on_gpu, read(y), write(z));

  EXPECT_THAT(message_of([&] { rt.wait(x); }),
              AllOf(HasSubstr("cudaErrorInvalidConfiguration"), HasSubstr("test.launch_badly")));
  EXPECT_EQ(values(rt, z), multiples(1));  // the GPU is as it was
}

constexpr const char* none = "it runs on GPUs only, and there is no GPU";

TEST_F(UserKernels, ForGpusOnlyAreRefusedWhereThereIsNone) {
  set("CUDA_VISIBLE_DEVICES", "");
  Runtime rt({.workers = 1});
  const Array<float> x = numbers(rt);

  EXPECT_THAT(message_of([&] { rt.submit(launch_badly, read_write(x)); }),
              AllOf(HasSubstr("user_kernels_test.cpp:"), HasSubstr("test.launch_badly"), HasSubstr(none),
                    HasSubstr("CUDA_VISIBLE_DEVICES is empty")));
  rt.submit(scale_by, read_write(x), 2.0F);
  EXPECT_EQ(values(rt, x), multiples(2));
}

TEST_F(UserKernels, ForGpusOnlyAreRefusedInModesThatAreForCores) {
  for (const Options& options : {Options{.workers = 1, .checked = true}, Options{.workers = 1, .serial = true},
                                 Options{.workers = 1, .schedule_seed = 1}}) {
    Runtime rt(options);
    const Array<float> x = numbers(rt);

    EXPECT_THAT(message_of([&] { rt.submit(launch_badly, read_write(x)); }), HasSubstr(none));
  }
}

TEST_F(UserKernels, ForGpusOnlyAreRefusedInsideATask) {
  Runtime rt({.workers = 1});
  const Array<float> x = numbers(rt);

  rt.submit(submit_inside, read_write(x));

  EXPECT_THAT(message_of([&] { rt.wait(x); }), AllOf(HasSubstr("test.submit_inside"), HasSubstr("test.launch_badly"),
                                                     HasSubstr("no GPU for tasks of tasks")));
}

TEST_F(UserKernels, WhoseArraysFitNoGpuRunOnCoresOrAreRefused) {
  constexpr std::int64_t many = 4 << 20;
  set("PENSTOCK_EMULATED_MEMORY", "41943040");  // of which libraries take some
  Runtime rt({.workers = 1});
  const Array<float> x = numbers(rt, many);
  const auto y = rt.array<float>({many});

  rt.submit(scale_by, read_write(x), 1.0F);  // alone it fits
  const std::string refused = message_of([&] { rt.submit(copy_on_gpu, read(x), write(y)); });

  EXPECT_THAT(refused, AllOf(HasSubstr("user_kernels_test.cpp:"), HasSubstr("test.copy_on_gpu: it runs on GPUs only"),
                             HasSubstr("its arrays need 33554432 bytes there, and the largest GPU has ")));
  EXPECT_EQ(values(rt, x)[many - 1], static_cast<float>(many - 1));
  EXPECT_EQ(rt.failures(), std::vector<std::string>());
}

TEST_F(UserKernels, AreSeenByToolsUnderTheNameOfTheirTask) {
  set("NVTX_INJECTION64_PATH", PENSTOCK_WATCHING_TOOL);
  void* const tool = dlopen(PENSTOCK_WATCHING_TOOL, RTLD_NOW);
  ASSERT_NE(tool, nullptr) << dlerror();
  const auto ranges = reinterpret_cast<const char* (*)()>(dlsym(tool, "penstock_watched_ranges"));
  Runtime rt({.workers = 1});
  const auto x = rt.array<float>({count}, zeros());
  rt.wait(x);
  const auto y = rt.array<float>({count});
  const auto z = rt.array<float>({count});

  rt.submit(copy_on_gpu, read(x), write(y), name("row 3"));
  rt.submit(copy_on_gpu, read(y), write(z));
  rt.wait_all();

  EXPECT_THAT(ranges(), HasSubstr("row 3; test.copy_on_gpu; 0 open"));
}

}  // namespace
}  // namespace penstock
