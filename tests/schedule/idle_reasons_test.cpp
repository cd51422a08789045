#include "schedule/idle_reasons.hpp"

#include <gtest/gtest.h>

namespace penstock::schedule {
namespace {

using core::KernelId;

constexpr KernelId gemm{0};
constexpr KernelId potrf{1};
constexpr KernelId save{2};
constexpr KernelId text{3};
constexpr KernelId iota{4};
constexpr std::size_t on_cores = 0;
constexpr std::size_t on_gpu_0 = 1;
constexpr std::size_t on_gpu_1 = 2;

/// Cores on which everything fits, and one or two GPUs.
class IdleReasonsTest : public testing::Test {
 protected:
  IdleReasons reasons{{{"cores", "CPU"}, {"GPU 0", "CUDA"}, {"GPU 1", "CUDA"}},
                      {"gemm", "potrf", "save", "text", "iota"}};

  void place(int times, KernelId kernel, Choice choice, Fit gpus = Fit::fits, Fit cores = Fit::fits) {
    const std::array<DeviceView, 3> views{{{.fit = cores}, {.fit = gpus}, {.fit = gpus}}};
    for (int i = 0; i < times; ++i) reasons.placed(kernel, views, choice);
  }
};

TEST_F(IdleReasonsTest, SaysNothingOfNoTask) { EXPECT_EQ(reasons.line(on_gpu_0), ""); }

TEST_F(IdleReasonsTest, SaysWhyAGpuRanNothing) {
  place(20, gemm, {on_cores, Why::finishes_first});
  place(40, save, {on_cores, Why::only_one}, Fit::no_body);
  place(60, potrf, {on_cores, Why::only_one}, Fit::no_body);

  EXPECT_EQ(reasons.line(on_gpu_0),
            "GPU 0 ran 0 of 120 tasks: 100 had no CUDA body (potrf 60, save 40), "
            "20 were predicted to end sooner on cores");
  EXPECT_EQ(reasons.line(on_cores), "cores ran 120 of 120 tasks");
}

TEST_F(IdleReasonsTest, CountsWhatEachDeviceRan) {
  place(2, gemm, {on_gpu_0, Why::finishes_first});
  place(3, gemm, {on_gpu_1, Why::finishes_first});

  EXPECT_EQ(reasons.line(on_gpu_0), "GPU 0 ran 2 of 5 tasks: 3 were predicted to end sooner on GPU 1");
  EXPECT_EQ(reasons.line(on_gpu_1), "GPU 1 ran 3 of 5 tasks: 2 were predicted to end sooner on GPU 0");
  EXPECT_EQ(reasons.line(on_cores), "cores ran 0 of 5 tasks: 5 were predicted to end sooner elsewhere");
}

TEST_F(IdleReasonsTest, HasWordsForEachWayNotToFit) {
  place(4, gemm, {on_cores, Why::only_one}, Fit::no_body);
  place(3, gemm, {on_cores, Why::only_one}, Fit::too_large);
  place(2, gemm, {on_cores, Why::only_one}, Fit::failed);
  place(5, gemm, {on_gpu_0, Why::only_one}, Fit::fits, Fit::kept_free);

  EXPECT_EQ(reasons.line(on_gpu_0),
            "GPU 0 ran 5 of 14 tasks: 4 had no CUDA body (gemm 4), 3 were too large for its memory (gemm 3), "
            "2 came after it had failed");
  EXPECT_EQ(reasons.line(on_cores), "cores ran 9 of 14 tasks: 5 were left to accelerators");
}

TEST_F(IdleReasonsTest, HasWordsForEachChoice) {
  place(5, gemm, {on_cores, Why::free_first});
  place(4, gemm, {on_cores, Why::has_data});
  place(3, gemm, {on_cores, Why::finishes_first});
  place(2, gemm, {on_cores, Why::explores});

  EXPECT_EQ(reasons.line(on_gpu_0),
            "GPU 0 ran 0 of 14 tasks: 5 found a lane free sooner on cores, 4 found more of their data on cores, "
            "3 were predicted to end sooner on cores, 2 were tried on cores to learn their times");
}

TEST_F(IdleReasonsTest, SpeaksOfOneTaskInTheSingular) {
  place(1, gemm, {on_cores, Why::finishes_first});

  EXPECT_EQ(reasons.line(on_gpu_0), "GPU 0 ran 0 of 1 task: 1 was predicted to end sooner on cores");
}

TEST_F(IdleReasonsTest, NamesTheKernelsOfMostTasks) {
  place(1, gemm, {on_cores, Why::only_one}, Fit::no_body);
  place(5, potrf, {on_cores, Why::only_one}, Fit::no_body);
  place(3, save, {on_cores, Why::only_one}, Fit::no_body);
  place(1, text, {on_cores, Why::only_one}, Fit::no_body);
  place(4, iota, {on_cores, Why::only_one}, Fit::no_body);

  EXPECT_EQ(reasons.line(on_gpu_0),
            "GPU 0 ran 0 of 14 tasks: 14 had no CUDA body (potrf 5, iota 4, save 3, 2 more kernels)");
}

}  // namespace
}  // namespace penstock::schedule
