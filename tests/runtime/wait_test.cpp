#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/test_kernels.hpp"

namespace penstock::tests {

namespace {

using ::testing::Each;
using ::testing::ElementsAre;

TEST(RuntimeWait, IsForThatArrayOnly) {
  Runtime runtime(Options{.workers = 2});
  Gate gate;
  const auto held = runtime.array<I64>({1});
  const auto free = runtime.array<I64>({1});

  runtime.submit(through_gate, write(held), gate.number());
  runtime.submit(set_to, write(free), 5);
  runtime.wait(free);  // would never return if it waited for the other too

  EXPECT_THAT(values(runtime.read(free)), ElementsAre(5));
  gate.open();
  runtime.wait_all();
}

TEST(RuntimeWait, IsForTheVersionAsOfNow) {
  Runtime runtime(Options{.workers = 2});
  Gate gate;
  const auto data = runtime.array<I64>({1}, fill(3));

  const auto view = runtime.read(data);
  runtime.submit(through_gate, write(data), gate.number());
  EXPECT_THAT(values(view), ElementsAre(3));
  gate.open();

  EXPECT_THAT(values(runtime.read(data)), ElementsAre(1));
}

TEST(RuntimeWait, ForAllIncludesWhatNobodyReads) {
  Runtime runtime;
  Gate gate;
  const auto data = runtime.array<I64>({1});
  runtime.submit(through_gate, write(data), gate.number());

  auto waiting = std::async(std::launch::async, [&] { runtime.wait_all(); });
  gate.await_visitor();
  EXPECT_EQ(waiting.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  gate.open();
  waiting.get();
}

TEST(RuntimeView, PinsItsVersionWhileLaterWritesGoOn) {
  Runtime runtime;
  const auto data = runtime.array<I64>({1000}, fill(1));
  std::vector<View<I64>> views;

  for (I64 round = 0; round < 20; ++round) {
    views.push_back(runtime.read(data));
    runtime.submit(add_to, read_write(data), 1);
    if (round % 3 == 0) runtime.submit(set_to, write(data), round + 2);
  }
  runtime.wait_all();

  for (std::size_t round = 0; round < views.size(); ++round) {
    EXPECT_THAT(values(views[round]), Each(static_cast<I64>(round) + 1));
  }
  EXPECT_THAT(values(runtime.read(data)), Each(21));
}

TEST(RuntimeView, MovesItsPinAlong) {
  Runtime runtime;
  const auto data = runtime.array<I64>({4}, fill(1));

  std::optional<View<I64>> first = runtime.read(data);
  View<I64> second = std::move(*first);
  first.reset();
  runtime.submit(set_to, write(data), 2);
  View<I64> third = runtime.read(data);
  runtime.submit(set_to, write(data), 3);
  runtime.wait_all();

  EXPECT_THAT(values(second), Each(1));
  second = std::move(third);
  EXPECT_THAT(values(second), Each(2));
}

TEST(RuntimeSubmit, KeepsProgramOrderInAChain) {
  Runtime runtime;
  const auto data = runtime.array<I64>({3}, zeros());
  const auto sum = runtime.array<I64>({3}, zeros());

  I64 expected = 0;
  for (I64 i = 0; i < 1000; ++i) {
    runtime.submit(add_to, read_write(data), i);
    runtime.submit(add_in, read_write(sum), read(data));
    expected += i * (i + 1) / 2;
  }

  EXPECT_THAT(values(runtime.read(sum)), Each(expected));
}

TEST(RuntimeSubmit, LetsATaskReadWhatItWrites) {
  Runtime runtime;
  const auto data = runtime.array<I64>({3}, fill(21));

  runtime.submit(add_in, read_write(data), read(data));
  runtime.submit(copy, write(data), read(data));

  EXPECT_THAT(values(runtime.read(data)), Each(42));
}

}  // namespace

}  // namespace penstock::tests
