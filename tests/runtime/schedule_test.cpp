// The order in which tasks run: it changes no value, a seed fixes it, and a serial runtime has the program's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "runtime/test_kernels.hpp"

namespace penstock::tests {

namespace {

using ::testing::HasSubstr;

/// The order in which the tasks of `note` ran; only one at a time runs where it is looked at.
std::vector<int> noted;
std::thread::id noted_on;
const auto note = kernel("schedule.note", [](int number) {
  noted.push_back(number);
  noted_on = std::this_thread::get_id();
});
/// What depends on the order of the sums: a hash of all that came before.
const auto mix = kernel("schedule.mix", [](InOut<I64> x, In<I64> y, I64 salt) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto before = static_cast<std::uint64_t>(x[i]);
    x[i] = static_cast<I64>((before ^ static_cast<std::uint64_t>(y[i])) * 0x9e37'79b9'7f4a'7c15U +
                            static_cast<std::uint64_t>(salt));
  }
});
const auto half = kernel("schedule.half", [](Out<double> x, In<I64> y) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(y[i]) / 3;
});
const auto add_real = kernel("schedule.add_real", [](InOut<double> x, In<double> y) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = x[i] * 0.75 + y[i];
});

/// The values that 400 random tasks leave.
std::vector<double> run_random_tasks(const Options& options) {
  std::mt19937_64 random(20);
  Runtime runtime(options);
  std::vector<Array<I64>> integers;
  std::vector<Array<double>> reals;
  for (int i = 0; i < 8; ++i) integers.push_back(runtime.array<I64>({5}, fill(i)));
  for (int i = 0; i < 8; ++i) reals.push_back(runtime.array<double>({5}, uniform(i)));
  for (I64 task = 0; task < 400; ++task) {
    const std::size_t a = random() % 8;
    const std::size_t b = random() % 8;
    const auto which = random() % 4;
    if (which == 0)
      runtime.submit(set_to, write(integers[a]), task);
    else if (which == 1)
      runtime.submit(half, write(reals[a]), read(integers[b]));
    else if (which == 2)
      runtime.submit(add_real, read_write(reals[a]), read(reals[b]));
    else
      runtime.submit(mix, read_write(integers[a]), read(integers[b]), task);
  }
  std::vector<double> result;
  for (const auto& array : integers) runtime.submit(half, write(reals[0]), read(array));
  for (const auto& array : reals) {
    const auto view = runtime.read(array);
    result.insert(result.end(), view.begin(), view.end());
  }
  for (const auto& array : integers) {
    for (const I64 value : runtime.read(array)) result.push_back(static_cast<double>(value));
  }
  return result;
}

TEST(RuntimeSchedule, ChangesNoValue) {
  const std::vector<double> expected = run_random_tasks(Options{.serial = true});

  EXPECT_EQ(run_random_tasks({}), expected);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_EQ(run_random_tasks(Options{.workers = 2, .schedule_seed = seed}), expected) << "seed " << seed;
  }
}

/// In which order one worker begins 200 tasks that may run in any.
std::vector<int> order_of(std::uint64_t seed) {
  noted.clear();
  Runtime runtime(Options{.workers = 1, .schedule_seed = seed});
  Gate gate;
  const auto held = runtime.array<I64>({1});
  runtime.submit(through_gate, write(held), gate.number());
  gate.await_visitor();
  for (int i = 0; i < 200; ++i) runtime.submit(note, i);
  gate.open();
  runtime.wait_all();
  return noted;
}

TEST(RuntimeSchedule, OfASeedIsTheSameAgain) {
  const std::vector<int> first = order_of(3);
  const std::vector<int> other = order_of(4);

  EXPECT_EQ(order_of(3), first);
  EXPECT_NE(other, first);
  EXPECT_THAT(other, ::testing::UnorderedElementsAreArray(first));
}

TEST(RuntimeSchedule, OfASerialRuntimeIsTheProgramsOnItsThread) {
  noted.clear();
  Runtime runtime(Options{.serial = true});

  for (int i = 0; i < 100; ++i) {
    runtime.submit(note, i);
    ASSERT_EQ(noted.back(), i);
    ASSERT_EQ(noted_on, std::this_thread::get_id());
  }
}

TEST(RuntimeSchedule, OfASerialRuntimeKeepsFailuresAsValues) {
  Runtime runtime(Options{.serial = true});
  const auto data = runtime.array<I64>({1});

  EXPECT_NO_THROW(runtime.submit(fail_writing, write(data), "stuck"));
  EXPECT_NO_THROW(runtime.submit(add_to, read_write(data), 1));

  EXPECT_THAT(thrown_by<TaskError>([&] { runtime.wait(data); }).what(), HasSubstr("stuck"));
}

}  // namespace

}  // namespace penstock::tests
