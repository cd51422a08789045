#include "jobs/graph_summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include <penstock/error.hpp>

#include "jobs/naive_graph.hpp"

namespace penstock::jobs::test {
namespace {

using testing::ElementsAre;

GraphSummary summary_of(const std::string& text,
                        std::span<const KernelDescription* const> kernels = counting_kernels()) {
  const JobFolder folder(text);
  return summarize(Job::load(JobText(folder.path()), kernels));
}

TEST(GraphSummary, ChainIsAsDeepAsItIsLong) {
  const GraphSummary graph = summary_of(R"(
data.x = { shape = [5], dtype = "f64", origin = "zeros" }
[[task]]
for = "i in 0..100"
kernel = "increment"
read_write = ["x"]
)");

  EXPECT_EQ(graph.tasks, 100);
  EXPECT_EQ(graph.origins, 1);
  EXPECT_EQ(graph.depth, 101);
  EXPECT_EQ(graph.width, 1);
  EXPECT_EQ(graph.parallelism(), 1.0);
  EXPECT_EQ(graph.flops, 500.0);
  EXPECT_EQ(graph.path_flops, 500.0);
  EXPECT_EQ(graph.speedup_max(), 1.0);
}

TEST(GraphSummary, IndependentTasksAreOneLevel) {
  const GraphSummary graph = summary_of(R"(
[[task]]
for = "i in 0..64"
kernel = "spin"
parameters = { microseconds = 1 }
)");

  EXPECT_EQ(graph.depth, 1);
  EXPECT_EQ(graph.width, 64);
  EXPECT_EQ(graph.width_levels, 1);
  EXPECT_EQ(graph.parallelism(), 64.0);
}

TEST(GraphSummary, TasksThatReduceAreOneLevelAndTheReaderComesAfterAll) {
  const GraphSummary graph = summary_of(R"(
data.x = { shape = [5], dtype = "f64", origin = "zeros" }
data.y = { shape = [5], dtype = "f64" }
[[task]]
for = "i in 0..100"
kernel = "increment"
read_write = ["y"]
reduce = { x = "sum" }
[[task]]
kernel = "increment"
read_write = ["x"]
[[task]]
kernel = "mix"
read_write = ["y", "x"]
)");

  EXPECT_EQ(graph.tasks, 102);
  EXPECT_EQ(graph.depth, 3);
  EXPECT_EQ(graph.width, 101);
}

TEST(GraphSummary, TasksThatCommuteComeOneAfterTheOther) {
  const GraphSummary graph = summary_of(R"(
data.x = { shape = [5], dtype = "f64", origin = "zeros" }
[[task]]
for = "i in 0..100"
kernel = "increment"
read_write = ["x"]
commute = ["x"]
)");

  EXPECT_EQ(graph.depth, 101);
}

TEST(GraphSummary, ReadersOfOneDatumFanOutAndASumFansIn) {
  const GraphSummary graph = summary_of(R"(
data.a = { shape = [10], dtype = "f32", origin = "ones" }
data.b = { for = "i in 0..8", shape = [10], dtype = "f32" }
data.sum = { shape = [10], dtype = "f32", origin = "zeros" }
data.more = { for = "i in 0..9", shape = [10], dtype = "f32" }
[[task]]
for = "i in 0..8"
kernel = "add"
read = ["a", "a"]
write = ["b[i]"]
[[task]]
kernel = "add"
read = ["sum", "sum"]
write = ["more[0]"]
[[task]]
for = "i in 0..8"
kernel = "add"
read = ["more[i]", "b[i]"]
write = ["more[i + 1]"]
)");

  EXPECT_EQ(graph.depth, 2 + 8) << "sum, its double, then one after the other";
  EXPECT_EQ(graph.width, 8 + 1) << "the 8 readers of a, and the one of sum";
  EXPECT_EQ(graph.flops, 170.0);
  EXPECT_EQ(graph.path_flops, 90.0);
}

TEST(GraphSummary, DiamondHasTheDepthOfItsLongerSide) {
  const GraphSummary graph = summary_of(R"(
data.top = { shape = [1], dtype = "f32", origin = "ones" }
data.left = { shape = [1], dtype = "f32" }
data.right = { shape = [1], dtype = "f32" }
data.bottom = { shape = [1], dtype = "f32" }
[[task]]
kernel = "add"
read = ["top", "top"]
write = ["left"]
[[task]]
kernel = "add"
read = ["top", "top"]
write = ["right"]
[[task]]
kernel = "increment"
read_write = ["right"]
[[task]]
kernel = "add"
read = ["left", "right"]
write = ["bottom"]
)");

  EXPECT_EQ(graph.depth, 4);
  EXPECT_EQ(graph.width, 2);
  EXPECT_EQ(graph.flops, 4.0);
  EXPECT_EQ(graph.path_flops, 3.0);
  EXPECT_DOUBLE_EQ(graph.speedup_max().value(), 4.0 / 3.0);
}

TEST(GraphSummary, StencilIsAsDeepAsItHasSteps) {
  const GraphSummary graph = summary_of(R"(
data.u = { for = ["t in 0..21", "x in 0..34"], shape = [6], dtype = "f64", origin = "ones" }
[[task]]
for = ["t in 0..20", "x in 0..32"]
kernel = "add"
read = ["u[t, x]", "u[t, x + 2]"]
write = ["u[t + 1, x + 1]"]
)");

  EXPECT_EQ(graph.tasks, 640);
  EXPECT_EQ(graph.depth, 1 + 20);
  EXPECT_EQ(graph.flops, 640.0 * 6.0);
  EXPECT_EQ(graph.path_flops, 20.0 * 6.0);
}

TEST(GraphSummary, WhatIsOnlyWrittenStartsAnew) {
  const GraphSummary graph = summary_of(R"(
data.a = { shape = [1], dtype = "f32", origin = "ones" }
data.y = { shape = [1], dtype = "f32" }
[[task]]
for = "i in 0..50"
kernel = "add"
read = ["a", "a"]
write = ["y"]
[[save]]
data = "y"
file = "y.npy"
)");

  EXPECT_EQ(graph.depth, 3) << "a, one add, the save";
  EXPECT_EQ(graph.width, 50) << "no write waits for another";
  EXPECT_EQ(graph.speedup_max(), 50.0);
}

TEST(GraphSummary, CountsDataBytesAndFiles) {
  const std::string npy = PENSTOCK_NPY_DATA;
  const GraphSummary graph = summary_of(
      "data.A = { for = 'i in 0..3', shape = [2, 3, 4], dtype = 'f32', "
      "origin = 'file', file = '" +
      npy + "/f4.npy' }\n" + R"(
data.C = { for = "i in 0..3", shape = [2, 3, 4], dtype = "f32" }
data.never_used = { shape = [1000], dtype = "f32" }
[[task]]
for = "i in 0..3"
kernel = "add"
read = ["A[i]", "A[i]"]
write = ["C[i]"]
[[save]]
for = "i in 0..2"
data = "C[i]"
file = "c_{i}.npy"
)");

  EXPECT_EQ(graph.data, 6);
  EXPECT_EQ(graph.data_bytes, 6 * 96);
  EXPECT_EQ(graph.alive_bytes_max, 4 * 96) << "C[0], C[1], A[2], C[2]";
  EXPECT_EQ(graph.bytes_read, 3 * 96);
  EXPECT_EQ(graph.bytes_written, 2 * 96);
  EXPECT_EQ(graph.tasks, 3);
  EXPECT_EQ(graph.origins, 3);
  EXPECT_EQ(graph.saves, 2);
  EXPECT_EQ(graph.all_tasks(), 8);
}

TEST(GraphSummary, CountsTasksByKernelMostFirst) {
  const GraphSummary graph = summary_of(R"(
data.x = { for = "i in 0..3", shape = [2], dtype = "f32", origin = "iota" }
[[task]]
for = ["round in 0..4", "i in 0..3"]
kernel = "increment"
read_write = ["x[i]"]
[[save]]
data = "x[1]"
file = "x.npy"
)");

  std::vector<std::string> names;
  std::vector<std::int64_t> tasks;
  for (const KernelUse& use : graph.kernels) {
    names.push_back(use.kernel->name);
    tasks.push_back(use.tasks);
  }
  EXPECT_THAT(names, ElementsAre("increment", "iota", "save"));
  EXPECT_THAT(tasks, ElementsAre(12, 3, 1));
  EXPECT_EQ(graph.kernels[0].flops, 24.0);
  EXPECT_EQ(graph.kernels[0].bytes, 12 * 8);
  EXPECT_FALSE(graph.kernels[1].flops);
}

TEST(GraphSummary, NamesTheFirstTheLastAndTheLargestTask) {
  const JobFolder folder(R"(data.A = { for = "i in 0..4", shape = [8, 8], dtype = "f32", origin = "ones" }
data.B = { shape = [8, 100], dtype = "f32", origin = "ones" }
data.C = { for = "i in 0..4", shape = [8, 100], dtype = "f32" }
[[task]]
for = "i in 0..4"
kernel = "increment"
read_write = ["A[i]"]
[[task]]
for = "i in 0..4"
kernel = "gemm"
read = ["A[i]", "B"]
write = ["C[i]"]
[[task]]
kernel = "increment"
read_write = ["A[3]"]
)");

  const GraphSummary graph = summarize(folder.load());

  EXPECT_EQ(to_line(graph.first_task.value()), "increment A[0] -> A[0] (" + folder.path() + ":4)");
  EXPECT_EQ(to_line(graph.last_task.value()), "increment A[3] -> A[3] (" + folder.path() + ":13)");
  EXPECT_EQ(to_line(graph.largest_task.value()), "gemm A[0], B -> C[0] (" + folder.path() + ":8)");
  EXPECT_EQ(graph.largest_task_bytes, 4 * (8 * 8 + 8 * 100 + 8 * 100));
}

TEST(GraphSummary, CountsADatumOfATaskOnce) {
  const GraphSummary graph = summary_of(R"(
data.x = { shape = [10], dtype = "f32", origin = "ones" }
data.y = { shape = [10], dtype = "f32" }
task = [ { kernel = "add", read = ["x", "x"], write = ["y"] } ]
)");

  EXPECT_EQ(graph.largest_task_bytes, 80);
}

TEST(GraphSummary, OperationsAreNotKnownWhereAKernelDoesNotSayThem) {
  const std::string add = R"(
data.x = { shape = [10], dtype = "f32", origin = "ones" }
data.y = { shape = [10], dtype = "f32" }
[[task]]
kernel = "add"
read = ["x", "x"]
write = ["y"]
)";

  EXPECT_EQ(summary_of(add).flops, 10.0) << "the origin does not say, which does not matter";
  const GraphSummary with_spin = summary_of(add + "[[task]]\nkernel = 'spin'\nparameters = { microseconds = 1 }\n");
  EXPECT_FALSE(with_spin.flops);
  EXPECT_FALSE(with_spin.path_flops);
  EXPECT_FALSE(with_spin.speedup_max());
  EXPECT_FALSE(summary_of(add, kernels()).flops);
}

TEST(GraphSummary, BytesBeyond63BitsAreTheLargestNumber) {
  const GraphSummary graph = summary_of(R"(
data.a = { shape = [1000000000000000000], dtype = "f64", origin = "zeros" }
data.b = { shape = [1000000000000000000], dtype = "f64", origin = "zeros" }
data.c = { shape = [1000000000000000000], dtype = "f64" }
[[task]]
for = "i in 0..3"
kernel = "add"
read = ["a", "b"]
write = ["c"]
)");

  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(graph.data_bytes, largest);
  EXPECT_EQ(graph.alive_bytes_max, largest);
  EXPECT_EQ(graph.largest_task_bytes, largest);
}

TEST(GraphSummary, WatchSeesTheTasksAndMayEndTheWalk) {
  const JobFolder folder(R"(
data.x = { shape = [1], dtype = "f32", origin = "ones" }
[[task]]
for = "i in 0..100000"
kernel = "increment"
read_write = ["x"]
)");
  const Job job = folder.load();
  std::int64_t seen = 0;

  static_cast<void>(summarize(job, [&](std::int64_t tasks) {
    EXPECT_GT(tasks, seen);
    seen = tasks;
  }));
  EXPECT_GT(seen, 50'000);
  EXPECT_LE(seen, 100'001);

  EXPECT_THROW(static_cast<void>(summarize(job, [](std::int64_t) { throw Error(ErrorCode::interrupted, "enough"); })),
               Error);
}

TEST(GraphSummary, AgreesWithTheNaiveGraphOnRandomJobs) {
  int accepted = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const JobFolder folder(random_job(seed, seed % 2 == 0));
    try {
      const Job job = Job::load(JobText(folder.path()), counting_kernels());
      const GraphSummary graph = summarize(job);
      const NaiveGraph naive(job);

      EXPECT_EQ(graph.all_tasks(), static_cast<std::int64_t>(naive.tasks.size())) << "seed " << seed;
      EXPECT_EQ(graph.depth, naive.depth()) << "seed " << seed;
      EXPECT_EQ(graph.width, naive.width()) << "seed " << seed;
      if (graph.flops) {
        EXPECT_EQ(graph.flops, naive.flops()) << "seed " << seed;
        EXPECT_EQ(graph.path_flops, naive.path_flops()) << "seed " << seed;
      }
      ++accepted;
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), ErrorCode::bad_job) << error.what();
    }
  }
  EXPECT_GT(accepted, 100);
}

}  // namespace
}  // namespace penstock::jobs::test
