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

struct Walked {
  std::int64_t tasks = 0;
  std::int64_t steps = 0;
  std::int64_t alive = 0;
  std::int64_t alive_max = 0;
  double ns_per_step = 0.0;
  long more_kilobytes = 0;
};

Walked walk(const Job& job) {
  Walked walked;
  const long before = peak_kilobytes();
  const auto begin = std::chrono::steady_clock::now();
  Stream stream = job.stream();
  for (Step step; stream.next(step); ++walked.steps) {
    walked.tasks += step.kind == Step::Kind::task && !step.is_origin && !step.is_part ? 1 : 0;
    walked.alive += step.kind == Step::Kind::make ? 1 : step.kind == Step::Kind::release ? -1 : 0;
    walked.alive_max = std::max(walked.alive_max, walked.alive);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  walked.ns_per_step = took.count() * 1e9 / static_cast<double>(walked.steps);
  walked.more_kilobytes = peak_kilobytes() - before;
  std::cout << "steps " << walked.steps << ", ns a step " << walked.ns_per_step << ", KiB more "
            << walked.more_kilobytes << '\n';
  return walked;
}

constexpr double ns_per_step_max = 2000;  // ten times what is wanted: other programs run beside the tests

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

  const Walked walked = walk(folder.load());

  EXPECT_EQ(walked.tasks, 10'000'000);
  EXPECT_EQ(walked.alive, 0);
  EXPECT_EQ(walked.alive_max, 3);
  EXPECT_LT(walked.more_kilobytes, 8 * 1024);
  EXPECT_LT(walked.ns_per_step, ns_per_step_max);
}

TEST(LongJob, MillionsOfTasksOnTilesInGroupsWithConditionsDoNeither) {
  const JobFolder folder(R"(
values = { n = 5990, tile = 20, t = 300, factors = [0.5, 1.0] }
[defaults.data]
shape = ["n", "n"]
tile = ["tile", "tile"]
dtype = "f32"
origin = "ones"
[data.A]
[data.C]
[[group]]
for = "k in 0..t"
[[group.group]]
for = "i in k+1..t"
[[group.group.task]]
for = "j in k+1..i+1"
if = "(i + j) % 3 != 0"
name = "update {k}: {i}, {j}"
kernel = "gemm"
read = ["A[i, k]", "A[k, j]"]
read_write = ["C[i, j]"]
parameters = { beta = 1 }
[[group.group.task]]
for = "f in factors"
kernel = "increment"
read_write = ["A[i, i]"]
parameters = { by = "f" }
[[save]]
data = "C"
file = "c.npy"
)");

  const Walked walked = walk(folder.load());

  EXPECT_GT(walked.tasks, 3'000'000);
  EXPECT_EQ(walked.alive, 0);
  EXPECT_LT(walked.more_kilobytes, 8 * 1024);
  EXPECT_LT(walked.ns_per_step, ns_per_step_max);
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
