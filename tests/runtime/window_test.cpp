#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "runtime/test_kernels.hpp"

namespace penstock::tests {

namespace {

using ::testing::Each;

/// A program that fills any window: chains that meet.
I64 run_chains(const Options& options) {
  Runtime runtime(options);
  std::vector<Array<I64>> chains;
  for (int chain = 0; chain < 5; ++chain) chains.push_back(runtime.array<I64>({10}, fill(chain)));
  for (int step = 0; step < 100; ++step) {
    for (std::size_t chain = 0; chain < chains.size(); ++chain) {
      runtime.submit(add_in, read_write(chains[chain]), read(chains[(chain + 1) % chains.size()]));
    }
  }
  return runtime.read(chains[0])[0] ^ runtime.read(chains[4])[9];
}

TEST(RuntimeWindow, OfAnySizeGivesTheSameValues) {
  const I64 expected = run_chains({});

  EXPECT_EQ(run_chains({.window_tasks = 1}), expected);
  EXPECT_EQ(run_chains({.window_tasks = 2}), expected);
  EXPECT_EQ(run_chains({.window_tasks = 7}), expected);
  EXPECT_EQ(run_chains({.window_bytes = 1}), expected);
  EXPECT_EQ(run_chains({.window_bytes = 100}), expected);
  EXPECT_EQ(run_chains({.workers = 1, .window_tasks = 1, .window_bytes = 1}), expected);
}

TEST(RuntimeWindow, OfFewBytesTakesALargerTaskAlone) {
  Runtime runtime(Options{.window_bytes = 64});

  const auto large = runtime.array<I64>({100'000}, fill(3));
  runtime.submit(add_to, read_write(large), 1);

  EXPECT_THAT(values(runtime.read(large)), Each(4));
}

TEST(RuntimeWindow, HoldsWhatIsSubmittedAndNotEnded) {
  Runtime runtime(Options{.workers = 1, .window_tasks = 4});
  Gate gate;
  const auto held = runtime.array<I64>({1});
  const auto data = runtime.array<I64>({1}, zeros());
  runtime.wait(data);

  runtime.submit(through_gate, write(held), gate.number());
  for (int i = 0; i < 3; ++i) runtime.submit(add_to, read_write(data), 1);  // four in flight: none of them waited
  gate.open();
  for (int i = 0; i < 100; ++i) runtime.submit(add_to, read_write(data), 1);

  EXPECT_THAT(values(runtime.read(data)), Each(103));
}

TEST(RuntimeWindow, PassesAHundredThousandTasks) {
  Runtime runtime;
  std::vector<Array<I64>> data;
  for (int i = 0; i < 100; ++i) data.push_back(runtime.array<I64>({8}, zeros()));

  for (int round = 0; round < 1000; ++round) {
    for (const auto& array : data) runtime.submit(add_to, read_write(array), 1);
  }

  for (const auto& array : data) ASSERT_THAT(values(runtime.read(array)), Each(1000));
}

}  // namespace

}  // namespace penstock::tests
