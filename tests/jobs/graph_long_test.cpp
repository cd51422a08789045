/// Ten million tasks: the summary's time and memory.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <iostream>
#include <string>

#include "jobs/graph_summary.hpp"
#include "jobs/naive_graph.hpp"

namespace penstock::jobs::test {
namespace {

/// The most memory the process ever had.
long peak_kilobytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

struct Measured {
  GraphSummary graph;
  double us_per_task = 0.0;
  long kilobytes = 0;
};

Measured measure(const std::string& text) {
  const JobFolder folder(text);
  const Job job = Job::load(JobText(folder.path()), counting_kernels());
  const long before = peak_kilobytes();
  const auto begin = std::chrono::steady_clock::now();

  Measured measured{.graph = summarize(job)};

  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
  measured.us_per_task = took.count() / static_cast<double>(measured.graph.all_tasks());
  measured.kilobytes = peak_kilobytes() - before;
  std::cout << measured.us_per_task << " us a task, " << measured.kilobytes << " KiB more\n";
  return measured;
}

TEST(LongGraph, OfShortLivedDataTakesLittleMemory) {
  const Measured measured = measure(R"(
data.A = { for = "i in 0..10000000", shape = [16], dtype = "f32", origin = "iota" }
data.B = { shape = [16], dtype = "f32", origin = "ones" }
data.C = { for = "i in 0..10000000", shape = [16], dtype = "f32" }
[[task]]
for = ["block in 0..10000", "i in 0..1000"]
kernel = "add"
read = ["A[1000 * block + i]", "B"]
write = ["C[1000 * block + i]"]
)");

  EXPECT_EQ(measured.graph.all_tasks(), 20'000'001);
  EXPECT_EQ(measured.graph.depth, 2);
  EXPECT_EQ(measured.graph.width, 10'000'001);
  EXPECT_EQ(measured.graph.alive_bytes_max, 3 * 64);
  EXPECT_LT(measured.us_per_task, 1.0);
  EXPECT_LT(measured.kilobytes, 16 * 1024);
}

TEST(LongGraph, OfLongChainsTakesLittleMemory) {
  const Measured measured = measure(R"(
data.x = { for = "i in 0..2", shape = [16], dtype = "f32", origin = "zeros" }
[[task]]
for = ["round in 0..5000000", "i in 0..2"]
kernel = "increment"
read_write = ["x[i]"]
)");

  EXPECT_EQ(measured.graph.tasks, 10'000'000);
  EXPECT_EQ(measured.graph.depth, 5'000'001);
  EXPECT_EQ(measured.graph.width, 2);
  EXPECT_EQ(measured.graph.width_levels, 8);
  EXPECT_EQ(measured.graph.speedup_max(), 2.0);
  EXPECT_LT(measured.us_per_task, 1.0);
  EXPECT_LT(measured.kilobytes, 20 * 1024);
}

TEST(LongGraph, OfLongLivedDataTakes32BytesADatum) {
  const Measured measured = measure(R"(
data.x = { for = "i in 0..5000000", shape = [16], dtype = "f32", origin = "zeros" }
[[task]]
for = ["round in 0..2", "i in 0..5000000"]
kernel = "increment"
read_write = ["x[i]"]
)");

  EXPECT_EQ(measured.graph.depth, 3);
  EXPECT_EQ(measured.graph.alive_bytes_max, 5'000'000LL * 64);
  EXPECT_LT(measured.us_per_task, 1.0);
  EXPECT_LT(measured.kilobytes, 5'000'000 * 40 / 1024);
}

}  // namespace
}  // namespace penstock::jobs::test
