// The values that Options takes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "runtime/test_kernels.hpp"

namespace penstock::tests {

namespace {

using ::testing::Each;

std::string refusal(const Options& options) {
  const auto error = thrown_by<Error>([&] { const Runtime runtime(options); });
  EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
  return error.what();
}

TEST(RuntimeOptions, OutOfRangeAreNamedWithTheirRange) {
  EXPECT_EQ(refusal({.workers = -1}), "Options::workers is -1, but needs to be from 0, which is all cores, to 4096");
  EXPECT_EQ(refusal({.workers = 5000}),
            "Options::workers is 5000, but needs to be from 0, which is all cores, to 4096");
  EXPECT_EQ(refusal({.window_tasks = 0}), "Options::window_tasks is 0, but needs to be 1 or more");
  EXPECT_EQ(refusal({.window_bytes = 0}), "Options::window_bytes is 0, but needs to be 1 or more");
  EXPECT_EQ(refusal({.window_bytes = -5}), "Options::window_bytes is -5, but needs to be 1 or more");
  EXPECT_EQ(refusal({.trace_bytes = 1000}), "Options::trace_bytes is 1000, but needs to be 1048576 (1 MiB) or more");
  EXPECT_EQ(refusal({.gpu_bytes = -1}), "Options::gpu_bytes is -1, but needs to be 0 or more");
  EXPECT_EQ(refusal({.pinned_bytes = -1}), "Options::pinned_bytes is -1, but needs to be 0 or more");
  EXPECT_EQ(refusal({.placement = "fast"}),
            "the placement is \"fast\", but needs to be one of eager, locality and heft");
}

TEST(RuntimeOptions, ThatLeaveNothingToComputeOnAreRefused) {
  EXPECT_EQ(refusal({.use_cpu = false, .use_cuda = false}),
            "Options::use_cpu and Options::use_cuda leave nothing to compute on");
  for (const Options& cores_only :
       {Options{.checked = true, .use_cpu = false}, Options{.serial = true, .use_cpu = false},
        Options{.schedule_seed = 1, .use_cpu = false}}) {
    EXPECT_EQ(refusal(cores_only),
              "Options::checked, serial and schedule_seed are for cores: leave Options::use_cpu as it is");
  }
}

TEST(RuntimeOptions, OutOfRangeMakeRunReturnTwo) {
  bool began = false;

  EXPECT_EQ(run(
                0, nullptr, [&](Runtime& /*runtime*/) { began = true; }, Options{.workers = -1}),
            2);

  EXPECT_FALSE(began);
}

TEST(RuntimeOptions, TakeAWindowWithoutEnd) {
  for (const std::uint64_t tasks : {std::numeric_limits<std::uint64_t>::max(), std::uint64_t{1} << 62}) {
    Runtime runtime(Options{.window_tasks = tasks, .window_bytes = std::numeric_limits<std::int64_t>::max()});
    const auto data = runtime.array<I64>({1}, zeros());

    for (int i = 0; i < 100; ++i) runtime.submit(add_to, read_write(data), 1);

    EXPECT_THAT(values(runtime.read(data)), Each(100));
  }
}

}  // namespace

}  // namespace penstock::tests
