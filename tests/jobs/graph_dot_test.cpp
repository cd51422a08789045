#include "jobs/graph_dot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <penstock/error.hpp>

#include "jobs/dot_reader.hpp"
#include "jobs/naive_graph.hpp"

namespace penstock::jobs::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(GraphDot, DrawsTasksInBoxesByLineAndWhatTheyReadAsEdges) {
  const JobFolder folder(R"(data.A = { for = "i in 0..2", shape = [2], dtype = "f32", origin = "ones" }
data.C = { shape = [2], dtype = "f32" }
[[task]]
kernel = "add"
read = ["A[0]", "A[1]"]
write = ["C"]
[[save]]
data = "C"
file = "c.npy"
)");

  const DotGraph graph = read_dot(graph_dot(folder.load()));

  EXPECT_EQ(graph.name, "job");
  EXPECT_THAT(graph.labels, ElementsAre("0 fill\n-> A[0]", "1 fill\n-> A[1]", "2 add\nA[0], A[1] -> C", "3 save\nC"));
  const std::string place = folder.path() + ':';
  EXPECT_THAT(graph.boxes, ElementsAre(place + "1", place + "1", place + "3", place + "7"));
  EXPECT_THAT(graph.edges,
              ElementsAre(std::tuple(0U, 2U, "A[0]"), std::tuple(1U, 2U, "A[1]"), std::tuple(2U, 3U, "C")));
}

TEST(GraphDot, DrawsWhatTasksReduceIntoAsOneNodeWhereItIsRead) {
  const JobFolder folder(R"(
data.x = { shape = [2], dtype = "f32" }
[[task]]
for = "i in 0..2"
kernel = "increment"
read_write = ["x"]
reduce = { x = "sum" }
[[save]]
data = "x"
file = "x.npy"
[[task]]
kernel = "increment"
read_write = ["x"]
)");

  const std::string text = graph_dot(folder.load());

  for (const char* const line :
       {"t0 [label=\"0 increment\\n-> x\"]", "c0 [label=\"combine\\nx\", shape=ellipse]", "t0 -> c0 [label=\"x\"]",
        "t1 -> c0 [label=\"x\"]", "c0 -> t2 [label=\"x\"]", "c0 -> t3 [label=\"x\"]"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_EQ(std::ranges::count(text, '>'), 2 + 2 + 2 + 1);
}

TEST(GraphDot, HasNoEdgeForWhatIsOnlyWritten) {
  const JobFolder folder(R"(
data.a = { shape = [2], dtype = "f32", origin = "ones" }
data.y = { shape = [2], dtype = "f32" }
[[task]]
for = "i in 0..3"
kernel = "add"
read = ["a", "a"]
write = ["y"]
)");

  const DotGraph graph = read_dot(graph_dot(folder.load()));

  EXPECT_THAT(graph.edges, ElementsAre(std::tuple(0U, 1U, "a"), std::tuple(0U, 2U, "a"), std::tuple(0U, 3U, "a")));
}

TEST(GraphDot, RefusesMoreTasksThanItMayDraw) {
  const JobFolder folder("task = [ { for = 'i in 0..10', kernel = 'spin', parameters = { microseconds = 1 } } ]");
  const Job job = folder.load();

  EXPECT_EQ(read_dot(graph_dot(job, {}, 10)).labels.size(), 10U);
  try {
    static_cast<void>(graph_dot(job, {}, 9));
    FAIL() << "drawn";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_THAT(error.what(), HasSubstr("more than 9 tasks"));
    EXPECT_THAT(error.what(), testing::Not(HasSubstr("\n")));
  }
}

TEST(GraphDot, EscapesWhatWouldEndAStringOrMeanSomething) {
  const std::string text = "say \"a\\N\"\nand <b> &amp; c";

  EXPECT_EQ(dot_escaped(text), "say \\\"a\\\\N\\\"\\nand <b> &amp;amp; c");
  EXPECT_EQ(dot_escaped(std::string("bell\a tab\t nul\0 del\x7f caf\xc3\xa9", 26)), "bell  tab  nul  del  caf\xc3\xa9");
  EXPECT_EQ(read_dot("digraph \"x\" {\n  t0 [label=\"" + dot_escaped(text) + "\"];\n}\n").labels[0], text);
}

TEST(GraphDot, HasTheTasksAndEdgesOfTheNaiveGraphOnRandomJobs) {
  int accepted = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const JobFolder folder(random_job(seed));
    try {
      const Job job = Job::load(JobText(folder.path()), counting_kernels());
      const DotGraph graph = read_dot(graph_dot(job));
      NaiveGraph naive(job);

      ASSERT_EQ(graph.labels.size(), naive.tasks.size()) << "seed " << seed;
      for (std::size_t i = 0; i < naive.tasks.size(); ++i) {
        EXPECT_THAT(graph.boxes[i], testing::EndsWith(std::string(":").append(std::to_string(naive.tasks[i].line))));
      }
      EXPECT_THAT(graph.edges, testing::UnorderedElementsAreArray(naive.edges)) << "seed " << seed;
      ++accepted;
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), ErrorCode::bad_job) << error.what();
    }
  }
  EXPECT_GT(accepted, 50);
}

}  // namespace
}  // namespace penstock::jobs::test
