#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "runtime/test_kernels.hpp"

namespace penstock::tests {

namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// Of no simple ratio to each other, so that the order of additions shows in the last bits.
double term(I64 task, std::size_t element) {
  return std::sin(static_cast<double>(7 * task + 1)) * std::pow(10.0, static_cast<double>((task + I64(element)) % 9));
}

const auto add_term = kernel("test.add_term", [](InOut<double> y, I64 task) {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += term(task, i);
});
const auto multiply_by = kernel("test.multiply_by", [](InOut<I64> y, I64 factor) {
  for (I64& value : y) value *= factor;
});
template <class T>
void narrow_and_widen(InOut<T> least, InOut<T> greatest, double value) {
  for (std::size_t i = 0; i < least.size(); ++i) {
    least[i] = std::min(least[i], static_cast<T>(value));
    greatest[i] = std::max(greatest[i], static_cast<T>(value));
  }
}
const auto extremes_f64 = kernel("test.extremes_f64", narrow_and_widen<double>);
const auto extremes_i32 = kernel("test.extremes_i32", narrow_and_widen<std::int32_t>);
const auto both_arrays = kernel("test.both_arrays", [](InOut<I64> y, In<I64> x) { y[0] += x[0]; });
const auto fail_combining =
    kernel("test.fail_combining", [](InOut<I64> /*into*/, In<I64> /*from*/) { throw std::runtime_error("it jams"); });

/// Keeps the number of larger magnitude.
const auto larger = kernel("test.larger", [](InOut<I64> into, In<I64> from) {
  for (std::size_t i = 0; i < into.size(); ++i) {
    if (std::abs(from[i]) > std::abs(into[i])) into[i] = from[i];
  }
});
const Reduction largest{larger, zeros()};
const Reduction jammed{fail_combining, zeros()};

/// "reduce_test.cpp:LINE"
std::string here(int line) { return "reduce_test.cpp:" + std::to_string(line); }

// --- the same bits ---

constexpr I64 terms = 1000;

/// What the reduction of so many terms into an array of these values is, added up one after the other in the order of
/// the tree: a binary counter of partial results.
std::vector<double> by_hand(std::vector<double> before, I64 tasks) {
  for (std::size_t element = 0; element < before.size(); ++element) {
    std::vector<std::pair<int, double>> partials;
    for (I64 task = 0; task < tasks; ++task) {
      partials.emplace_back(0, 0.0 + term(task, element));
      while (partials.size() > 1 && partials.back().first == partials[partials.size() - 2].first) {
        const double later = partials.back().second;
        partials.pop_back();
        partials.back() = {partials.back().first + 1, partials.back().second + later};
      }
    }
    double total = partials.back().second;
    for (std::size_t i = partials.size() - 1; i-- > 0;) total = partials[i].second + total;
    before[element] = before[element] + total;
  }
  return before;
}

std::vector<double> reduced(const Options& options) {
  Runtime runtime(options);
  const auto y = runtime.array<double>({3}, fill(0.1));
  for (I64 task = 0; task < terms; ++task) runtime.submit(add_term, reduce(y, sum), task);
  return values(runtime.read(y));
}

TEST(RuntimeReduce, OfAThousandTermsIsTheTreeByHand) {
  const std::vector<double> expected = by_hand({0.1, 0.1, 0.1}, terms);

  EXPECT_EQ(reduced({.workers = 1}), expected);
  EXPECT_EQ(reduced({.workers = 2}), expected);
  EXPECT_EQ(reduced({.serial = true}), expected);
  EXPECT_NE(expected, by_hand({0.1, 0.1, 0.1}, terms - 1));
}

TEST(RuntimeReduce, GivesTheSameBitsInAnyOrder) {
  const std::vector<double> expected = by_hand({0.1, 0.1, 0.1}, terms);

  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    ASSERT_EQ(reduced({.workers = 1 + static_cast<int>(seed % 3), .schedule_seed = seed}), expected) << seed;
  }
}

TEST(RuntimeReduce, GivesTheSameBitsThroughAnyWindow) {
  const std::vector<double> expected = by_hand({0.1, 0.1, 0.1}, terms);

  EXPECT_EQ(reduced({.window_tasks = 1}), expected);
  EXPECT_EQ(reduced({.window_tasks = 3}), expected);
  EXPECT_EQ(reduced({.window_bytes = 1}), expected);
}

TEST(RuntimeReduce, IntoAnArrayThatNothingHasWrittenStartsFromNeutral) {
  Runtime runtime;
  const auto y = runtime.array<double>({2});
  const std::vector<double> expected = by_hand({0.0, 0.0}, 13);

  for (I64 task = 0; task < 13; ++task) runtime.submit(add_term, reduce(y, sum), task);

  EXPECT_EQ(values(runtime.read(y)), expected);
}

TEST(RuntimeReduce, ByOneTaskAddsItOnce) {
  Runtime runtime;
  const auto written = runtime.array<I64>({4}, fill(5));
  const auto unwritten = runtime.array<I64>({4});

  runtime.submit(add_to, reduce(written, sum), 2);
  runtime.submit(add_to, reduce(unwritten, sum), 2);

  EXPECT_THAT(values(runtime.read(written)), Each(7));
  EXPECT_THAT(values(runtime.read(unwritten)), Each(2));
}

// --- the operations ---

TEST(RuntimeReduce, ByProduct) {
  Runtime runtime;
  const auto y = runtime.array<I64>({3}, fill(2));

  for (const I64 factor : {3, 5, 7, 11}) runtime.submit(multiply_by, reduce(y, product), factor);

  EXPECT_THAT(values(runtime.read(y)), Each(2 * 3 * 5 * 7 * 11));
}

TEST(RuntimeReduce, ByMinimumAndMaximum) {
  Runtime runtime;
  const auto least = runtime.array<double>({2});
  const auto greatest = runtime.array<double>({2}, fill(3.0));

  for (const double value : {0.5, -2.5, 1.0, 2.0, -1.0}) {
    runtime.submit(extremes_f64, reduce(least, minimum), reduce(greatest, maximum), value);
  }

  EXPECT_THAT(values(runtime.read(least)), Each(-2.5));
  EXPECT_THAT(values(runtime.read(greatest)), Each(3.0));
}

TEST(RuntimeReduce, ByMinimumAndMaximumOfIntegersStartsAtTheEndsOfTheirRange) {
  Runtime runtime;
  const auto least = runtime.array<std::int32_t>({1});
  const auto greatest = runtime.array<std::int32_t>({1});
  constexpr auto first = std::numeric_limits<std::int32_t>::min();
  constexpr auto last = std::numeric_limits<std::int32_t>::max();

  runtime.submit(extremes_i32, reduce(least, minimum), reduce(greatest, maximum), double{last});
  EXPECT_EQ(runtime.read(least)[0], last);
  runtime.submit(extremes_i32, reduce(least, minimum), reduce(greatest, maximum), double{first});

  EXPECT_EQ(runtime.read(least)[0], first);
  EXPECT_EQ(runtime.read(greatest)[0], last);
}

TEST(RuntimeReduce, ByAnOperationOfTheProgram) {
  Runtime runtime;
  const auto y = runtime.array<I64>({2}, fill(-6));

  for (const I64 value : {4, -9, 8, 3, 5}) runtime.submit(add_to, reduce(y, largest), value);

  EXPECT_THAT(values(runtime.read(y)), Each(-9));
}

TEST(RuntimeReduce, ByAnotherOperationComesAfterTheFirst) {
  Runtime runtime;
  const auto y = runtime.array<I64>({1}, fill(1));

  runtime.submit(add_to, reduce(y, sum), 4);
  runtime.submit(add_to, reduce(y, sum), 5);
  runtime.submit(multiply_by, reduce(y, product), 3);
  runtime.submit(multiply_by, reduce(y, product), 2);
  runtime.submit(add_to, reduce(y, sum), 7);

  EXPECT_EQ(runtime.read(y)[0], (1 + 4 + 5) * 3 * 2 + 7);
}

TEST(RuntimeReduce, WithAKernelByNameThatAddsToItsResult) {
  Runtime runtime;
  const auto a = runtime.array<double>({2, 2}, ones());
  const auto c = runtime.array<double>({2, 2}, fill(10));

  for (int i = 0; i < 5; ++i) {
    runtime.submit(gemm, read(a), read(a), reduce(c, sum), with("beta", 1.0), with("alpha", 0.5));
  }

  EXPECT_THAT(values(runtime.read(c)), Each(10 + 5 * 0.5 * 2));
}

// --- what comes between ---

TEST(RuntimeReduce, AndReadsBetweenSeeWhatCameBefore) {
  Runtime runtime;
  const auto y = runtime.array<I64>({8}, zeros());
  const auto copied = runtime.array<I64>({8});

  for (I64 i = 1; i <= 100; ++i) {
    runtime.submit(add_to, reduce(y, sum), 1);
    if (i % 7 == 0) {
      EXPECT_THAT(values(runtime.read(y)), Each(i));
    }
    if (i % 10 == 0) {
      runtime.submit(copy, write(copied), read(y));
      EXPECT_THAT(values(runtime.read(copied)), Each(i));
    }
  }
  runtime.wait_all();

  EXPECT_THAT(values(runtime.read(y)), Each(100));
}

TEST(RuntimeReduce, LeavesAViewAsItIs) {
  Runtime runtime;
  const auto y = runtime.array<I64>({4}, fill(1));
  const auto before = runtime.read(y);

  runtime.submit(add_to, reduce(y, sum), 1);
  const auto after = runtime.read(y);

  EXPECT_THAT(values(before), Each(1));
  EXPECT_THAT(values(after), Each(2));
}

TEST(RuntimeReduce, AndOtherWritesAreInTheOrderOfTheProgram) {
  Runtime runtime;
  const auto y = runtime.array<I64>({1}, fill(100));

  runtime.submit(add_to, reduce(y, sum), 1);
  runtime.submit(multiply_by, read_write(y), 2);
  runtime.submit(add_to, reduce(y, sum), 3);
  runtime.submit(add_to, commute(y), 4);
  runtime.submit(add_to, reduce(y, sum), 5);
  runtime.submit(set_to, write(y), 6);
  runtime.submit(add_to, reduce(y, sum), 7);

  EXPECT_EQ(runtime.read(y)[0], 13);
}

TEST(RuntimeReduce, IntoTwoArraysByOneTask) {
  Runtime runtime;
  const auto x = runtime.array<I64>({1}, fill(2));
  const auto y = runtime.array<I64>({1}, fill(10));

  for (int i = 0; i < 4; ++i) runtime.submit(add_in, reduce(y, sum), read(x));
  runtime.submit(add_in, reduce(x, sum), read(y));

  EXPECT_EQ(runtime.read(x)[0], 2 + 10 + 4 * 2);
}

TEST(RuntimeReduce, OfAnArrayThatIsDroppedLeavesOthersAlone) {
  Runtime runtime(Options{.window_tasks = 20});
  const auto kept = runtime.array<I64>({100}, zeros());

  for (int i = 0; i < 200; ++i) {
    const auto dropped = runtime.array<I64>({100}, zeros());
    for (int task = 0; task < 7; ++task) runtime.submit(add_to, reduce(dropped, sum), 1);
    runtime.submit(add_to, reduce(kept, sum), 1);
  }

  EXPECT_THAT(values(runtime.read(kept)), Each(200));
}

TEST(RuntimeReduce, ByManyThreadsIntoOneArray) {
  Runtime runtime(Options{.window_tasks = 50});
  const auto y = runtime.array<I64>({16}, zeros());
  const auto work = [&](int thread) {
    const auto own = runtime.array<I64>({16});
    for (int i = 0; i < 500; ++i) {
      runtime.submit(add_to, reduce(y, sum), 1);
      runtime.submit(add_to, reduce(own, sum), 2);
      if (i % 100 == thread) runtime.wait(y);
    }
    EXPECT_THAT(values(runtime.read(own)), Each(1000));
  };

  {
    std::vector<std::jthread> team;
    for (int thread = 0; thread < 4; ++thread) team.emplace_back(work, thread);
  }

  EXPECT_THAT(values(runtime.read(y)), Each(2000));
}

// --- mistakes and failures ---

TEST(RuntimeReduce, AndReadByOneTaskIsAnErrorThatNamesBoth) {
  Runtime runtime;
  const auto y = runtime.array<I64>({1}, fill(3));

  const auto error = thrown_by<Error>([&] { runtime.submit(both_arrays, reduce(y, sum), read(y)); });
  const int line = __LINE__ - 1;
  runtime.submit(add_to, reduce(y, sum), 1);

  EXPECT_THAT(error.what(), AllOf(HasSubstr(here(line)), HasSubstr("access 1"), HasSubstr("access 2")));
  EXPECT_EQ(runtime.read(y)[0], 4);
}

TEST(RuntimeReduce, OfAKernelThatOnlyWritesIsAnErrorWithItsPlace) {
  Runtime runtime;
  const auto y = runtime.array<double>({2, 2}, zeros());

  const auto error = thrown_by<Error>([&] { runtime.submit(KernelName("fill"), reduce(y, sum), with("value", 1.0)); });
  const int line = __LINE__ - 1;

  EXPECT_THAT(error.what(), AllOf(HasSubstr(here(line)), HasSubstr("the access of x is reduce"), HasSubstr("write")));
}

TEST(RuntimeReduce, ThatIsRefusedLeavesNothingBehind) {
  Runtime runtime;
  const auto y = runtime.array<I64>({1}, fill(3));
  const auto unwritten = runtime.array<I64>({1});

  const auto error = thrown_by<Error>([&] { runtime.submit(both_arrays, reduce(y, sum), read(unwritten)); });

  EXPECT_THAT(error.what(), HasSubstr("nothing has written"));
  EXPECT_EQ(runtime.read(y)[0], 3);
}

TEST(RuntimeReduce, NeedsANeutralElement) {
  const auto error = thrown_by<Error>([] { const Reduction none(larger, Origin{}); });

  EXPECT_THAT(error.what(), AllOf(HasSubstr("test.larger"), HasSubstr("neutral")));
}

TEST(RuntimeReduce, WithATaskThatFailsNamesIt) {
  Runtime runtime;
  const auto y = runtime.array<I64>({1}, zeros());
  for (int i = 0; i < 5; ++i) runtime.submit(add_to, reduce(y, sum), 1);

  runtime.submit(fail_updating, reduce(y, sum), "a gear is missing");
  const int line = __LINE__ - 1;
  for (int i = 0; i < 5; ++i) runtime.submit(add_to, reduce(y, sum), 1);

  const auto error = thrown_by<TaskError>([&] { runtime.wait(y); });
  EXPECT_THAT(error.what(), AllOf(HasSubstr("test.fail_updating"), HasSubstr(here(line)),
                                  HasSubstr("a gear is missing"), Not(HasSubstr("combine"))));
  runtime.submit(set_to, write(y), 1);
  runtime.submit(add_to, reduce(y, sum), 1);
  EXPECT_EQ(runtime.read(y)[0], 2);
}

TEST(RuntimeReduce, WhoseCombiningFailsNamesThePlaceOfATaskThatReduces) {
  Runtime runtime;
  const auto y = runtime.array<I64>({1}, zeros());

  runtime.submit(add_to, reduce(y, jammed), 1);
  const int line = __LINE__ - 1;

  EXPECT_THAT(thrown_by<TaskError>([&] { runtime.wait(y); }).what(),
              AllOf(HasSubstr("combine [test.fail_combining]"), HasSubstr(here(line)), HasSubstr("it jams")));
}

// --- in a task's own runtime ---

const auto reduce_inside = kernel("test.reduce_inside", [](Runtime& runtime, InOut<I64> held, I64 tasks) {
  const auto y = runtime.array(held);
  for (I64 i = 0; i < tasks; ++i) runtime.submit(add_to, reduce(y, sum), 1);
});  // y is gone before its partial results are combined

TEST(RuntimeReduce, ByTasksOfATaskIntoItsArray) {
  Runtime runtime;
  const auto y = runtime.array<I64>({64}, fill(1));

  runtime.submit(reduce_inside, read_write(y), 21);
  runtime.submit(reduce_inside, reduce(y, sum), 10);

  EXPECT_THAT(values(runtime.read(y)), Each(32));
}

}  // namespace

}  // namespace penstock::tests
