#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "runtime/test_kernels.hpp"

namespace penstock::tests {

namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

/// Tasks that are at an array now, and whether two ever were.
class Guard {
 public:
  void enter() {
    if (inside_.fetch_add(1) != 0) met_ = true;
  }
  void leave() { inside_.fetch_sub(1); }
  [[nodiscard]] bool take_met() { return met_.exchange(false); }

 private:
  std::atomic<int> inside_{0};
  std::atomic<bool> met_{false};
};
std::array<Guard, 3> guards;

/// Adds to the arrays i and j. Now and then it lets others run meanwhile, rarely since that may take long.
const auto add_at_two = kernel("test.add_at_two", [](InOut<I64> x, InOut<I64> y, std::size_t i, std::size_t j) {
  guards[i].enter();
  guards[j].enter();
  for (I64& value : x) value += 1;
  if (x[0] % 32 == 0) std::this_thread::yield();
  for (I64& value : y) value += 1;
  guards[j].leave();
  guards[i].leave();
});

/// Three arrays, and what is in each of their elements after the tasks submitted so far.
class ThreeArrays {
 public:
  explicit ThreeArrays(Runtime& runtime) : runtime_(runtime) {
    for (Array<I64>& array : arrays_) array = runtime.array<I64>({16}, zeros());
  }

  /// By a task each at two of the arrays, in all six orders.
  void add(int tasks) {
    for (int task = 0; task < tasks; ++task) {
      const std::size_t i = next_ % 3;
      const std::size_t j = (i + 1 + next_ / 3 % 2) % 3;
      runtime_.submit(add_at_two, commute(arrays_[i]), commute(arrays_[j]), i, j);
      ++expected_[i];
      ++expected_[j];
      ++next_;
    }
  }
  void set(std::size_t i, I64 value) {
    runtime_.submit(set_to, write(arrays_[i]), value);
    expected_[i] = value;
  }
  void add_one_to_another(std::size_t i, std::size_t j) {
    runtime_.submit(add_in, read_write(arrays_[i]), read(arrays_[j]));
    expected_[i] += expected_[j];
  }
  void check(std::size_t i) { ASSERT_THAT(values(runtime_.read(arrays_[i])), Each(expected_[i])) << i; }
  /// Everything, and that no two tasks were at one array at once.
  void check() {
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      check(i);
      EXPECT_FALSE(guards[i].take_met()) << i;
    }
  }
  [[nodiscard]] const Array<I64>& operator[](std::size_t i) const { return arrays_[i]; }

 private:
  Runtime& runtime_;
  std::array<Array<I64>, 3> arrays_;
  std::array<I64, 3> expected_{};
  std::size_t next_ = 0;
};

void add_a_thousand(const Options& options) {
  Runtime runtime(options);
  ThreeArrays arrays(runtime);

  arrays.add(1000);

  arrays.check();
}

TEST(RuntimeCommute, AThousandTasksAtTwoOfThreeArraysAddUpOneAtATime) {
  add_a_thousand({.workers = 2});
  add_a_thousand({.workers = 4, .window_tasks = 7});
  add_a_thousand({.workers = 1});
  add_a_thousand({.serial = true});
}

TEST(RuntimeCommute, TheyDoInAnyOrderOfRunning) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) add_a_thousand({.workers = 2, .schedule_seed = seed});
}

TEST(RuntimeCommute, WhatComesBetweenSeesAllBeforeAndNoneAfter) {
  Runtime runtime(Options{.workers = 2});
  ThreeArrays arrays(runtime);

  for (std::size_t round = 0; round < 60; ++round) {
    arrays.add(17);
    const std::size_t i = round % 3;
    if (round % 4 == 0) arrays.set(i, static_cast<I64>(round));
    if (round % 4 == 1) arrays.add_one_to_another(i, (i + 1) % 3);
    if (round % 4 == 2) arrays.check(i);
    if (round % 4 == 3) arrays.add_one_to_another((i + 2) % 3, i);
  }

  arrays.check();
}

TEST(RuntimeCommute, LeavesViewsAndCopiesAsTheyAre) {
  Runtime runtime(Options{.workers = 2});
  const auto x = runtime.array<I64>({64}, fill(1));
  const auto copied = runtime.array<I64>({64});
  const auto before = runtime.read(x);

  for (int i = 0; i < 50; ++i) runtime.submit(add_to, commute(x), 1);
  runtime.submit(copy, write(copied), read(x));
  auto middle = runtime.future(x);
  for (int i = 0; i < 50; ++i) runtime.submit(add_to, commute(x), 1);

  EXPECT_THAT(values(runtime.read(x)), Each(101));
  EXPECT_THAT(values(middle.get()), Each(51));
  EXPECT_THAT(values(runtime.read(copied)), Each(51));
  EXPECT_THAT(values(before), Each(1));
}

TEST(RuntimeCommute, AddsUpWhatOthersHaveAddedUp) {
  Runtime runtime(Options{.workers = 2});
  const auto x = runtime.array<I64>({64}, zeros());
  const auto y = runtime.array<I64>({64}, fill(1));

  for (int i = 0; i < 500; ++i) {
    runtime.submit(add_to, commute(x), 1);
    runtime.submit(add_in, commute(y), read(x));
  }
  runtime.submit(add_in, read_write(x), read(y));

  EXPECT_THAT(values(runtime.read(x)), Each(500 + 1 + 500 * 501 / 2));
}

Gate* gate_to_open = nullptr;
const auto open_the_gate = kernel("test.open_the_gate", [](InOut<I64> x) {
  x[0] += 10;
  gate_to_open->open();
});

TEST(RuntimeCommute, WhoIsReadyDoesNotWaitForWhoCameFirst) {
  Gate gate;
  gate_to_open = &gate;
  Runtime runtime(Options{.workers = 2});
  const auto x = runtime.array<I64>({1}, zeros());
  const auto late = runtime.array<I64>({1});
  runtime.submit(through_gate, write(late), gate.number());
  gate.await_visitor();  // a worker holds it, not the thread that submits the rest

  runtime.submit(add_in, commute(x), read(late));
  runtime.submit(open_the_gate, commute(x));

  EXPECT_EQ(runtime.read(x)[0], 11);
}

TEST(RuntimeCommute, WithATaskThatFailsSpoilsThatArrayUntilItIsWritten) {
  Runtime runtime(Options{.workers = 2});
  ThreeArrays arrays(runtime);
  const auto spoilt = runtime.array<I64>({16}, zeros());

  for (int round = 0; round < 20; ++round) {
    arrays.add(10);
    runtime.submit(add_to, commute(spoilt), 1);
    if (round == 10) runtime.submit(fail_updating, commute(spoilt), "a gear is missing");
  }
  const auto error = thrown_by<TaskError>([&] { runtime.wait(spoilt); });
  runtime.submit(set_to, write(spoilt), 5);
  for (int round = 0; round < 20; ++round) runtime.submit(add_to, commute(spoilt), 1);

  EXPECT_THAT(error.what(), AllOf(HasSubstr("test.fail_updating"), HasSubstr("a gear is missing")));
  EXPECT_THAT(values(runtime.read(spoilt)), Each(25));
  arrays.check();
}

TEST(RuntimeCommute, AtASpoiltArrayLeavesTheOthersOfTheTaskSpoiltToo) {
  Runtime runtime(Options{.workers = 2});
  ThreeArrays arrays(runtime);
  const auto other = runtime.array<I64>({16}, zeros());

  runtime.submit(fail_updating, read_write(other), "a gear is missing");
  runtime.submit(add_at_two, commute(other), commute(arrays[0]), std::size_t{1}, std::size_t{0});

  for (const auto& array : {other, arrays[0]}) {
    EXPECT_THAT(thrown_by<TaskError>([&] { runtime.wait(array); }).what(), HasSubstr("a gear is missing"));
  }
  arrays.check(1);
  arrays.check(2);
}

TEST(RuntimeCommute, TwiceOrBesideAReadByOneTaskIsAnErrorWithItsPlace) {
  Runtime runtime;
  const auto x = runtime.array<I64>({1}, zeros());

  const auto twice =
      thrown_by<Error>([&] { runtime.submit(add_at_two, commute(x), commute(x), std::size_t{0}, std::size_t{0}); });
  const auto besides = thrown_by<Error>([&] { runtime.submit(add_in, commute(x), read(x)); });

  EXPECT_THAT(twice.what(), AllOf(HasSubstr("commute_test.cpp:"), HasSubstr("access")));
  EXPECT_THAT(besides.what(), AllOf(HasSubstr("commute_test.cpp:"), HasSubstr("access 1 commutes")));
}

TEST(RuntimeCommute, OfAKernelThatReadsIsAnErrorWithItsPlace) {
  Runtime runtime;
  const auto x = runtime.array<double>({2}, zeros());
  const auto y = runtime.array<double>({2}, zeros());

  const auto error = thrown_by<Error>([&] { runtime.submit(penstock::copy, commute(x), write(y)); });

  EXPECT_THAT(error.what(), AllOf(HasSubstr("commute_test.cpp:" + std::to_string(__LINE__ - 2)),
                                  HasSubstr("the access of x is commute"), HasSubstr("read")));
}

TEST(RuntimeCommute, NeedsAnArrayThatIsWritten) {
  Runtime runtime;
  const auto x = runtime.array<I64>({2});

  EXPECT_THAT(thrown_by<Error>([&] { runtime.submit(add_to, commute(x), 1); }).what(),
              HasSubstr("nothing has written"));
}

}  // namespace

}  // namespace penstock::tests
