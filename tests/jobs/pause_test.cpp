/// Loops that pass over very many steps let their caller look up meanwhile.
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "jobs/graph_dot.hpp"
#include "jobs/graph_summary.hpp"
#include "jobs/test_kernels.hpp"

namespace penstock::jobs::test {
namespace {

const std::string data = "data.x = { for = 'i in 0..2147483647', shape = [2], dtype = 'f64', origin = 'ones' }\n";
const std::string increment = "kernel = 'increment'\nread_write = ['x[i]']\n";

struct Walked {
  std::vector<std::string> steps;
  int pauses = 0;
};

Walked walk(const Job& job) {
  Walked walked;
  for (std::string& step : steps_of(job)) {
    if (step == "pause")
      ++walked.pauses;
    else
      walked.steps.push_back(std::move(step));
  }
  return walked;
}

const std::vector<std::string> two_tasks{"make x[70000]",        "*fill >x[70000]",  "increment +x[70000]",
                                         "release x[70000]",     "make x[199999]",   "*fill >x[199999]",
                                         "increment +x[199999]", "release x[199999]"};

TEST(Pause, ComesWhereConditionsAreFalse) {
  const Walked walked =
      walk(JobFolder(data + "[[task]]\nfor = 'i in 0..200000'\nif = 'i == 70000 or i == 199999'\n" + increment).load());

  EXPECT_EQ(walked.steps, two_tasks);
  EXPECT_EQ(walked.pauses, 1 + 1) << "in 70000 turns, and in 129998";
}

TEST(Pause, ComesWhereGroupsHaveNothingToDo) {
  const Walked walked = walk(JobFolder(data + "[[group]]\nfor = 'i in 0..200000'\n[[group.task]]\n" +
                                       "if = 'i == 70000 or i == 199999'\n" + increment)
                                 .load());

  EXPECT_EQ(walked.steps, two_tasks);
  EXPECT_GE(walked.pauses, 2);
  EXPECT_LE(walked.pauses, 2 * 200'000 * 4 / 65536) << "a few turns of the walk for each of the group's steps";
}

TEST(Pause, ComesWhereInnerRangesAreEmpty) {
  const Walked walked =
      walk(JobFolder(data + "[[task]]\nfor = ['j in 0..200000', 'i in 399998-j..j+1']\n" + increment).load());

  EXPECT_EQ(walked.steps.size(), 4U);
  EXPECT_EQ(walked.pauses, 199'999 / 65536);
}

/// So many that none of these ends before it is told to.
class EndlessJob : public testing::Test {
 protected:
  struct Enough : std::runtime_error {
    using std::runtime_error::runtime_error;
  };

  const JobFolder folder_{data + "[[task]]\nfor = ['k in 0..1000000', 'i in 0..1000000']\nif = 'i < 0'\n" + increment};
  const Watch watch_ = [this](std::int64_t tasks) {
    EXPECT_EQ(tasks, 0);
    if (++looks_ == 3) throw Enough("");
  };
  int looks_ = 0;
};

TEST_F(EndlessJob, IsSummarizedUnderWatch) {
  const Job job = folder_.load();

  EXPECT_THROW(static_cast<void>(summarize(job, watch_)), Enough);
}

TEST_F(EndlessJob, IsDrawnUnderWatch) {
  const Job job = folder_.load();

  EXPECT_THROW(static_cast<void>(graph_dot(job, watch_)), Enough);
}

}  // namespace
}  // namespace penstock::jobs::test
