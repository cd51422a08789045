#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "runtime/test_kernels.hpp"

namespace penstock::tests {

namespace {

using ::testing::Each;

void in_parallel(int threads, const std::function<void(int)>& body) {
  std::vector<std::jthread> team;
  for (int thread = 0; thread < threads; ++thread) team.emplace_back([&body, thread] { body(thread); });
}

TEST(RuntimeThreads, SubmitAtTheSameTime) {
  Runtime runtime(Options{.window_tasks = 50});
  const auto shared = runtime.array<I64>({16}, zeros());

  in_parallel(4, [&](int thread) {
    const auto own = runtime.array<I64>({16}, fill(thread));
    for (int i = 0; i < 500; ++i) {
      runtime.submit(add_to, read_write(shared), 1);
      runtime.submit(add_to, read_write(own), 1);
    }
    EXPECT_THAT(values(runtime.read(own)), Each(500 + thread));
  });

  EXPECT_THAT(values(runtime.read(shared)), Each(2000));
}

TEST(RuntimeThreads, WaitForTheSameFailure) {
  Runtime runtime(Options{.workers = 2});
  Gate gate;
  const auto held = runtime.array<I64>({1});
  const auto data = runtime.array<I64>({1}, zeros());
  runtime.submit(through_gate, write(held), gate.number());
  runtime.submit(add_in, read_write(data), read(held));
  runtime.submit(fail_updating, read_write(data), "seen by all");
  std::atomic<int> seen{0};

  std::jthread opener([&] { gate.open(); });
  in_parallel(4, [&](int /*thread*/) {
    const auto error = thrown_by<TaskError>([&] { runtime.wait(data); });
    if (std::string(error.what()).find("seen by all") != std::string::npos) ++seen;
  });

  EXPECT_EQ(seen, 4);
  opener.join();
}

TEST(RuntimeThreads, MakeAndDropArrays) {
  Runtime runtime;

  in_parallel(4, [&](int thread) {
    for (I64 i = 0; i < 300; ++i) {
      const auto data = runtime.array<I64>({i % 40 + 1}, fill(static_cast<double>(i)));
      runtime.submit(add_to, read_write(data), thread);
      if (i % 3 != 0) continue;
      ASSERT_THAT(values(runtime.read(data)), Each(i + thread));
    }
  });

  runtime.wait_all();
}

}  // namespace

}  // namespace penstock::tests
