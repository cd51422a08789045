#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <vector>

#include "runtime/test_kernels.hpp"

namespace penstock::tests {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

std::atomic<int> users{0};
std::atomic<int> users_most{0};

const auto use_it = kernel("test.use_it", [](Out<I64> out, bool fails) {
  const int now = ++users;
  int most = users_most;
  while (now > most && !users_most.compare_exchange_weak(most, now)) {
  }
  out[0] = now;
  --users;
  if (fails) throw std::runtime_error("as told");
});
const auto until_cancelled = kernel("test.until_cancelled", [](Out<I64> out, int gate_seen) {
  out[0] = gate_seen;
  while (!is_cancelled()) {
  }
});

TEST(Group, IsWaitedForAlone) {
  Runtime runtime(Options{.workers = 2});
  Gate gate;
  const auto held = runtime.array<I64>({1});
  const auto free = runtime.array<I64>({1}, zeros());
  runtime.submit(through_gate, write(held), gate.number());

  Group group(runtime);
  {
    const auto scope = group.enter();
    for (int i = 0; i < 100; ++i) runtime.submit(add_to, read_write(free), 1);
  }
  group.wait();  // would never return if it waited for the gate too

  EXPECT_EQ(values(runtime.try_read(free).value()), std::vector<I64>{100});
  gate.open();
  runtime.wait_all();
}

TEST(Group, IsWaitedForUntilATime) {
  Runtime runtime(Options{.workers = 1});
  Gate gate;
  const auto held = runtime.array<I64>({1});
  Group group(runtime);
  {
    const auto scope = group.enter();
    runtime.submit(through_gate, write(held), gate.number());
  }

  EXPECT_FALSE(group.wait_for(1ms));
  gate.open();
  EXPECT_TRUE(group.wait_for(1h));
}

TEST(Group, OfTasksThatHaveNotBegunIsCancelled) {
  Runtime runtime(Options{.workers = 1});
  Gate gate;
  const auto held = runtime.array<I64>({1});
  const auto mine = runtime.array<I64>({1}, zeros());
  const auto other = runtime.array<I64>({1}, zeros());
  runtime.wait(mine);
  runtime.submit(through_gate, write(held), gate.number());
  gate.await_visitor();
  const Group group(runtime);
  {
    const auto scope = group.enter();
    runtime.submit(add_to, read_write(mine), 1);
  }
  runtime.submit(add_to, read_write(other), 1);

  group.cancel();
  gate.open();
  group.wait();

  EXPECT_THAT(thrown_by<TaskError>([&] { runtime.wait(mine); }).what(), HasSubstr("cancelled"));
  EXPECT_THAT(values(runtime.read(other)), ElementsAre(1));
}

TEST(Cancel, EndsOneTaskThatHasNotBegun) {
  Runtime runtime(Options{.workers = 1});
  Gate gate;
  const auto held = runtime.array<I64>({1});
  const auto a = runtime.array<I64>({1});
  const auto b = runtime.array<I64>({1});
  runtime.submit(through_gate, write(held), gate.number());
  gate.await_visitor();
  const Task task = runtime.submit(set_to, write(a), 1);
  runtime.submit(set_to, write(b), 2);

  runtime.cancel(task);
  gate.open();

  EXPECT_THAT(thrown_by<TaskError>([&] { runtime.wait(a); }).what(), HasSubstr("cancelled"));
  EXPECT_THAT(values(runtime.read(b)), ElementsAre(2));
}

TEST(Cancel, IsSeenByABodyThatAsks) {
  Runtime runtime(Options{.workers = 1});
  const auto x = runtime.array<I64>({1});

  const Task task = runtime.submit(until_cancelled, write(x), 5);
  runtime.cancel(task);

  try {
    runtime.wait(x);  // it had begun
    EXPECT_THAT(values(runtime.read(x)), ElementsAre(5));
  } catch (const TaskError& error) {
    EXPECT_THAT(error.what(), HasSubstr("cancelled"));
  }
}

TEST(LoopWindow, HasSoManyUnitsInFlight) {
  Runtime runtime(Options{.workers = 2});
  std::vector<Array<I64>> units;
  Window window(runtime, 2);

  for (int t = 0; t < 50; ++t) {
    window.next();
    if (t >= 2) {
      EXPECT_TRUE(runtime.try_read(units[static_cast<std::size_t>(t - 2)]).has_value()) << t;
    }
    units.push_back(runtime.array<I64>({1}, zeros()));
    for (int i = 0; i < 20; ++i) runtime.submit(add_to, read_write(units.back()), 1);
  }
}

TEST(LoopWindow, IsOfAtLeastOneUnit) {
  Runtime runtime;

  EXPECT_EQ(thrown_by<Error>([&] { const Window window(runtime, 0); }).code(), ErrorCode::invalid_argument);
}

TEST(LimitedResource, IsUsedByNoMoreThanThereIs) {
  Runtime runtime(Options{.workers = 4});
  const Resource resource = runtime.resource(2);
  std::vector<Array<I64>> outs(400);
  users_most = 0;

  for (Array<I64>& out : outs) {
    out = runtime.array<I64>({1});
    runtime.submit(use_it, write(out), false, use(resource));
  }
  runtime.wait_all();

  EXPECT_LE(users_most, 2);
}

TEST(LimitedResource, IsGivenBackByTasksThatFailAndThatAreCancelled) {
  Runtime runtime(Options{.workers = 2});
  const Resource resource = runtime.resource(1);
  const auto x = runtime.array<I64>({1});

  for (int i = 0; i < 50; ++i) runtime.submit(use_it, write(x), true, use(resource));
  const Group group(runtime);
  group.cancel();
  {
    const auto scope = group.enter();
    for (int i = 0; i < 50; ++i) runtime.submit(use_it, write(x), false, use(resource));
  }
  runtime.submit(use_it, write(x), false, use(resource));

  EXPECT_THAT(values(runtime.read(x)), ElementsAre(1));
}

TEST(LimitedResource, IsTakenWithOthersAtOnceOrNotAtAll) {
  Runtime runtime(Options{.workers = 4});
  const Resource a = runtime.resource(1);
  const Resource b = runtime.resource(3);
  std::vector<Array<I64>> outs(300);

  for (std::size_t i = 0; i < outs.size();
       ++i) {  // in both orders: who took one after the other would end in an embrace
    outs[i] = runtime.array<I64>({1});
    if (i % 2 == 0)
      runtime.submit(use_it, write(outs[i]), false, use(a), use(b, 2));
    else
      runtime.submit(use_it, write(outs[i]), false, use(b, 3), use(a));
  }

  runtime.wait_all();
}

TEST(LimitedResource, RefusesWhatCanNeverBe) {
  Runtime runtime;
  Runtime other(Options{.workers = 1});
  const Resource resource = runtime.resource(2);
  const auto x = runtime.array<I64>({1});
  const auto why = [&](const auto& call) { return std::string(thrown_by<Error>(call).what()); };

  EXPECT_THAT(why([&] { runtime.submit(use_it, write(x), false, use(resource, 3)); }),
              HasSubstr("uses 3 of a resource"));
  EXPECT_THAT(why([&] { runtime.submit(use_it, write(x), false, use(resource, 0)); }),
              HasSubstr("uses 0 of a resource"));
  EXPECT_THAT(why([&] { runtime.submit(use_it, write(x), false, use(resource), use(resource)); }), HasSubstr("twice"));
  EXPECT_THAT(why([&] { runtime.submit(use_it, write(x), false, use(Resource())); }), HasSubstr("of this runtime"));
  EXPECT_THAT(why([&] { static_cast<void>(runtime.resource(0)); }), HasSubstr("at least 1"));
}

TEST(Request, NamesATaskForMessages) {
  Runtime runtime;
  const auto x = runtime.array<I64>({1});

  runtime.submit(fail_writing, write(x), std::string("no"), name("the first step"), priority(2));

  EXPECT_THAT(thrown_by<TaskError>([&] { runtime.wait(x); }).what(), HasSubstr("the first step [test.fail_writing]"));
  ASSERT_EQ(runtime.failures().size(), 1U);
  EXPECT_THAT(runtime.failures().front(), HasSubstr("the first step"));
}

std::vector<std::int64_t> begun;
const auto note = kernel("test.note", [](Out<I64> out, std::int64_t which) {
  out[0] = which;
  begun.push_back(which);  // by the one worker alone
});

TEST(Request, OfAHigherPriorityBeginsFirst) {
  Runtime runtime(Options{.workers = 1});
  Gate gate;
  const auto held = runtime.array<I64>({1});
  std::vector<Array<I64>> outs(4);
  for (Array<I64>& out : outs) out = runtime.array<I64>({1});
  runtime.submit(through_gate, write(held), gate.number());
  gate.await_visitor();

  runtime.submit(note, write(outs[0]), 0);
  runtime.submit(note, write(outs[1]), 1, priority(-1));
  runtime.submit(note, write(outs[2]), 2, priority(5));
  runtime.submit(note, write(outs[3]), 3, priority(7));
  gate.open();
  runtime.wait_all();

  EXPECT_THAT(begun, ElementsAre(3, 2, 0, 1));
}

}  // namespace

}  // namespace penstock::tests
