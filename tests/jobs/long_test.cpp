#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <string>

#include <penstock/error.hpp>

#include "jobs/test_kernels.hpp"

namespace penstock::jobs::test {
namespace {

/// The most memory the process ever had.
long peak_kilobytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST(LongJob, TenMillionTasksTakeNoMemoryToSpeakOf) {
  const JobFolder folder(R"(
data.A = { for = "i in 0..10000000", shape = [16], dtype = "f32", origin = "uniform", seed = "i" }
data.B = { shape = [16], dtype = "f32", origin = "ones" }
data.C = { for = "i in 0..10000000", shape = [16], dtype = "f32" }
[[task]]
for = ["block in 0..10000", "i in 0..1000"]
kernel = "add"
read = ["A[1000 * block + i]", "B"]
write = ["C[1000 * block + i]"]
)");
  const Job job = folder.load();
  const long before = peak_kilobytes();
  const auto begin = std::chrono::steady_clock::now();

  std::int64_t tasks = 0;
  std::int64_t steps = 0;
  std::int64_t alive = 0;
  std::int64_t alive_max = 0;
  Stream stream = job.stream();
  for (Step step; stream.next(step); ++steps) {
    tasks += step.kind == Step::Kind::task && !step.is_origin ? 1 : 0;
    alive += step.kind == Step::Kind::make ? 1 : step.kind == Step::Kind::release ? -1 : 0;
    alive_max = std::max(alive_max, alive);
  }

  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::cout << "steps " << steps << ", ns a step " << took.count() * 1e9 / static_cast<double>(steps) << ", KiB more "
            << peak_kilobytes() - before << '\n';
  EXPECT_EQ(tasks, 10'000'000);
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(alive_max, 3);
  EXPECT_LT(peak_kilobytes() - before, 8 * 1024);
}

TEST(LongJob, MistakeThatOnlyShowsInTheStreamIsReportedWithItsPlace) {
  const JobFolder folder(R"(data.x = { for = "i in 0..5000000", shape = [1], dtype = "f32" }
data.z = { shape = [1], dtype = "f32", origin = "zeros" }
[[task]]
for = "i in 0..4999999"
kernel = "add"
read = ["z", "z"]
write = ["x[i]"]
[[task]]
for = "i in 0..5000000"
kernel = "increment"
read_write = ["x[i]"]
)");
  const Job job = folder.load();
  std::string message;

  try {
    Stream stream = job.stream();
    for (Step step; stream.next(step);) {
    }
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_job);
    message = error.what();
  }

  EXPECT_THAT(message, testing::StartsWith(folder.path() + ":11:15: x[4999999] is read before anything wrote it"));
}

}  // namespace
}  // namespace penstock::jobs::test
