#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <future>
#include <optional>
#include <thread>
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

/// How often the calling thread has gone to sleep.
std::int64_t sleeps() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}

const auto take_a_while = kernel("wait_test.while", [](In<I64>, In<I64>, Out<I64>) {
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < std::chrono::microseconds(20)) {
  }
});

TEST(RuntimeWait, ForAllSleepsThroughWorkersThatRunDry) {
  Runtime runtime(Options{.workers = 2});
  auto x = runtime.array<I64>({1}, fill(0));
  auto y = runtime.array<I64>({1}, fill(0));
  for (int step = 0; step < 500; ++step) {  // its two tasks wait for both of the step before: who ends first is idle
    const auto next_x = runtime.array<I64>({1});
    const auto next_y = runtime.array<I64>({1});
    runtime.submit(take_a_while, read(x), read(y), write(next_x));
    runtime.submit(take_a_while, read(y), read(x), write(next_y));
    x = next_x;
    y = next_y;
  }

  const auto begin = std::chrono::steady_clock::now();
  const std::int64_t before = sleeps();
  runtime.wait_all();

  const auto tenths = (std::chrono::steady_clock::now() - begin) / std::chrono::milliseconds(100);
  EXPECT_LE(sleeps() - before, 50 + 2 * tenths);  // it looks up ten times a second
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

TEST(RuntimeWait, IsForSeveralAndUntilATime) {
  Runtime runtime(Options{.workers = 2});
  Gate gate;
  const auto held = runtime.array<I64>({1});
  const auto a = runtime.array<I64>({1}, ones());
  const auto b = runtime.array<I64>({1}, ones());
  runtime.submit(through_gate, write(held), gate.number());

  runtime.wait(a, b);
  EXPECT_FALSE(runtime.wait_for(std::chrono::milliseconds(1), a, held, b));
  EXPECT_FALSE(runtime.wait_all_for(std::chrono::milliseconds(1)));
  gate.open();

  EXPECT_TRUE(runtime.wait_for(std::chrono::hours(1), a, held, b));
  EXPECT_TRUE(runtime.wait_all_for(std::chrono::hours(1)));
}

TEST(RuntimeTryRead, NeverWaits) {
  Runtime runtime(Options{.workers = 2});
  Gate gate;
  const auto held = runtime.array<I64>({1});
  runtime.submit(through_gate, write(held), gate.number());

  EXPECT_FALSE(runtime.try_read(held).has_value());
  gate.open();
  runtime.wait(held);

  EXPECT_THAT(values(runtime.try_read(held).value()), ElementsAre(1));
}

TEST(RuntimeFuture, IsOfTheVersionAsOfThen) {
  Runtime runtime(Options{.workers = 2});
  Gate gate;
  const auto x = runtime.array<I64>({1});
  runtime.submit(through_gate, write(x), gate.number());

  auto future = runtime.future(x);
  for (int i = 0; i < 10; ++i) runtime.submit(add_to, read_write(x), 1);
  EXPECT_FALSE(future.is_ready());
  EXPECT_FALSE(future.wait_for(std::chrono::milliseconds(1)));
  gate.open();

  EXPECT_THAT(values(future.get()), ElementsAre(1));
  EXPECT_THAT(values(runtime.read(x)), ElementsAre(11));
}

TEST(RuntimeFuture, GivesItsValueOnce) {
  Runtime runtime;
  auto future = runtime.future(runtime.array<I64>({1}, fill(4)));

  EXPECT_THAT(values(future.get()), ElementsAre(4));

  EXPECT_THROW(static_cast<void>(future.get()), Error);
  EXPECT_THROW(static_cast<void>(future.is_ready()), Error);
}

TEST(RuntimeWait, MayBeForMoreThanTheClockCanSay) {
  Runtime runtime;
  Gate gate;
  const auto x = runtime.array<I64>({1});
  runtime.submit(through_gate, write(x), gate.number());
  gate.await_visitor();
  std::thread opens([&] { gate.open(); });

  EXPECT_TRUE(runtime.wait_for(std::chrono::hours::max(), x));
  EXPECT_TRUE(runtime.wait_all_for(std::chrono::seconds::max()));

  opens.join();
}

TEST(RuntimeFuture, OfWhatCouldNotBeMadeThrows) {
  Runtime runtime;
  const auto x = runtime.array<I64>({1});
  runtime.submit(fail_writing, write(x), std::string("no"));

  auto future = runtime.future(x);

  EXPECT_THROW(future.wait(), TaskError);
  EXPECT_THROW(static_cast<void>(future.get()), TaskError);
}

TEST(RuntimeThen, CallsAFunctionWithTheValueAsOfThen) {
  Runtime runtime(Options{.workers = 2});
  const auto x = runtime.array<I64>({1}, ones());
  std::vector<I64> seen;

  runtime.then(x, [&](In<I64> value) { seen.push_back(value[0]); });
  runtime.submit(add_to, read_write(x), 1);
  runtime.wait_all();

  EXPECT_THAT(seen, ElementsAre(1));
}

TEST(RuntimeThen, CallsNothingForWhatCouldNotBeMade) {
  Runtime runtime;
  const auto x = runtime.array<I64>({1});
  bool called = false;
  runtime.submit(fail_writing, write(x), std::string("no"));

  runtime.then(x, [&](In<I64> /*value*/) { called = true; });

  EXPECT_THROW(runtime.wait_all(), TaskError);
  EXPECT_FALSE(called);
}

TEST(RuntimeThen, FailsWithWhatItsFunctionThrows) {
  Runtime runtime;
  const auto x = runtime.array<I64>({1}, ones());

  runtime.then(x, [](In<I64> /*value*/) { throw std::runtime_error("not this one"); });

  EXPECT_THAT(thrown_by<TaskError>([&] { runtime.wait_all(); }).what(), testing::HasSubstr("not this one"));
}

}  // namespace

}  // namespace penstock::tests
