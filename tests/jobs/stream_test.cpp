#include "jobs/stream.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "jobs/test_kernels.hpp"

namespace penstock::jobs::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Stream, YieldsCreationOriginTaskAndReleaseInOrder) {
  const JobFolder folder(R"(
data.A = { for = "i in 0..2", shape = [2, 2], dtype = "f32", origin = "ones" }
data.B = { shape = [2, 2], dtype = "f32", origin = "iota" }
data.C = { for = "i in 0..2", shape = [2, 2], dtype = "f32" }
[[task]]
for = "i in 0..2"
kernel = "gemm"
read = ["A[i]", "B"]
write = ["C[i]"]
[[save]]
for = "i in 0..2"
data = "C[1 - i]"
file = "c_{i:02}.npy"
)");

  EXPECT_THAT(steps_of(folder.load()),
              ElementsAre("make A[0]", "*fill >A[0]", "make B", "*iota >B", "make C[0]", "gemm A[0] B >C[0]",
                          "release A[0]", "make A[1]", "*fill >A[1]", "make C[1]", "gemm A[1] B >C[1]", "release A[1]",
                          "release B", "save C[1] c_00.npy", "release C[1]", "save C[0] c_01.npy", "release C[0]"));
}

TEST(Stream, SaysWhichArgumentsCommuteAndHowOthersAreReduced) {
  const JobFolder folder(R"(
data.x = { shape = [2], dtype = "f64", origin = "ones" }
data.total = { shape = [2], dtype = "f64" }
data.most = { shape = [2], dtype = "f64", origin = "zeros" }
[[task]]
for = "i in 0..2"
kernel = "mix"
read_write = ["x", "total"]
commute = ["x"]
reduce = { y = "sum" }
[[task]]
kernel = "mix"
read_write = ["most", "total"]
reduce = { y = "product", x = { combine = "larger", neutral = -1 } }
)");
  const Job job = folder.load();

  EXPECT_THAT(steps_of(job),
              ElementsAre("make x", "*fill >x", "make total", "mix %x &total", "mix %x &total", "release x",
                          "make most", "*fill >most", "mix &most &total", "release most", "release total"));
  Stream stream = job.stream();
  Step step;
  while (stream.next(step) && (step.kind != Step::Kind::task || step.accesses[0].mode != AccessMode::reduce)) {
  }
  const Reduction& own = *step.accesses[0].reduction;
  EXPECT_EQ(own.combine->name, "larger");
  EXPECT_TRUE(own.combine_parameters.empty());
  EXPECT_EQ(own.neutral->name, "fill");
  EXPECT_EQ(std::get<double>(own.neutral_parameters.at(0)), -1.0);
  const Reduction& product = *step.accesses[1].reduction;
  EXPECT_EQ(product.combine->name, "combine");
  EXPECT_EQ(std::get<std::string>(product.combine_parameters.at(0)), "product");
  EXPECT_EQ(product.neutral->name, "neutral");
  EXPECT_EQ(std::get<std::string>(product.neutral_parameters.at(0)), "product");
}

TEST(Stream, OrderOfTheFileIsTheOrderOfEntries) {
  const JobFolder folder(R"(
data.A = { shape = [4], dtype = "f64", origin = "zeros" }
save = [ { data = "A", file = "before.npy" } ]
task = [ { kernel = "increment", read_write = ["A"] } ]
)");
  const JobFolder tables(R"(
data.A = { shape = [4], dtype = "f64", origin = "zeros" }
[[task]]
kernel = "increment"
read_write = ["A"]
[[save]]
data = "A"
file = "one.npy"
[[task]]
kernel = "increment"
read_write = ["A"]
[[save]]
data = "A"
file = "two.npy"
)");

  EXPECT_THAT(steps_of(folder.load()),
              ElementsAre("make A", "*fill >A", "save A before.npy", "increment +A", "release A"));
  EXPECT_THAT(steps_of(tables.load()), ElementsAre("make A", "*fill >A", "increment +A", "save A one.npy",
                                                   "increment +A", "save A two.npy", "release A"));
}

TEST(Stream, DataOfAMovingSubscriptAreReleasedWhenItHasPassed) {
  const JobFolder folder(R"(
data.x = { for = "i in 0..4", shape = [1], dtype = "i32", origin = "iota" }
data.y = { for = "i in 0..3", shape = [1], dtype = "i32" }
[[task]]
for = "i in 0..3"
kernel = "add"
read = ["x[i]", "x[i + 1]"]
write = ["y[i]"]
)");

  EXPECT_THAT(steps_of(folder.load()),
              ElementsAre("make x[0]", "*iota >x[0]", "make x[1]", "*iota >x[1]", "make y[0]", "add x[0] x[1] >y[0]",
                          "release y[0]", "release x[0]", "make x[2]", "*iota >x[2]", "make y[1]",
                          "add x[1] x[2] >y[1]", "release y[1]", "release x[1]", "make x[3]", "*iota >x[3]",
                          "make y[2]", "add x[2] x[3] >y[2]", "release y[2]", "release x[2]", "release x[3]"));
}

TEST(Stream, DataStayUntilTheEndOfTheLastEntryWhenSubscriptsSayNothing) {
  const JobFolder folder(R"(
data.x = { for = "i in 0..3", shape = [1], dtype = "i32", origin = "iota" }
data.y = { for = "i in 0..3", shape = [1], dtype = "i32" }
[[task]]
for = "i in 0..3"
kernel = "add"
read = ["x[i]", "x[2 - i]"]
write = ["y[i]"]
)");

  const auto steps = steps_of(folder.load());

  EXPECT_THAT(std::vector(steps.end() - 5, steps.end()),
              ElementsAre("add x[2] x[0] >y[2]", "release y[2]", "release x[0]", "release x[1]", "release x[2]"));
}

TEST(Stream, ElementsThatTheLastEntryDoesNotNameAreReleasedAfterIt) {
  const JobFolder folder(R"(
data.x = { for = "i in 10..14", shape = [1], dtype = "i32", origin = "iota" }
[[task]]
for = "i in 10..14"
kernel = "increment"
read_write = ["x[i]"]
[[save]]
for = "i in 0..2"
data = "x[2 * i + 11]"
file = "{i}"
)");

  const auto steps = steps_of(folder.load());

  EXPECT_THAT(
      std::vector(steps.end() - 6, steps.end()),
      ElementsAre("save x[11] 0", "release x[11]", "save x[13] 1", "release x[13]", "release x[10]", "release x[12]"));
}

TEST(Stream, OneSubscriptTwiceInATaskReleasesOnce) {
  const JobFolder folder(R"(
data.x = { shape = [1], dtype = "i32", origin = "iota" }
data.y = { shape = [1], dtype = "i32" }
[[task]]
kernel = "add"
read = ["x", "x"]
write = ["y"]
)");

  EXPECT_THAT(steps_of(folder.load()),
              ElementsAre("make x", "*iota >x", "make y", "add x x >y", "release x", "release y"));
}

TEST(Stream, SeveralSubscriptsFollowTheRangesOfTheFamily) {
  const JobFolder folder(R"(
[data.x]
for = ["i in 0..2", "j in -1..2"]
shape = [1]
dtype = "i32"
origin = "uniform"
seed = "100 * i + j"
high = 9
[[task]]
for = ["a in 0..2", "b in 0..3"]
kernel = "increment"
read_write = ["x[1 - a, b - 1]"]
)");
  const Job job = folder.load();
  std::map<std::string, std::int64_t> seeds;

  Stream stream = job.stream();
  for (Step step; stream.next(step);) {
    if (!step.is_origin) continue;
    seeds[job.datum_name(step.datum)] = std::get<std::int64_t>(step.parameters[0]);
    EXPECT_EQ(step.parameters[1], Parameter(0.0));
    EXPECT_EQ(step.parameters[2], Parameter(9.0));
  }

  EXPECT_EQ(
      seeds,
      (std::map<std::string, std::int64_t>{
          {"x[0, -1]", -1}, {"x[0, 0]", 0}, {"x[0, 1]", 1}, {"x[1, -1]", 99}, {"x[1, 0]", 100}, {"x[1, 1]", 101}}));
}

TEST(Stream, TasksCarryCompleteParametersCoresAndPlace) {
  const JobFolder folder(R"(data.A = { shape = [3, 2], dtype = "f32", origin = "ones" }
data.C = { shape = [2, 2], dtype = "f32", origin = "zeros" }
[[task]]
kernel = "gemm"
read = ["A", "A"]
read_write = ["C"]
parameters = { beta = 2, transpose_a = true }
cores = 4
)");
  const Job job = folder.load();
  Stream stream = job.stream();
  Step step;

  while (stream.next(step) && (step.kind != Step::Kind::task || step.is_origin)) {
  }

  EXPECT_EQ(text_of(job, step), "gemm A A +C");
  EXPECT_THAT(step.parameters, ElementsAre(Parameter(true), Parameter(false), Parameter(1.0), Parameter(2.0)));
  EXPECT_EQ(step.cores, 4);
  EXPECT_EQ(step.place.line, 3U);
  EXPECT_EQ(step.place.file, folder.path());
}

TEST(Stream, MakesCarryTheTypeAndLoadsThePath) {
  const std::string data = PENSTOCK_NPY_DATA;
  const JobFolder folder("data.A = { shape = [2, 3, 4], dtype = 'f32', origin = 'file', file = '" + data +
                         "/f4.npy' }\nsave = [ { data = 'A', file = 'a.npy' } ]");
  Stream stream = folder.load().stream();  // outlives its job
  Step step;

  ASSERT_TRUE(stream.next(step));
  EXPECT_EQ(step.type, (ArrayType{DType::f32, {2, 3, 4}}));
  ASSERT_TRUE(stream.next(step));
  EXPECT_EQ(step.kernel->name, "load");
  EXPECT_EQ(step.parameters[0], Parameter(data + "/f4.npy"));
}

TEST(Stream, EveryDatumMadeIsReleasedOnceAndNeverUsedAfterwards) {
  const JobFolder folder(R"(
data.x = { for = ["i in 0..9", "j in 0..9"], shape = [1], dtype = "i32", origin = "iota" }
data.y = { for = "i in 0..200", shape = [1], dtype = "i32" }
[[task]]
for = ["i in 0..9", "j in 0..9"]
kernel = "add"
read = ["x[i, j]", "x[j, i]"]
write = ["y[i + 9 * j]"]
[[task]]
for = ["r in 0..3", "i in 0..40"]
kernel = "increment"
read_write = ["y[2 * i]"]
[[task]]
for = "i in 0..9"
kernel = "increment"
read_write = ["x[i, 8 - i]"]
)");
  const Job job = folder.load();
  std::set<std::pair<std::uint32_t, std::int64_t>> alive;
  std::size_t made = 0;

  Stream stream = job.stream();
  for (Step step; stream.next(step);) {
    const std::pair key(step.datum.family, step.datum.element);
    if (step.kind == Step::Kind::make) {
      EXPECT_TRUE(alive.insert(key).second);
      ++made;
    } else if (step.kind == Step::Kind::release) {
      EXPECT_EQ(alive.erase(key), 1U);
    }
    if (step.kind != Step::Kind::task) continue;
    for (const DatumAccess& each : step.accesses) EXPECT_TRUE(alive.contains({each.datum.family, each.datum.element}));
  }

  EXPECT_TRUE(alive.empty());
  EXPECT_EQ(made, 81U + 81U);
}

TEST(Stream, StreamsOfOneJobAreIndependent) {
  const JobFolder folder(R"(
data.x = { for = "i in 0..3", shape = [1], dtype = "i32", origin = "iota" }
task = [ { for = "i in 0..3", kernel = "increment", read_write = ["x[i]"] } ]
)");
  const Job job = folder.load();
  Stream first = job.stream();
  Step step;

  for (int i = 0; i < 5; ++i) ASSERT_TRUE(first.next(step));

  EXPECT_EQ(steps_of(job).size(), 12U);
  EXPECT_TRUE(first.next(step));
}

TEST(Stream, StaysAtItsEnd) {
  const JobFolder folder("task = [ { kernel = 'spin', parameters = { microseconds = 1 } } ]");
  Stream stream = folder.load().stream();
  Step step;

  EXPECT_TRUE(stream.next(step));
  EXPECT_FALSE(stream.next(step));
  EXPECT_FALSE(stream.next(step));
}

TEST(Job, TotalsAreThoseOfTheStream) {
  const JobFolder folder(R"(
data.A = { for = "i in 0..5", shape = [10, 10], dtype = "f64", origin = "ones" }
data.B = { shape = [10, 10], dtype = "f64", origin = "ones" }
data.C = { for = "i in 0..5", shape = [10, 10], dtype = "f64" }
data.unused = { for = "i in 0..1000", shape = [10, 10], dtype = "f64" }
[[task]]
for = "i in 0..5"
kernel = "gemm"
read = ["A[i]", "B"]
write = ["C[i]"]
[[save]]
for = "i in 0..3"
data = "C[i]"
file = "c_{i}"
)");

  const Totals totals = folder.load().totals();

  EXPECT_EQ(totals.tasks, 5);
  EXPECT_EQ(totals.saves, 3);
  EXPECT_EQ(totals.origin_tasks, 6);
  EXPECT_EQ(totals.data, 11);
  EXPECT_EQ(totals.data_bytes, 11 * 800);
  EXPECT_EQ(totals.task_bytes_max, 2400);
}

TEST(Job, NameIsThatOfTheTableOrTheFile) {
  const std::string task = "task = [ { kernel = 'spin', parameters = { microseconds = 1 } } ]\n";

  EXPECT_EQ(JobFolder(task).load().name(), "job");
  EXPECT_EQ(JobFolder(task + "[job]\nname = 'spins-2'").load().name(), "spins-2");
}

}  // namespace
}  // namespace penstock::jobs::test
