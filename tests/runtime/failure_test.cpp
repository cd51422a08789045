#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "runtime/test_kernels.hpp"

namespace penstock::tests {

namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

/// The runtime of the test that runs, for kernels that ought not to call it.
Runtime* current_runtime = nullptr;
const auto wait_inside = kernel("test.wait_inside", [](Out<I64> /*out*/) { current_runtime->wait_all(); });
const auto take_int = kernel("test.take_int", [](Out<I64> out, int value) { out[0] = value; });

/// "failure_test.cpp:LINE"
std::string here(int line) { return "failure_test.cpp:" + std::to_string(line); }

std::string what_wait_throws(Runtime& runtime, const Array<I64>& array) {
  return thrown_by<TaskError>([&] { runtime.wait(array); }).what();
}

TEST(RuntimeFailure, NamesKernelPlaceRankDeviceAttemptAndCause) {
  Runtime runtime;
  const auto data = runtime.array<I64>({1});

  runtime.submit(fail_writing, write(data), "the valve is stuck");
  const int line = __LINE__ - 1;

  EXPECT_THAT(what_wait_throws(runtime, data),
              AllOf(HasSubstr("test.fail_writing"), HasSubstr(here(line)), HasSubstr("rank 0"), HasSubstr("device 0"),
                    HasSubstr("attempt 1"), HasSubstr("the valve is stuck")));
}

TEST(RuntimeFailure, IsWhatAWaitInsideAKernelMakes) {
  Runtime runtime;
  current_runtime = &runtime;
  const auto data = runtime.array<I64>({1});

  runtime.submit(wait_inside, write(data));

  EXPECT_THAT(what_wait_throws(runtime, data), HasSubstr("inside a task of the same runtime"));
}

TEST(RuntimeFailure, OfAnIntegerThatDoesNotFitIsSaidWhenItIsSubmitted) {
  Runtime runtime;
  const auto data = runtime.array<I64>({1});

  const auto error = thrown_by<Error>([&] { runtime.submit(take_int, write(data), 5'000'000'000); });
  runtime.submit(take_int, write(data), 7U);

  EXPECT_THAT(error.what(), HasSubstr("5000000000"));
  EXPECT_EQ(runtime.read(data)[0], 7);
}

TEST(RuntimeFailure, OfASaveWithoutAPathNamesThePlace) {
  Runtime runtime;
  const auto data = runtime.array<I64>({1}, zeros());

  const auto error = thrown_by<Error>([&] { runtime.save(data, ""); });

  EXPECT_THAT(error.what(), AllOf(HasSubstr(here(__LINE__ - 2)), HasSubstr("needs the path")));
}

TEST(RuntimeFailure, IsSeenByEveryWaiter) {
  Runtime runtime;
  const auto data = runtime.array<I64>({1});
  runtime.submit(fail_writing, write(data), "stuck");

  EXPECT_THROW(runtime.wait(data), TaskError);
  EXPECT_THROW(runtime.wait(data), TaskError);
  EXPECT_THROW(static_cast<void>(runtime.read(data)), TaskError);
  EXPECT_THROW(runtime.wait_all(), TaskError);
}

TEST(RuntimeFailure, SkipsDependentsThatNameTheCause) {
  Runtime runtime;
  const auto first = runtime.array<I64>({1}, zeros());
  const auto second = runtime.array<I64>({1});
  const auto third = runtime.array<I64>({1}, zeros());

  runtime.submit(fail_updating, read_write(first), "the first");
  const int line = __LINE__ - 1;
  runtime.submit(copy, write(second), read(first));
  runtime.submit(add_in, read_write(third), read(second));

  EXPECT_THAT(what_wait_throws(runtime, third),
              AllOf(HasSubstr("test.fail_updating"), HasSubstr(here(line)), HasSubstr("the first")));
  const auto error = thrown_by<TaskError>([&] { runtime.wait_all(); });
  EXPECT_EQ(error.failed_tasks(), 3U);
}

TEST(RuntimeFailure, LeavesOtherDataAlone) {
  Runtime runtime;
  const auto good = runtime.array<I64>({8}, fill(4));
  const auto bad = runtime.array<I64>({8});

  runtime.submit(fail_writing, write(bad), "stuck");
  runtime.submit(add_to, read_write(good), 1);

  EXPECT_THAT(values(runtime.read(good)), Each(5));
}

TEST(RuntimeFailure, EndsWithAPureWrite) {
  Runtime runtime;
  const auto data = runtime.array<I64>({8});
  runtime.submit(fail_writing, write(data), "stuck");
  runtime.submit(add_to, read_write(data), 1);

  runtime.submit(set_to, write(data), 6);
  runtime.submit(add_to, read_write(data), 1);

  EXPECT_THAT(values(runtime.read(data)), Each(7));
}

TEST(RuntimeFailure, IsReportedOnceByWaitAll) {
  Runtime runtime;
  const auto data = runtime.array<I64>({1});
  runtime.submit(fail_writing, write(data), "stuck");

  const auto error = thrown_by<TaskError>([&] { runtime.wait_all(); });

  EXPECT_THAT(error.what(), HasSubstr("stuck"));
  EXPECT_EQ(error.failed_tasks(), 1U);
  EXPECT_NO_THROW(runtime.wait_all());
}

TEST(RuntimeFailure, CountsTheOthersAtWaitAll) {
  Runtime runtime;
  const auto data = runtime.array<I64>({1}, zeros());
  runtime.submit(fail_updating, read_write(data), "stuck");
  for (int i = 0; i < 41; ++i) runtime.submit(add_to, read_write(data), 1);

  const auto error = thrown_by<TaskError>([&] { runtime.wait_all(); });

  EXPECT_THAT(error.what(), AllOf(HasSubstr("stuck"), HasSubstr("41 more")));
  EXPECT_EQ(error.failed_tasks(), 42U);
}

TEST(RuntimeFailure, AtTheNextWaitAllIsTheNewOne) {
  Runtime runtime;
  const auto data = runtime.array<I64>({1});
  runtime.submit(fail_writing, write(data), "the old failure");
  EXPECT_THROW(runtime.wait_all(), TaskError);

  runtime.submit(fail_writing, write(data), "the new failure");
  const auto error = thrown_by<TaskError>([&] { runtime.wait_all(); });

  EXPECT_THAT(error.what(), AllOf(HasSubstr("the new failure"), Not(HasSubstr("the old failure"))));
}

TEST(RuntimeFailure, OfALaterReaderNamesTheOldCause) {
  Runtime runtime;
  const auto data = runtime.array<I64>({1}, zeros());
  runtime.submit(fail_updating, read_write(data), "long ago");
  EXPECT_THROW(runtime.wait_all(), TaskError);

  runtime.submit(add_to, read_write(data), 1);

  EXPECT_THAT(what_wait_throws(runtime, data), HasSubstr("long ago"));
  EXPECT_THROW(runtime.wait_all(), TaskError);
}

TEST(RuntimeFailure, MayBeAnyException) {
  Runtime runtime;
  const std::string expected[] = {"unknown exception", "a C string", "exception without a message", "a disk is full"};

  for (int which = 0; which < 4; ++which) {
    const auto data = runtime.array<I64>({1});
    runtime.submit(throw_odd, write(data), which);

    EXPECT_THAT(what_wait_throws(runtime, data), HasSubstr(expected[which])) << which;
  }
}

TEST(RuntimeFailure, InManyTasksIsCountedInFull) {
  Runtime runtime;
  const auto data = runtime.array<I64>({1});

  for (int i = 0; i < 20'000; ++i) runtime.submit(fail_writing, write(data), "again");

  EXPECT_EQ(thrown_by<TaskError>([&] { runtime.wait_all(); }).failed_tasks(), 20'000U);
}

}  // namespace

}  // namespace penstock::tests
