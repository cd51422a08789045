#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <variant>
#include <vector>

#include <penstock/error.hpp>

#include "jobs/test_kernels.hpp"

namespace penstock::jobs::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::int64_t integer(const Step& step, std::size_t parameter) {
  return std::get<std::int64_t>(step.parameters[parameter]);
}

std::string message_of(const JobFolder& folder) {
  try {
    static_cast<void>(folder.load());
  } catch (const Error& error) {
    return error.what();
  }
  return "no mistake found";
}

/// Types of the data, by their names.
std::map<std::string, std::string> types_of(const Job& job) {
  std::map<std::string, std::string> types;
  Stream stream = job.stream();
  for (Step step; stream.next(step);) {
    if (step.kind == Step::Kind::make) types[job.datum_name(step.datum)] = step.type.shape.to_string();
  }
  return types;
}

TEST(Tiles, OfTheLastRowAndColumnAreSmaller) {
  const JobFolder folder(R"toml(
values = { n = 5, tile = 3 }
[data.A]
for = "l in 2..4"
shape = ["n", "2 * n"]
tile = ["tile", 4]
dtype = "f32"
origin = "ones"
[data.v]
shape = ["n"]
tile = ["tile"]
dtype = "f32"
origin = "ones"
[[task]]
for = ["l in 2..4", "i in 0..ceil(n / tile)", "j in 0..3"]
kernel = "increment"
read_write = ["A[l, i, j]"]
[[task]]
for = "i in 0..2"
kernel = "increment"
read_write = ["v[i]"]
)toml");

  const auto types = types_of(folder.load());

  EXPECT_EQ(types.size(), 14U);
  EXPECT_EQ(types.at("A[2, 0, 0]"), "[3, 4]");
  EXPECT_EQ(types.at("A[3, 1, 1]"), "[2, 4]");
  EXPECT_EQ(types.at("A[3, 0, 2]"), "[3, 2]");
  EXPECT_EQ(types.at("A[2, 1, 2]"), "[2, 2]");
  EXPECT_EQ(types.at("v[0]"), "[3]");
  EXPECT_EQ(types.at("v[1]"), "[2]");
}

TEST(Tiles, LargerThanTheArrayAreTheArray) {
  const JobFolder folder(R"(
data.A = { shape = [4, 6], tile = [100, 6], dtype = "f32", origin = "ones" }
task = [ { kernel = "increment", read_write = ["A[0, 0]"] } ]
)");

  EXPECT_EQ(types_of(folder.load()), (std::map<std::string, std::string>{{"A[0, 0]", "[4, 6]"}}));
}

TEST(Tiles, AreMadeAsPartsOfTheWhole) {
  const JobFolder folder(R"(
[data.A]
for = "l in 1..3"
shape = [5, 7]
tile = [3, 4]
dtype = "f32"
origin = "uniform"
seed = "10 * l"
[data.v]
shape = [10]
tile = [4]
dtype = "f32"
origin = "normal"
seed = 5
mean = 2
[[task]]
for = ["l in 1..3", "i in 0..2", "j in 0..2"]
kernel = "increment"
read_write = ["A[l, i, j]"]
[[task]]
for = "i in 0..3"
kernel = "increment"
read_write = ["v[i]"]
)");
  const Job job = folder.load();
  std::map<std::string, std::vector<std::int64_t>> made;

  Stream stream = job.stream();
  for (Step step; stream.next(step);) {
    if (!step.is_origin) continue;
    made[job.datum_name(step.datum)] = {integer(step, 0), integer(step, 3), integer(step, 4)};
    EXPECT_EQ(step.kernel->name, step.datum.family == 0 ? "uniform" : "normal");
  }

  EXPECT_THAT(made.at("A[1, 0, 0]"), ElementsAre(10, 0, 7));
  EXPECT_THAT(made.at("A[2, 0, 1]"), ElementsAre(20, 4, 7));
  EXPECT_THAT(made.at("A[2, 1, 1]"), ElementsAre(20, 3 * 7 + 4, 7));
  EXPECT_THAT(made.at("v[0]"), ElementsAre(5, 0, 0));
  EXPECT_THAT(made.at("v[2]"), ElementsAre(5, 8, 0));
}

TEST(Tiles, OfAFileAreItsBlocks) {
  const std::string data = PENSTOCK_NPY_DATA;  // f4 is [2, 3, 4]: no matrix
  const JobFolder folder("[data.A]\nshape = [6, 4]\ntile = [4, 3]\ndtype = 'f32'\norigin = 'file'\nfile = '" + data +
                         "/f4.npy'\n[[task]]\nfor = ['i in 0..2', 'j in 0..2']\nkernel = 'increment'\n"
                         "read_write = ['A[i, j]']\n");

  EXPECT_THAT(message_of(folder), HasSubstr("f4.npy holds f32 [2, 3, 4], [data.A] says f32 [6, 4]"));
}

TEST(Tiles, AreSavedIntoOneFile) {
  const JobFolder folder(R"(
data.A = { for = "l in 0..2", shape = [3, 2], tile = [2, 2], dtype = "f32", origin = "ones" }
[[save]]
for = "l in 0..2"
data = "A[l]"
file = "a_{l}.npy"
)");
  const Job job = folder.load();
  const std::string count = "(elements written)";
  std::vector<std::string> first = steps_of(job);
  first.resize(13);

  EXPECT_THAT(first,
              ElementsAre("make A[0, 0, 0]", "*fill >A[0, 0, 0]", "make " + count + "[0]",
                          "~save_part A[0, 0, 0] >" + count + "[0]", "release A[0, 0, 0]", "make A[0, 1, 0]",
                          "*fill >A[0, 1, 0]", "make " + count + "[1]", "~save_part A[0, 1, 0] >" + count + "[1]",
                          "release A[0, 1, 0]", "make " + count + "[2]",
                          "~add " + count + "[0] " + count + "[1] >" + count + "[2]", "release " + count + "[0]"));
  EXPECT_EQ(job.totals().saves, 2);
  EXPECT_EQ(job.totals().save_tasks, 8);
  EXPECT_EQ(job.totals().tasks, 0);
  EXPECT_EQ(job.totals().data, 4);
}

TEST(Tiles, PartsOfASaveSayWhereTheyAre) {
  const JobFolder folder(R"(
data.A = { shape = [5, 7], tile = [3, 4], dtype = "f32", origin = "ones" }
data.v = { shape = [5], tile = [3], dtype = "f32", origin = "ones" }
save = [ { data = "A", file = "a.npy" }, { data = "v", file = "v.npy" } ]
)");
  const Job job = folder.load();
  std::vector<std::vector<std::int64_t>> parts;
  std::vector<std::pair<std::string, std::int64_t>> files;

  Stream stream = job.stream();
  for (Step step; stream.next(step);) {
    if (step.kind == Step::Kind::save) files.emplace_back(path_of(step), integer(step, 1));
    if (!step.is_part || step.kernel->name != "save_part") continue;
    EXPECT_EQ(step.result_parameter, 0U);
    parts.push_back({integer(step, 1), integer(step, 2), integer(step, 3), integer(step, 4)});
  }

  EXPECT_EQ(parts, (std::vector<std::vector<std::int64_t>>{
                       {5, 7, 0, 0}, {5, 7, 0, 4}, {5, 7, 3, 0}, {5, 7, 3, 4}, {5, 0, 0, 0}, {5, 0, 3, 0}}));
  EXPECT_EQ(files, (std::vector<std::pair<std::string, std::int64_t>>{{"a.npy", 35}, {"v.npy", 5}}));
}

TEST(Tiles, AreSavedOneByOneToo) {
  const JobFolder folder(R"(
data.A = { shape = [3], tile = [2], dtype = "f32", origin = "ones" }
save = [ { for = "i in 0..2", data = "A[i]", file = "{i}" } ]
)");

  EXPECT_THAT(steps_of(folder.load()), ElementsAre("make A[0]", "*fill >A[0]", "save A[0] 0", "release A[0]",
                                                   "make A[1]", "*fill >A[1]", "save A[1] 1", "release A[1]"));
}

/// A product of blocks of 2 of an array of 5, with other blocks of B where it says so.
std::string product(const std::string& tile_of_b) {
  return "defaults.data = { shape = [5, 5], tile = [2, 2], dtype = 'f32', origin = 'ones' }\n"
         "data = { A = {}, B = { tile = " +
         tile_of_b +
         " }, C = {} }\n[[task]]\nfor = ['i in 0..3', 'j in 0..3', 'k in 0..3']\nkernel = 'gemm'\n"
         "read = ['A[i, k]', 'B[k, j]']\nread_write = ['C[i, j]']\nparameters = { beta = 1 }\n";
}

TEST(Tiles, AtTheEdgeAreCheckedWithTheOthers) {
  EXPECT_EQ(message_of(JobFolder(product("[2, 2]"))), "no mistake found");
  // Fits inside, and in the first column; where k is the last block, B's are of another size.
  EXPECT_THAT(message_of(JobFolder("values.n = 5\n" + product("[2, 2], shape = [6, 5]"))),
              HasSubstr(":7:9: kernel gemm: the columns of op(a) must be the rows of op(b)"));
}

TEST(Tiles, MistakesSayWhatIsWrong) {
  const auto with = [](const std::string& keys) {
    return message_of(JobFolder("[data.A]\ndtype = 'f32'\n" + keys + "\n[[save]]\ndata = 'A'\nfile = 'a'\n"));
  };

  EXPECT_THAT(with("shape = [4, 4]\ntile = [2]"), HasSubstr(":4:8: 'tile' has 1 extents and the shape 2"));
  EXPECT_THAT(with("shape = [4, 4, 4]\ntile = [2, 2, 2]"), HasSubstr(":4:8: 'tile' has 3 extents and the shape 3"));
  EXPECT_THAT(with("shape = [4]\ntile = [0]"), HasSubstr(":4:8: a tile of 0 of 4 is empty"));
  EXPECT_THAT(with("shape = [0]\ntile = [3]"), HasSubstr(":4:8: a tile of 3 of 0 is empty"));
  EXPECT_THAT(with("shape = [100000, 100000]\ntile = [1, 1]"),
              HasSubstr(":4:8: the family has more than 2^31 elements"));
  EXPECT_THAT(with("shape = [4]\ntile = 'n'"), HasSubstr(":4:8: 'tile' in [data.A] is a string"));
  EXPECT_THAT(with("shape = [4]\ntile = ['n']"), HasSubstr(":4:9: unknown index or value 'n'"));
  EXPECT_THAT(with("shape = [4]\ntile = [2]"), HasSubstr(":6:8: data A is read before anything wrote it"));
}

TEST(Tiles, EmptyListMeansNoTiles) {
  const JobFolder folder(R"(
[defaults.data]
tile = [2, 2]
dtype = "f32"
origin = "ones"
[data.A]
shape = [4, 4]
[data.b]
shape = [4, 4, 4]
tile = []
[[save]]
data = "b"
file = "b.npy"
)");

  EXPECT_THAT(steps_of(folder.load()), ElementsAre("make b", "*fill >b", "save b b.npy", "release b"));
}

}  // namespace
}  // namespace penstock::jobs::test
