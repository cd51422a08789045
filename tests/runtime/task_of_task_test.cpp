#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <string>
#include <vector>

#include "runtime/test_kernels.hpp"
#include "support/sanitizers.hpp"

namespace penstock::tests {

namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// What bodies of the program's own tasks wait for.
Runtime* program = nullptr;
Array<I64> awaited_x;
Array<I64> awaited_z;

const auto wait_for_x = kernel("test.wait_for_x", [](Out<I64> out) {
  out[0] = 1;
  program->wait(awaited_x);
});
const auto wait_for_z = kernel("test.wait_for_z", [](Out<I64> out) {
  program->wait(awaited_z);
  out[0] = 2;
});
const auto submit_outside = kernel("test.submit_outside", [](Out<I64> out) {
  out[0] = 0;
  program->submit(set_to, write(awaited_x), 1);
});

const auto add_ten_times = kernel("test.add_ten_times", [](Runtime& here, InOut<I64> y) {
  const auto held = here.array(y);
  const auto one = here.array<I64>(y.shape(), ones());
  for (int i = 0; i < 10; ++i) here.submit(add_in, read_write(held), read(one));
  here.wait(held);
  for (I64& element : y) element *= 2;
  here.submit(add_to, read_write(held), 1);  // and is not waited for
});

void go_deeper(Runtime& here, InOut<I64> y, std::int64_t levels);
const auto deeper = kernel("test.deeper", go_deeper);
void go_deeper(Runtime& here, InOut<I64> y, std::int64_t levels) {
  ++y[0];
  if (levels == 0) return;
  const auto held = here.array(y);
  here.submit(deeper, read_write(held), levels - 1);
  here.wait(held);
}

void fork(Runtime& here, Out<I64> sum, std::int64_t n);
const auto fork_in_two = kernel("test.fork_in_two", fork);
void fork(Runtime& here, Out<I64> sum, std::int64_t n) {
  if (n < 2) {
    sum[0] = n;
    return;
  }
  const auto left = here.array<I64>({1});
  const auto right = here.array<I64>({1});
  here.submit(fork_in_two, write(left), n - 1);
  here.submit(fork_in_two, write(right), n - 2);
  sum[0] = here.read(left)[0] + here.read(right)[0];
}

const auto write_what_is_read = kernel("test.write_what_is_read", [](Runtime& here, In<I64> x, Out<I64> out) {
  out[0] = 0;
  here.submit(add_to, read_write(here.array(x)), 1);
});
const auto child_fails = kernel("test.child_fails", [](Runtime& here, Out<I64> out) {
  out[0] = 0;
  const auto x = here.array<I64>({1});
  here.submit(fail_writing, write(x), std::string("in vain"));
});
const auto child_fails_and_it_knows = kernel("test.child_fails_and_it_knows", [](Runtime& here, Out<I64> out) {
  const auto x = here.array<I64>({1});
  here.submit(fail_writing, write(x), std::string("in vain"));
  try {
    here.wait_all();
  } catch (const TaskError&) {
    out[0] = 7;
  }
});
const auto throws_with_children = kernel("test.throws_with_children", [](Runtime& here, InOut<I64> y) {
  const auto held = here.array(y);
  for (int i = 0; i < 100; ++i) here.submit(add_to, read_write(held), 1);
  throw std::runtime_error("enough");
});
const auto waits_with_a_view = kernel("test.waits_with_a_view", [](Runtime& here, InOut<I64> y) {
  const auto held = here.array(y);
  const auto view = here.read(held);
  here.submit(add_to, read_write(held), 1);
  here.wait(held);
});

const auto goes_on_until_cancelled = kernel("test.goes_on_until_cancelled", [](Runtime& here, InOut<I64> y, int gate) {
  const auto held = here.array(y);
  here.submit(through_gate, write(here.array<I64>({1})), gate);
  for (;;) {
    here.submit(add_to, read_write(held), 1);
    here.wait(held);
  }
});

class TaskOfTask : public testing::TestWithParam<int> {
 protected:
  TaskOfTask() { program = &runtime_; }
  ~TaskOfTask() override {
    awaited_x = {};
    awaited_z = {};
  }
  template <class T>
  std::string why_not(const Array<T>& data) {
    return thrown_by<TaskError>([&] { runtime_.wait(data); }).what();
  }

  Runtime runtime_{Options{.workers = GetParam()}};
};

TEST_P(TaskOfTask, ChangesWhatItsParentHolds) {
  const auto y = runtime_.array<I64>({100}, ones());

  runtime_.submit(add_ten_times, read_write(y));

  EXPECT_THAT(values(runtime_.read(y)), Each(23));
}

TEST_P(TaskOfTask, MayBeTenThousandDeep) {
  const auto y = runtime_.array<I64>({1}, zeros());

  runtime_.submit(deeper, read_write(y), 10'000);

  EXPECT_THAT(values(runtime_.read(y)), ElementsAre(10'001));
}

TEST_P(TaskOfTask, ForksAndJoins) {
  const auto sum = runtime_.array<I64>({1});

  runtime_.submit(fork_in_two, write(sum), 16);

  EXPECT_THAT(values(runtime_.read(sum)), ElementsAre(987));
}

TEST_P(TaskOfTask, MayNotWriteWhatItsParentReads) {
  const auto x = runtime_.array<I64>({1}, ones());
  const auto out = runtime_.array<I64>({1});

  runtime_.submit(write_what_is_read, read(x), write(out));

  EXPECT_THAT(why_not(out), HasSubstr("writes an array that the task around this one only reads"));
  EXPECT_THAT(values(runtime_.read(x)), ElementsAre(1));
}

TEST_P(TaskOfTask, FailsItsParentUnlessThatKnows) {
  const auto a = runtime_.array<I64>({1});
  const auto b = runtime_.array<I64>({1});

  runtime_.submit(child_fails, write(a));
  runtime_.submit(child_fails_and_it_knows, write(b));

  EXPECT_THAT(why_not(a), HasSubstr("in vain"));
  EXPECT_THAT(values(runtime_.read(b)), ElementsAre(7));
}

TEST_P(TaskOfTask, EndsBeforeAParentThatThrows) {
  for (int i = 0; i < 50; ++i) {
    const auto y = runtime_.array<I64>({1}, zeros());

    runtime_.submit(throws_with_children, read_write(y));

    EXPECT_THAT(why_not(y), HasSubstr("enough"));
  }
}

TEST_P(TaskOfTask, WaitsForAViewOnlyOfSomebodyElse) {
  const auto y = runtime_.array<I64>({1}, zeros());

  runtime_.submit(waits_with_a_view, read_write(y));

  EXPECT_THAT(why_not(y), HasSubstr("holds a view"));
}

/// A writes w and waits for x; B waits for z, whose producer reads w. Who ran B inside A's wait would never end.
TEST_P(TaskOfTask, WaitsAmongOthersThatWait) {
  Gate gate;
  const auto w = runtime_.array<I64>({1});
  const auto b = runtime_.array<I64>({1});
  const auto held = runtime_.array<I64>({1});
  awaited_x = runtime_.array<I64>({1});
  awaited_z = runtime_.array<I64>({1});
  runtime_.submit(through_gate, write(held), gate.number());
  runtime_.submit(copy, write(awaited_x), read(held));

  runtime_.submit(wait_for_x, write(w));
  runtime_.submit(copy, write(awaited_z), read(w));
  runtime_.submit(wait_for_z, write(b));
  gate.open();

  EXPECT_THAT(values(runtime_.read(b)), ElementsAre(2));
  EXPECT_THAT(values(runtime_.read(awaited_z)), ElementsAre(1));
}

TEST_P(TaskOfTask, WaitsForItsOwnOutputInVain) {
  awaited_x = runtime_.array<I64>({1});

  runtime_.submit(wait_for_x, write(awaited_x));

  EXPECT_THAT(why_not(awaited_x), HasSubstr("an array that it writes itself"));
}

TEST_P(TaskOfTask, IsNotSubmittedToTheProgramsRuntime) {
  awaited_x = runtime_.array<I64>({1}, ones());
  const auto out = runtime_.array<I64>({1});

  runtime_.submit(submit_outside, write(out));

  EXPECT_THAT(why_not(out), HasSubstr("submit() was called inside a task of the same runtime"));
}

TEST_P(TaskOfTask, IsCancelledWithItsParent) {
  const auto y = runtime_.array<I64>({1}, zeros());
  Gate gate;

  const Task task = runtime_.submit(goes_on_until_cancelled, read_write(y), gate.number());
  gate.await_visitor();
  runtime_.cancel(task);
  gate.open();

  EXPECT_THAT(why_not(y), HasSubstr("cancelled"));
}

TEST_P(TaskOfTask, WaitsByTheHundred) {
  Gate gate;
  std::vector<Array<I64>> outs;
  awaited_x = runtime_.array<I64>({1});
  runtime_.submit(through_gate, write(awaited_x), gate.number());

  for (int i = 0; i < 300; ++i) {
    outs.push_back(runtime_.array<I64>({1}));
    runtime_.submit(wait_for_x, write(outs.back()));
  }
  gate.open();
  runtime_.wait_all();

  for (const Array<I64>& out : outs) EXPECT_THAT(values(runtime_.read(out)), ElementsAre(1));
}

INSTANTIATE_TEST_SUITE_P(OnWorkers, TaskOfTask, testing::Values(1, 2, 4));

TEST(TaskOfTaskInSerialMode, RunsInsideItsSubmit) {
  Runtime runtime(Options{.serial = true});
  const auto y = runtime.array<I64>({100}, ones());
  const auto sum = runtime.array<I64>({1});

  runtime.submit(add_ten_times, read_write(y));
  runtime.submit(fork_in_two, write(sum), 10);

  EXPECT_THAT(values(runtime.read(y)), Each(23));
  EXPECT_THAT(values(runtime.read(sum)), ElementsAre(55));
}

#if defined(PENSTOCK_THREAD_SANITIZER)
constexpr bool counts_locks = true;
#else
constexpr bool counts_locks = false;
#endif

void* nest_until_refused(void* message) {
  Runtime runtime(Options{.serial = true});
  const auto y = runtime.array<I64>({1}, zeros());
  runtime.submit(deeper, read_write(y), 1'000'000);
  *static_cast<std::string*>(message) = thrown_by<TaskError>([&] { runtime.wait(y); }).what();
  return nullptr;
}

TEST(TaskOfTaskInSerialMode, IsRefusedWhereTheStackEnds) {
  if (counts_locks) GTEST_SKIP() << "ThreadSanitizer ends where a thread holds more than 64 mutexes";
  pthread_attr_t small_stack;
  pthread_attr_init(&small_stack);
  pthread_attr_setstacksize(&small_stack, std::size_t{1} << 20);
  pthread_t thread{};
  std::string message;

  ASSERT_EQ(pthread_create(&thread, &small_stack, nest_until_refused, &message), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&small_stack);

  EXPECT_THAT(message, HasSubstr("too deep for the stack"));
}

TEST(TaskOfTaskInARandomOrder, MayBeThreeThousandDeep) {  // each waits: there are no spare threads for all of them
  for (const int workers : {1, 2}) {
    Runtime runtime(Options{.workers = workers, .schedule_seed = 7});
    const auto y = runtime.array<I64>({1}, zeros());

    runtime.submit(deeper, read_write(y), 3000);

    EXPECT_THAT(values(runtime.read(y)), ElementsAre(3001));
  }
}

const auto waits_beside_a_child = kernel("test.waits_beside_a_child", [](Runtime& here, Out<I64> out) {
  here.submit(set_to, write(here.array(out)), 1);
  program->wait(awaited_x);
});

TEST(TaskOfTaskAmongTooMany, EndsBeforeItsParentThatMayNotWait) {
  Runtime runtime(Options{.workers = 2});
  program = &runtime;
  Gate gate;
  awaited_x = runtime.array<I64>({1});
  runtime.submit(through_gate, write(awaited_x), gate.number());
  gate.await_visitor();

  std::vector<Array<I64>> outs;
  for (int i = 0; i < 1010; ++i) {  // on one worker: more than there may be spare threads
    outs.push_back(runtime.array<I64>({1}));
    runtime.submit(waits_beside_a_child, write(outs.back()));
  }
  int refused = 0;
  std::string message;
  for (std::size_t i = outs.size() - 5; i < outs.size(); ++i) {  // begun last: those before still wait
    try {
      runtime.wait(outs[i]);
    } catch (const TaskError& error) {
      ++refused;
      message = error.what();
    }
  }
  gate.open();

  EXPECT_EQ(refused, 5);
  EXPECT_THAT(message, HasSubstr("wait inside their bodies at once"));
  EXPECT_THROW(runtime.wait_all(), TaskError);
  awaited_x = {};
}

TEST(TaskOfTaskInARandomOrder, ComputesTheSame) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Runtime runtime(Options{.workers = 2, .schedule_seed = seed});
    const auto sum = runtime.array<I64>({1});

    runtime.submit(fork_in_two, write(sum), 10);

    EXPECT_THAT(values(runtime.read(sum)), ElementsAre(55));
  }
}

}  // namespace

}  // namespace penstock::tests
