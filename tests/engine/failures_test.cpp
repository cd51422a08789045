// Tasks that end otherwise than done, and what becomes of what they should have made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "engine/program.hpp"

namespace penstock::engine {
namespace {

using core::Outcome;
using core::TaskId;
using testing::HasSubstr;

std::string message_of(Body body) {
  Program program;
  const TaskId task = program.submit({writes(program.add())}, std::move(body));
  program.domain().drain();
  const Ended* const ended = program.ended(task);
  if (ended == nullptr) return "it did not fail";
  EXPECT_EQ(ended->outcome, Outcome::failed);
  EXPECT_EQ(ended->cause, task);
  return ended->message;
}

TEST(Failures, SayWhatTheBodyThrew) {
  EXPECT_EQ(message_of([](const Arrays& /*arrays*/) { throw std::runtime_error("no such luck"); }), "no such luck");
  EXPECT_EQ(message_of([](const Arrays& /*arrays*/) { throw std::runtime_error(""); }), "exception without a message");
  EXPECT_EQ(message_of([](const Arrays& /*arrays*/) { throw 42; }), "unknown exception");
  EXPECT_EQ(message_of([](const Arrays& /*arrays*/) { throw std::string("some text"); }), "some text");
  EXPECT_EQ(message_of([](const Arrays& /*arrays*/) { throw "a C string"; }), "a C string");
}

TEST(Failures, KeepOfALongTextTheBeginningAndTheEnd) {
  const std::string kept = message_of([](const Arrays& /*arrays*/) {
    throw std::runtime_error("outermost" + std::string(10'000, 'x') + "first cause");
  });

  EXPECT_LE(kept.size(), 4096U);
  EXPECT_TRUE(kept.starts_with("outermostxxx")) << kept;
  EXPECT_TRUE(kept.ends_with("xxxfirst cause")) << kept;
}

TEST(Failures, KnowTheirTaskByNameAndPlace) {
  Program program;
  const TaskId task = program.submit({writes(program.add())}, [](const Arrays& /*arrays*/) { throw 1; },
                                     {.name = "step 7", .place = Place("file.cpp", 12)});
  program.domain().drain();

  const Ended* const ended = program.ended(task);
  ASSERT_NE(ended, nullptr);
  EXPECT_EQ(ended->name, "step 7");
  EXPECT_EQ(ended->line, 12U);
}

TEST(Failures, AreOfKernelsWithoutABodyToo) {
  Program program;
  const TaskId task = program.submit_bodiless(program.add());
  program.domain().drain();

  ASSERT_NE(program.ended(task), nullptr);
  EXPECT_THAT(program.ended(task)->message, HasSubstr("bodiless"));
}

TEST(Failures, SkipWhatDependsOnThemAndNameTheRootCause) {
  Program program;
  const core::DataId a = program.add();
  const core::DataId b = program.add();
  const core::DataId c = program.add();
  std::atomic<bool> ran{false};
  const Body run = [&](const Arrays& /*arrays*/) { ran = true; };

  const TaskId root = program.fail(a);
  const std::vector<TaskId> skipped{program.submit({updates(a)}, run), program.submit({reads(a), writes(b)}, run),
                                    program.submit({updates(b), writes(c)}, run), program.submit({reads(c)}, run)};
  program.domain().drain();

  EXPECT_FALSE(ran);
  EXPECT_EQ(program.not_done().size(), 5U);
  for (const TaskId task : skipped) {
    ASSERT_NE(program.ended(task), nullptr);
    EXPECT_EQ(program.ended(task)->outcome, Outcome::skipped);
    EXPECT_EQ(program.ended(task)->cause, root);
    EXPECT_EQ(program.ended(task)->message, "");
  }
  for (const core::DataId data : {a, b, c}) EXPECT_EQ(program.wait(data), root);
}

TEST(Failures, LeaveReadersOfEarlierVersionsAlone) {
  Gate gate;
  Program program;
  const core::DataId x = program.add_filled(1);
  std::atomic<I64> seen{0};
  program.submit({reads(x)}, [&](const Arrays& arrays) {
    gate.pass();
    seen = arrays[0][0];
  });
  gate.await();

  const TaskId root = program.fail(x);
  EXPECT_EQ(program.wait(x), root);
  gate.open();
  program.domain().drain();

  EXPECT_EQ(seen, 1);
  EXPECT_EQ(program.not_done().size(), 1U);
}

TEST(Failures, EndWithAPureWrite) {
  Program program;
  const core::DataId x = program.add();
  program.fail(x);
  program.increment(x);

  program.write(x, 5);
  program.increment(x);

  EXPECT_EQ(program.read(x), 6);
  program.domain().drain();
  EXPECT_EQ(program.not_done().size(), 2U);
}

/// All that a task should have made is spoilt, and one of its causes is named.
TEST(Failures, SpoilAllThatATaskWrites) {
  Program program;
  const core::DataId a = program.add();
  const core::DataId b = program.add_filled(2);
  const core::DataId unharmed = program.add_filled(3);

  const TaskId root = program.submit({reads(unharmed), writes(a), updates(b)},
                                     [](const Arrays& /*arrays*/) { throw std::runtime_error("half way"); });

  EXPECT_EQ(program.wait(a), root);
  EXPECT_EQ(program.wait(b), root);
  EXPECT_EQ(program.read(unharmed), 3);
}

TEST(Failures, NameOneOfSeveralRootCauses) {
  Program program;
  const core::DataId a = program.add();
  const core::DataId b = program.add();
  const core::DataId c = program.add();
  const TaskId first = program.fail(a);
  const TaskId second = program.fail(b);

  const TaskId both = program.submit({reads(a), reads(b), writes(c)}, [](const Arrays& /*arrays*/) {});
  const TaskId cause = program.wait(c);
  program.domain().drain();

  EXPECT_TRUE(cause == first || cause == second);
  EXPECT_EQ(program.ended(both)->cause, cause);
}

TEST(Failures, AreSeenByEveryThreadThatWaits) {
  constexpr int threads = 4;
  Gate gate;
  Program program;
  const core::DataId x = program.add();
  const core::DataId y = program.add();
  const TaskId root = program.submit({writes(x)}, [&](const Arrays& /*arrays*/) {
    gate.pass();
    throw std::runtime_error("at last");
  });
  program.submit({reads(x), writes(y)}, [](const Arrays& /*arrays*/) {});
  std::latch pinned(threads);
  std::atomic<int> told{0};

  {
    std::vector<std::jthread> waiters;
    for (int i = 0; i < threads; ++i) {
      waiters.emplace_back([&, i] {
        Version& version = program.domain().pin(i % 2 == 0 ? x : y, false);
        pinned.count_down();
        if (program.domain().wait_for(version) && version.cause == root) ++told;
        program.domain().unpin(version, false);
      });
    }
    pinned.wait();
    gate.open();
  }

  EXPECT_EQ(told, threads);
  EXPECT_EQ(program.wait(x), root);  // and by those that come later
}

TEST(Failures, AreToldBeforeAnybodyLearnsOfThem) {
  Program program;
  for (int i = 0; i < 500; ++i) {
    const core::DataId x = program.add();
    const TaskId task = program.fail(x);
    ASSERT_EQ(program.wait(x), task);
    program.domain().drain();
    ASSERT_EQ(program.not_done().size(), static_cast<std::size_t>(i) + 1);
    program.domain().release_data(x);
  }
}

TEST(Failures, LeakNothing) {
  Program program;
  {
    const core::DataId x = program.add(1000);
    const core::DataId y = program.add(1000);
    program.fail(x);
    program.submit({reads(x), writes(y)}, [](const Arrays& /*arrays*/) {});
    program.increment(y);
    program.domain().release_data(x);
    program.domain().release_data(y);
  }
  program.domain().drain();

  EXPECT_EQ(program.data_bytes(), 0U);
  EXPECT_EQ(program.not_done().size(), 3U);
}

TEST(Refusals, LeaveTheDomainAsItWas) {
  Program program;
  const core::DataId x = program.add_filled(1);
  const core::DataId never_written = program.add();
  const Body nothing = [](const Arrays& /*arrays*/) {};
  const std::vector<graph::Access> too_many(256, reads(x));
  const std::vector<Parameter> too_long{std::string(std::size_t{300} << 10, 'p')};

  EXPECT_THROW(program.submit({updates(x), reads(never_written)}, nothing), Error);
  EXPECT_THROW(program.submit({updates(never_written)}, nothing), Error);
  EXPECT_THROW(program.submit({writes(x), writes(x)}, nothing), Error);
  EXPECT_THROW(program.submit({updates(x), writes(x)}, nothing), Error);
  EXPECT_THROW(program.submit(too_many, nothing), Error);
  EXPECT_THROW(program.submit({}, nothing, {.parameters = too_long}), Error);
  EXPECT_THROW(static_cast<void>(program.domain().pin(never_written, true)), Error);

  program.increment(x);
  EXPECT_EQ(program.read(x), 2);
  EXPECT_EQ(program.domain().submitted(), 2U);
}

TEST(Refusals, SayWhereAndWhichAccess) {
  Program program;
  const core::DataId x = program.add_filled(1);
  const core::DataId never_written = program.add();

  try {
    program.submit({reads(x), reads(never_written)}, [](const Arrays& /*arrays*/) {},
                   {.place = Place("model.cpp", 31)});
    ADD_FAILURE() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_THAT(error.what(), HasSubstr("model.cpp:31: access 2 reads"));
  }
}

TEST(Cancel, StartsNothingMore) {
  Gate gate;
  Program program({.workers = 1});
  const core::DataId x = program.add_filled(1);
  std::atomic<int> ran{0};
  program.submit({}, [&](const Arrays& /*arrays*/) {
    gate.pass();
    ++ran;
  });
  gate.await();
  for (int i = 0; i < 100; ++i) {
    program.submit({updates(x)}, [&](const Arrays& /*arrays*/) { ++ran; });
    program.submit({}, [&](const Arrays& /*arrays*/) { ++ran; });
  }

  program.domain().cancel();
  gate.open();
  program.domain().drain();

  EXPECT_EQ(ran, 1);  // what runs ends as it does
  EXPECT_EQ(program.not_done().size(), 200U);
  for (const Ended& ended : program.not_done()) {
    // One that reads what a cancelled one should have made is skipped because of it.
    EXPECT_TRUE(ended.outcome == Outcome::cancelled || program.ended(ended.cause)->outcome == Outcome::cancelled);
  }
  EXPECT_NE(program.wait(x), TaskId());
}

TEST(Close, RefusesWhatComesLaterAndEndsTheRest) {
  Gate gate;
  Program program;
  const core::DataId x = program.add();
  program.submit({writes(x)}, [&](const Arrays& arrays) {
    gate.pass();
    arrays[0][0] = 1;
  });
  program.increment(x);

  program.domain().close();
  try {
    program.increment(x);
    ADD_FAILURE() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::interrupted);
  }
  gate.open();

  EXPECT_EQ(program.read(x), 2);
}

/// close() comes while a thread waits for room.
TEST(Close, ReachesAThreadThatWaitsForRoom) {
  Gate gate;
  std::optional<Program> program;
  Configuration options{.workers = 1, .window_tasks = 1};
  options.while_waiting = [&] {
    program->domain().close();
    gate.open();
  };
  program.emplace(options);
  program->submit({}, [&](const Arrays& /*arrays*/) { gate.pass(); });

  EXPECT_THROW(program->submit({}, [](const Arrays& /*arrays*/) {}), Error);

  EXPECT_EQ(program->domain().submitted(), 1U);
}

/// Whoever gives up leaves a place in the version's list behind, which its release must survive.
TEST(Waiting, EndsAtItsDeadline) {
  Gate gate;
  Program program;
  const core::DataId x = program.add();
  program.submit({writes(x)}, [&](const Arrays& arrays) {
    gate.pass();
    arrays[0][0] = 3;
  });
  Version& version = program.domain().pin(x, true);

  for (int i = 0; i < 20; ++i) EXPECT_FALSE(program.domain().wait_for(version, std::chrono::steady_clock::now()));
  std::jthread([&] {
    EXPECT_FALSE(program.domain().wait_for(version, std::chrono::steady_clock::now() + std::chrono::milliseconds(1)));
  }).join();
  gate.open();

  EXPECT_TRUE(program.domain().wait_for(version));
  EXPECT_TRUE(program.domain().wait_for(version, std::chrono::steady_clock::now()));
  program.domain().unpin(version, true);
  EXPECT_EQ(program.read(x), 3);
}

TEST(Waiting, EndsWhenTheDomainIsCancelled) {
  Gate gate;
  std::optional<Program> program;
  Configuration configuration;
  configuration.while_waiting = [&] { program->domain().cancel(); };
  program.emplace(configuration);
  const core::DataId x = program->add();
  program->submit({writes(x)}, [&](const Arrays& /*arrays*/) { gate.pass(); });
  Version& version = program->domain().pin(x, false);

  EXPECT_FALSE(program->domain().wait_for(version));

  program->domain().unpin(version, false);
  gate.open();
}

}  // namespace
}  // namespace penstock::engine
