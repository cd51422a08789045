// How much is in flight at most. The tasks of these tests are held until the program has been seen waiting.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "engine/program.hpp"

namespace penstock::engine {
namespace {

/// A program whose first task is held until submit() waits for room; then what is in flight is noted.
class HeldProgram {
 public:
  explicit HeldProgram(Configuration configuration) {
    configuration.workers = 1;
    configuration.while_waiting = [this] {
      const Domain::InFlight now = program_->domain().in_flight();
      if (seen_.tasks == 0) seen_ = now;
      gate_.open();
    };
    program_.emplace(configuration);
  }
  HeldProgram(const HeldProgram&) = delete;
  HeldProgram& operator=(const HeldProgram&) = delete;
  ~HeldProgram() { gate_.open(); }

  Program& operator*() { return *program_; }
  Program* operator->() { return &*program_; }
  void hold(core::DataId data) {
    program_->submit({writes(data)}, [this](const Arrays& /*arrays*/) { gate_.pass(); });
  }
  /// When submit() first waited; no task: it never did.
  [[nodiscard]] Domain::InFlight seen() const { return seen_; }

 private:
  Gate gate_;
  Domain::InFlight seen_;
  std::optional<Program> program_;
};

TEST(Window, BoundsTheTasksInFlight) {
  for (const std::uint64_t tasks : {1U, 2U, 5U, 64U}) {
    HeldProgram program({.window_tasks = tasks});
    program.hold(program->add());

    for (int i = 0; i < 200; ++i) program->submit({}, [](const Arrays& /*arrays*/) {});

    EXPECT_EQ(program.seen().tasks, tasks);
    program->domain().drain();
    EXPECT_EQ(program->domain().in_flight().tasks, 0U);
    EXPECT_EQ(program->domain().submitted(), 201U);
  }
}

/// Tasks that are in flight at least: those submitted, less those that have run, looked at in this order.
class Watch {
 public:
  explicit Watch(Program& program) : program_(program) {}
  void submit() {
    program_.submit({}, [this](const Arrays& /*arrays*/) {
      std::this_thread::yield();
      ++ran_;
    });
    const std::uint64_t submitted = program_.domain().submitted();
    const std::uint64_t least = submitted - std::min<std::uint64_t>(ran_, submitted);
    std::uint64_t before = most_;
    while (least > before && !most_.compare_exchange_weak(before, least)) {
    }
  }
  [[nodiscard]] std::uint64_t most() const { return most_; }

 private:
  Program& program_;
  std::atomic<std::uint64_t> ran_{0};
  std::atomic<std::uint64_t> most_{0};
};

TEST(Window, IsNeverExceeded) {
  constexpr std::uint64_t window = 10;
  Program program({.workers = 3, .window_tasks = window});
  Watch watch(program);

  for (int i = 0; i < 5000; ++i) watch.submit();
  program.domain().drain();

  EXPECT_LE(watch.most(), window);
  EXPECT_GE(watch.most(), 1U);
}

TEST(Window, BoundsTheBytesInFlight) {
  constexpr I64 bytes = 8000;
  HeldProgram program({.window_bytes = 3 * bytes});
  program.hold(program->add(bytes / 8));

  for (int i = 0; i < 20; ++i) program->write(program->add(bytes / 8), i);

  EXPECT_EQ(program.seen().bytes, 3 * bytes);
  EXPECT_EQ(program.seen().tasks, 3U);
  program->domain().drain();
  EXPECT_EQ(program->domain().in_flight().bytes, 0);
}

TEST(Window, LetsATaskThroughThatIsLargerThanItself) {
  constexpr I64 bytes = 80'000;
  HeldProgram program({.window_bytes = 1000});
  program.hold(program->add(bytes / 8));
  const core::DataId x = program->add(bytes / 8);

  for (int i = 0; i < 5; ++i) program->write(x, i);

  EXPECT_EQ(program.seen().tasks, 1U);
  EXPECT_EQ(program.seen().bytes, bytes);
  EXPECT_EQ(program->read(x), 4);
}

TEST(Window, DoesNotCountReadsAsBytes) {
  HeldProgram program({.window_bytes = 100});
  const core::DataId x = program->add_filled(1, 1000);
  program->domain().drain();

  for (int i = 0; i < 50; ++i) program->submit({reads(x)}, [](const Arrays& /*arrays*/) {});

  EXPECT_EQ(program.seen().tasks, 0U);
}

TEST(Window, HoldsForThreadsThatSubmitTogether) {
  constexpr std::uint64_t window = 8;
  Program program({.window_tasks = window});
  Watch watch(program);

  {
    std::vector<std::jthread> submitters;
    for (int thread = 0; thread < 4; ++thread) {
      submitters.emplace_back([&] {
        for (int i = 0; i < 1000; ++i) watch.submit();
      });
    }
  }
  program.domain().drain();

  EXPECT_EQ(program.domain().submitted(), 4000U);
  EXPECT_LE(watch.most(), window);
}

TEST(Window, IsReturnedByTasksThatFail) {
  Program program({.window_tasks = 4, .window_bytes = 100});
  const core::DataId x = program.add(4);
  program.fail(x);

  for (int i = 0; i < 100; ++i) program.increment(x);
  program.domain().drain();

  EXPECT_EQ(program.not_done().size(), 101U);
  EXPECT_EQ(program.domain().in_flight().bytes, 0);
}

TEST(Window, LosesNothingToSubmissionsThatAreRefused) {
  Program program({.window_tasks = 4});
  const core::DataId never_written = program.add();

  for (int i = 0; i < 100; ++i) {
    EXPECT_THROW(program.submit({reads(never_written)}, [](const Arrays& /*arrays*/) {}), Error);
    program.submit({}, [](const Arrays& /*arrays*/) {});
  }
  program.domain().drain();

  EXPECT_EQ(program.domain().submitted(), 100U);
}

}  // namespace
}  // namespace penstock::engine
