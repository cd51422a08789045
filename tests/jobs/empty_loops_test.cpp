/// Ranges that are empty for the values of a job: loops over nothing, which other values would fill.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <penstock/error.hpp>

#include "jobs/graph_summary.hpp"
#include "jobs/test_kernels.hpp"

namespace penstock::jobs::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string data = "data.x = { for = 'i in 0..4', shape = [2], dtype = 'f64', origin = 'ones' }\n";
const std::string increment = "kernel = 'increment'\nread_write = ";

std::string message_of(const std::string& text) {
  try {
    static_cast<void>(JobFolder(text).load());
  } catch (const Error& error) {
    return error.what();
  }
  return "no mistake found";
}

TEST(EmptyLoop, HasNoStepAndHidesNone) {
  const JobFolder folder("values = { n = 1, m = 3 }\n" + data + "[[task]]\nfor = 'k in 1..n'\n" + increment +
                         "['x[k]']\n[[task]]\nfor = ['j in 0..2', 'k in m..n step m']\n" + increment +
                         "['x[k]']\n[[group]]\nfor = 'k in n..n'\n[[group.task]]\nfor = 'j in k+1..n'\n" + increment +
                         "['x[j]']\n[[group.save]]\ndata = 'x[k]'\nfile = '{k}.npy'\n[[task]]\n" + increment +
                         "['x[2]']\n");

  EXPECT_THAT(steps_of(folder.load()), ElementsAre("make x[2]", "*fill >x[2]", "increment +x[2]", "release x[2]"));
  EXPECT_THAT(steps_of(folder.load({{"n", "2"}})), testing::Contains("increment +x[1]"));
}

TEST(EmptyLoop, MayBeAllOfAJob) {
  const Job job =
      JobFolder("values.n = 0\n" + data + "[[task]]\nfor = 'i in 0..n'\n" + increment + "['x[i]']\n").load();

  EXPECT_THAT(steps_of(job), IsEmpty());
  EXPECT_EQ(job.totals().all_tasks(), 0);
  EXPECT_EQ(summarize(job).depth, 0);
}

/// What only a step can get wrong is no mistake where there is none: a subscript, two accesses of one datum, a divisor,
/// a parameter, the place of a read.
TEST(EmptyLoop, IsNotLookedIntoForWhatAStepWouldGetWrong) {
  const std::string values = "values = { n = 1, big = 70 }\n" + data;
  const std::string loop = "[[task]]\nfor = 'k in 1..n'\n";

  EXPECT_EQ(message_of(values + loop + increment + "['x[k + big]']\n"), "no mistake found");
  EXPECT_EQ(message_of(values + loop + "kernel = 'add'\nread = ['x[0]', 'x[1]']\nwrite = ['x[n - 1]']\n"),
            "no mistake found");
  EXPECT_EQ(message_of(values + "[[task]]\nfor = ['k in n..n', 'j in k+1..n']\nif = 'j % k == 0 and k / j == 0'\n" +
                       increment + "['x[j]']\n"),
            "no mistake found");
  EXPECT_EQ(message_of(values + loop + "kernel = 'spin'\nparameters = { microseconds = 'n - k' }\n"),
            "no mistake found");
}

TEST(EmptyLoop, IsAMistakeWhereNoValueCouldFillIt) {
  const auto message = [](const std::string& range) {
    return message_of("values = { n = 1 }\n" + data + "[[group]]\nfor = 'g in 0..4'\n[[group.task]]\nfor = '" + range +
                      "'\n" + increment + "['x[i]']\n");
  };

  EXPECT_THAT(message("i in 5..2"), HasSubstr("the range 'i in 5..2' is empty"));
  EXPECT_THAT(message("i in g+2..g+1"), HasSubstr("is empty"));
  EXPECT_THAT(message("i in 2..(1 + 1) step n"), HasSubstr("is empty"));
  EXPECT_EQ(message("i in n..1"), "no mistake found");
  EXPECT_EQ(message("i in g+n..g"), "no mistake found");
}

TEST(EmptyFamily, HasNoDataAndCanBeNamedInEmptyLoops) {
  const std::string text =
      "values.n = 0\n[data.y]\nfor = ['i in 0..n', 'j in 0..3']\nshape = [5]\ntile = [2]\ndtype = 'f64'\n"
      "origin = 'uniform'\nseed = 'i'\n[[task]]\nfor = ['i in 0..n', 't in 0..3']\n" +
      increment + "['y[i, 2, t]']\n[[save]]\nfor = 'i in 0..n'\ndata = 'y[i, 0]'\nfile = 'y_{i}.npy'\n";
  const JobFolder folder(text);

  EXPECT_THAT(steps_of(folder.load()), IsEmpty());
  EXPECT_THAT(steps_of(folder.load({{"n", "1"}})), testing::Contains(testing::EndsWith("y_0.npy")));
  EXPECT_THAT(message_of(text + "[[task]]\n" + increment + "['y[0, 0, 0]']\n"),
              HasSubstr("the subscript '0' becomes 0, y has 0..0"));
}

/// The elements of the other ranges are not numbered beyond 64 bits.
TEST(EmptyFamily, IsNoLargerThanOthers) {
  EXPECT_THAT(message_of("values.n = 0\n[data.y]\nfor = ['i in 0..n', 'j in 0..2147483649']\nshape = [1]\n"
                         "dtype = 'f64'\n[[task]]\nfor = 'i in 0..n'\nkernel = 'fill'\nwrite = ['y[i, i]']\n"),
              HasSubstr("the family has more than 2^31 elements"));
}

}  // namespace
}  // namespace penstock::jobs::test
