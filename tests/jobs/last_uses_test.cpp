#include "jobs/last_uses.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "jobs/test_kernels.hpp"

namespace penstock::jobs::test {
namespace {

/// The most data of each family that are there at once.
std::map<std::string, std::int64_t> most_alive(const Job& job) {
  std::map<std::string, std::int64_t> alive;
  std::map<std::string, std::int64_t> most;
  Stream stream = job.stream();
  for (Step step; stream.next(step);) {
    if (step.kind != Step::Kind::make && step.kind != Step::Kind::release) continue;
    const std::string name = job.families()[step.datum.family].name;
    alive[name] += step.kind == Step::Kind::make ? 1 : -1;
    most[name] = std::max(most[name], alive[name]);
  }
  for (const auto& [name, count] : alive) EXPECT_EQ(count, 0) << name << " is not released";
  return most;
}

std::map<std::string, std::int64_t> most_alive(const std::string& text) { return most_alive(JobFolder(text).load()); }

TEST(LastUses, TilesOfAProductThatIsSavedAtOnceGoWithTheirLoops) {
  const auto most = most_alive(R"(
values.t = 6
defaults.data = { shape = [60, 60], tile = [10, 10], dtype = "f32" }
data = { A = { origin = "ones" }, B = { origin = "ones" }, C = {} }
[[group]]
for = ["i in 0..t", "j in 0..t"]
[[group.task]]
kernel = "gemm"
read = ["A[i, 0]", "B[0, j]"]
write = ["C[i, j]"]
[[group.task]]
for = "k in 1..t"
kernel = "gemm"
read = ["A[i, k]", "B[k, j]"]
read_write = ["C[i, j]"]
parameters = { beta = 1 }
[[group.save]]
data = "C[i, j]"
file = "c_{i}_{j}.npy"
)");

  EXPECT_EQ(most.at("C"), 1) << "of this i and j";
  EXPECT_EQ(most.at("A"), 6) << "of this i";
  EXPECT_EQ(most.at("B"), 36) << "each i reads all of them";
}

TEST(LastUses, TilesOfAWholeSaveGoOneByOne) {
  const auto most = most_alive(R"(
data.A = { shape = [64, 64], tile = [8, 8], dtype = "f32", origin = "ones" }
save = [ { data = "A", file = "a.npy" } ]
)");

  EXPECT_EQ(most.at("A"), 1);
  EXPECT_LE(most.at("(elements written)"), 9);
}

TEST(LastUses, TimeStepsGoWhenTimeHasPassed) {
  const auto most = most_alive(R"(
values = { times = 20, points = 30 }
[data.x]
for = ["t in 0..times+1", "i in 0..points"]
shape = [4]
dtype = "f64"
origin = "zeros"
[[group]]
for = "t in 0..times"
[[group.task]]
for = "i in 1..points - 1"
kernel = "add"
read = ["x[t, i - 1]", "x[t, i + 1]"]
write = ["x[t + 1, i]"]
[[group.task]]
if = "t % 5 == 4"
kernel = "increment"
read_write = ["x[t + 1, 7]"]
)");

  EXPECT_LE(most.at("x"), 60) << "two times of 30 points";
}

TEST(LastUses, SubscriptsThatFallGoTheOtherWay) {
  const auto most = most_alive(R"(
data.x = { for = "i in 0..101", shape = [1], dtype = "i32", origin = "zeros" }
[[task]]
for = "k in 0..100"
kernel = "add"
read = ["x[100 - k]", "x[100 - k]"]
write = ["x[99 - k]"]
)");

  EXPECT_EQ(most.at("x"), 2);
}

TEST(LastUses, StridesAndOffsetsCanTellStepsApart) {
  const auto most = most_alive(R"(
data.x = { for = "i in 0..300", shape = [1], dtype = "i32", origin = "zeros" }
data.y = { for = "i in 0..100", shape = [1], dtype = "i32" }
[[group]]
for = ["block in 0..10", "i in 0..10"]
[[group.task]]
kernel = "add"
read = ["x[30 * block + 3 * i]", "x[30 * block + 3 * i + 2]"]
write = ["y[i + 10 * block]"]
[[group.task]]
kernel = "increment"
read_write = ["y[10 * block + i]"]
)");

  EXPECT_EQ(most.at("x"), 2);
  EXPECT_EQ(most.at("y"), 1);
}

TEST(LastUses, DataThatComeAgainStay) {
  const auto most = most_alive(R"(
values.again = [3, 4, 3]
data.x = { for = "i in 0..10", shape = [1], dtype = "i32", origin = "zeros" }
data.y = { for = "i in 0..10", shape = [1], dtype = "i32", origin = "zeros" }
[[task]]
for = "i in again"
kernel = "increment"
read_write = ["x[i]"]
[[task]]
for = ["round in 0..3", "i in 0..10"]
kernel = "increment"
read_write = ["y[i]"]
)");

  EXPECT_EQ(most.at("x"), 2);
  EXPECT_EQ(most.at("y"), 10);
}

TEST(LastUses, OfAGroupThatHasNoStepAreThere) {
  const auto most = most_alive(R"(
data.x = { for = "i in 0..10", shape = [1], dtype = "i32", origin = "zeros" }
[[task]]
for = "i in 0..10"
kernel = "increment"
read_write = ["x[i]"]
[[group]]
if = "1 == 2"
[[group.task]]
kernel = "increment"
read_write = ["x[3]"]
)");

  EXPECT_EQ(most.at("x"), 10) << "they go where the last entry that names them would be";
}

TEST(LastUses, TriangularLoopsKeepWhatIsRead) {
  const auto most = most_alive(R"(
data.x = { for = "i in 0..20", shape = [1], dtype = "i32", origin = "zeros" }
data.y = { for = ["i in 0..20", "j in 0..20"], shape = [1], dtype = "i32" }
[[group]]
for = "i in 0..20"
[[group.task]]
for = "j in 0..i"
kernel = "add"
read = ["x[i]", "x[j]"]
write = ["y[i, j]"]
)");

  EXPECT_EQ(most.at("x"), 20);
  EXPECT_EQ(most.at("y"), 1);
}

}  // namespace
}  // namespace penstock::jobs::test
