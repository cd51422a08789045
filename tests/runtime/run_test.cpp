#include <mpi.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <functional>
#include <stdexcept>

#include "runtime/test_kernels.hpp"

namespace penstock::tests {

namespace {

using ::testing::Each;

int run_alone(const std::function<void(Runtime&)>& program) { return run(0, nullptr, program); }

bool mpi_was_started() {
  int flag = 0;
  MPI_Initialized(&flag);
  return flag != 0;
}

TEST(Run, ReturnsZeroWhenAllIsDone) {
  I64 value = 0;

  const int code = run_alone([&](Runtime& runtime) {
    const auto data = runtime.array<I64>({1}, fill(4));
    runtime.submit(add_to, read_write(data), 1);
    value = runtime.read(data)[0];
  });

  EXPECT_EQ(code, 0);
  EXPECT_EQ(value, 5);
}

TEST(Run, NeverStartsMpiAlone) {
  EXPECT_EQ(run_alone([](Runtime& runtime) { EXPECT_EQ(runtime.ranks(), 1); }), 0);

  EXPECT_FALSE(mpi_was_started());
}

TEST(Run, DrainsAndReturnsOneWhenATaskFailed) {
  const int code = run_alone(
      [](Runtime& runtime) { runtime.submit(fail_writing, write(runtime.array<I64>({1})), "nobody waits for this"); });

  EXPECT_EQ(code, 1);
}

TEST(Run, ReturnsOneForATaskErrorThatEscapes) {
  const int code = run_alone([](Runtime& runtime) {
    const auto data = runtime.array<I64>({1});
    runtime.submit(fail_writing, write(data), "waited for");
    runtime.wait(data);
  });

  EXPECT_EQ(code, 1);
}

TEST(Run, ReturnsTwoForAnInvalidArgumentThatEscapes) {
  const int code = run_alone([](Runtime& runtime) { runtime.wait(runtime.array<I64>({1})); });

  EXPECT_EQ(code, 2);
}

TEST(Run, ReturnsOneForAnyOtherExceptionOfTheProgram) {
  EXPECT_EQ(run_alone([](Runtime& /*runtime*/) { throw std::logic_error("the program's own"); }), 1);
  EXPECT_EQ(run_alone([](Runtime& /*runtime*/) { throw 3; }), 1);
}

std::atomic<int> calls{0};
const auto count_call = kernel("test.count_call", [](int by) { calls += by; });

TEST(Run, IsDoneWithTasksBeforeItReturns) {
  calls = 0;

  const int code = run_alone([](Runtime& runtime) {
    for (int i = 0; i < 1000; ++i) runtime.submit(count_call, 1);
  });

  EXPECT_EQ(code, 0);
  EXPECT_EQ(calls, 1000);
}

TEST(Run, LetsHandlesOutliveIt) {
  Array<I64> left;

  EXPECT_EQ(run_alone([&](Runtime& runtime) { left = runtime.array<I64>({3}, ones()); }), 0);

  EXPECT_EQ(left.shape(), Shape{3});
}

TEST(Run, TakesNoMoreTasksAfterAnInterruptAndReturns130) {
  const int code = run_alone([](Runtime& runtime) {
    const auto data = runtime.array<I64>({1}, zeros());
    std::raise(SIGINT);
    const auto error = thrown_by<Error>([&] { runtime.submit(add_to, read_write(data), 1); });
    EXPECT_EQ(error.code(), ErrorCode::interrupted);
    EXPECT_THAT(values(runtime.read(data)), Each(0));  // what was submitted before is still done
  });

  EXPECT_EQ(code, 130);
}

TEST(Run, LeavesNoInterruptBehind) {
  EXPECT_EQ(run_alone([](Runtime& /*runtime*/) { std::raise(SIGINT); }), 130);

  Runtime runtime;
  const auto data = runtime.array<I64>({1}, zeros());

  EXPECT_NO_THROW(runtime.submit(add_to, read_write(data), 1));
  EXPECT_EQ(run_alone([](Runtime& /*runtime*/) {}), 0);
}

TEST(Run, CancelsWhatHasNotStartedAtTheSecondInterrupt) {
  Gate gate;

  const int code = run(
      0, nullptr,
      [&](Runtime& runtime) {
        const auto data = runtime.array<I64>({1});
        runtime.submit(through_gate, write(data), gate.number());
        for (int i = 0; i < 100; ++i) runtime.submit(add_to, read_write(data), 1);
        gate.await_visitor();
        std::raise(SIGINT);
        std::raise(SIGINT);
        const auto error = thrown_by<TaskError>([&] { runtime.wait(data); });
        EXPECT_THAT(error.what(), ::testing::HasSubstr("cancelled"));
        gate.open();
      },
      Options{.workers = 1});

  EXPECT_EQ(code, 130);
}

}  // namespace

}  // namespace penstock::tests
