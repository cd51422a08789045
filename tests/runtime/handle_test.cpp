#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "runtime/test_kernels.hpp"

namespace penstock::tests {

namespace {

using ::testing::Each;

TEST(RuntimeHandle, MayGoBeforeItsTasksHaveRun) {
  Runtime runtime(Options{.workers = 2});
  Gate gate;
  const auto sum = runtime.array<I64>({100}, zeros());
  {
    const auto source = runtime.array<I64>({100});
    runtime.submit(through_gate, write(source), gate.number());
    for (int i = 0; i < 10; ++i) {
      const auto temporary = runtime.array<I64>({100});
      runtime.submit(copy, write(temporary), read(source));
      runtime.submit(add_in, read_write(sum), read(temporary));
    }
  }

  gate.open();

  EXPECT_THAT(values(runtime.read(sum)), Each(10));
}

TEST(RuntimeHandle, GivesItsIdToTheNextArray) {
  Runtime runtime;

  for (I64 size = 1; size < 2000; ++size) {
    const auto data = runtime.array<I64>({size % 257 + 1}, fill(static_cast<double>(size)));
    const auto view = runtime.read(data);
    ASSERT_THAT(values(view), Each(size)) << "size " << view.size();
  }
}

TEST(RuntimeHandle, MayNeverBeWritten) {
  Runtime runtime;

  for (int i = 0; i < 1000; ++i) static_cast<void>(runtime.array<I64>({1'000'000'000}));
  const auto data = runtime.array<I64>({1}, fill(1));

  EXPECT_THAT(values(runtime.read(data)), Each(1));
}

TEST(RuntimeHandle, MayOutliveTheRuntime) {
  std::optional<Array<I64>> left;
  {
    Runtime runtime;
    left = runtime.array<I64>({10}, ones());
    runtime.wait(*left);
  }

  EXPECT_EQ(left->shape(), Shape{10});
  left.reset();
}

TEST(RuntimeHandle, OfAViewDoesNothingAfterTheRuntime) {
  std::optional<View<I64>> left;
  {
    Runtime runtime;
    left = runtime.read(runtime.array<I64>({1000}, fill(8)));
  }

  EXPECT_EQ(left->size(), 1000U);
  left.reset();
}

TEST(RuntimeHandle, OfAViewMayOutliveItsArray) {
  Runtime runtime;
  std::optional<View<I64>> view;
  {
    const auto data = runtime.array<I64>({1000}, fill(5));
    view = runtime.read(data);
    runtime.submit(set_to, write(data), 6);
  }

  for (int i = 0; i < 50; ++i) runtime.wait(runtime.array<I64>({1000}, fill(7)));  // would use the buffer again

  EXPECT_THAT(values(*view), Each(5));
}

TEST(Runtime, ComesAfterAnother) {
  for (int round = 0; round < 5; ++round) {
    Runtime runtime(Options{.workers = round % 3 + 1});
    const auto data = runtime.array<I64>({100}, fill(round));
    runtime.submit(add_to, read_write(data), 1);

    EXPECT_THAT(values(runtime.read(data)), Each(round + 1));
  }
}

TEST(Runtime, WaitsForItsTasksAtTheEnd) {
  Gate gate;
  gate.open();
  {
    Runtime runtime;
    const auto data = runtime.array<I64>({1});
    for (int i = 0; i < 100; ++i) runtime.submit(through_gate, write(data), gate.number());
  }  // the gate may go afterwards: nobody is in it

  SUCCEED();
}

TEST(Runtime, OfOneProcessHasOneRank) { EXPECT_EQ(Runtime().ranks(), 1); }

}  // namespace

}  // namespace penstock::tests
