#include "frontend/failure_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace penstock::frontend {

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

void add(FailureLog& log, std::uint64_t task, core::Outcome outcome, const std::string& message,
         std::uint64_t cause = 0) {
  const core::Ending ending{.task = core::TaskId(task),
                            .attempt = core::Attempt(1),
                            .outcome = outcome,
                            .rank = core::RankId(3),
                            .device = core::DeviceId(1),
                            .cause = core::TaskId(cause),
                            .message = message};
  log.add({.ending = ending, .kernel = {}, .place = Place("pump.cpp", 12), .bytes = 0}, "pump");
}

TEST(FailureLog, SaysWhatFailedWhereAndWhy) {
  FailureLog log;

  add(log, 5, core::Outcome::failed, "no water");

  EXPECT_THAT(log.why(core::TaskId(5)), AllOf(HasSubstr("pump (pump.cpp:12)"), HasSubstr("failed on rank 3"),
                                              HasSubstr("device 1"), HasSubstr("attempt 1"), HasSubstr("no water")));
}

TEST(FailureLog, KeepsTheFirstOnesInFull) {
  FailureLog log;

  for (std::uint64_t task = 1; task <= 100; ++task) add(log, task, core::Outcome::failed, std::to_string(task));
  add(log, 101, core::Outcome::skipped, "", 1);

  EXPECT_THAT(log.first(), SizeIs(20));
  EXPECT_EQ(log.first()[19].task, core::TaskId(20));
}

TEST(FailureLog, NamesAtLeastTheNumberOfWhatItForgot) {
  FailureLog log;
  for (std::uint64_t task = 1; task <= 20'000; ++task) add(log, task, core::Outcome::failed, "again");

  EXPECT_EQ(log.why(core::TaskId(20'000)), "task 20000 failed");
}

TEST(FailureLog, TellsWhatIsNewOnce) {
  FailureLog log;
  add(log, 1, core::Outcome::failed, "old");
  add(log, 2, core::Outcome::failed, "second");
  EXPECT_THAT(log.take_report(2), AllOf(HasSubstr("old"), HasSubstr("(and 1 more)")));
  EXPECT_THAT(log.take_report(2), IsEmpty());

  add(log, 3, core::Outcome::failed, "new");

  EXPECT_THAT(log.take_report(3), AllOf(HasSubstr("new"), Not(HasSubstr("more"))));
}

TEST(FailureLog, TellsTheCauseOfASkippedTask) {
  FailureLog log;
  add(log, 1, core::Outcome::failed, "root");
  static_cast<void>(log.take_report(1));

  add(log, 2, core::Outcome::skipped, "", 1);

  EXPECT_THAT(log.take_report(2), HasSubstr("root"));
}

TEST(FailureLog, KeepsTheFirstSkippedOnesWithTheirCause) {
  FailureLog log;
  add(log, 7, core::Outcome::failed, "root");
  for (std::uint64_t task = 8; task < 108; ++task) add(log, task, core::Outcome::skipped, "", 7);

  const auto& skipped = log.first_skipped();

  ASSERT_THAT(skipped, SizeIs(20));
  EXPECT_EQ(skipped.back().task.task, core::TaskId(27));
  EXPECT_THAT(skipped.back().task.line, HasSubstr(": skipped"));
  EXPECT_EQ(skipped.back().cause.task, core::TaskId(7));
  EXPECT_EQ(skipped.back().cause.line, log.first().front().line);
}

}  // namespace

}  // namespace penstock::frontend
