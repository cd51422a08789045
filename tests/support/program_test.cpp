#include "support/program.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace penstock::support {
namespace {

using core::KernelId;
using core::Outcome;
using Kind = Step::Kind;

ProgramTask task(std::uint64_t salt, bool fails, std::vector<ProgramAccess> accesses) {
  return {.kernel = KernelId(1), .cores = 1, .salt = salt, .fails = fails, .accesses = std::move(accesses)};
}

TEST(SerialRun, HashesWhatATaskReads) {
  Program program{
      .steps = {{Kind::add, 0}, {Kind::submit, 0}, {Kind::submit, 1}, {Kind::pin, 0}}, .tasks = {}, .data = 1};
  program.tasks.push_back(task(11, false, {{0, AccessMode::write}}));
  program.tasks.push_back(task(12, false, {{0, AccessMode::read_write}}));

  const SerialRun run = run_serially(program);

  const std::uint64_t first = written_value(KernelId(1), 11, {}, 0);
  EXPECT_EQ(run.tasks[1].reads, std::vector{first});
  EXPECT_EQ(run.pins[0].value, written_value(KernelId(1), 12, std::vector{first}, 0));
  EXPECT_FALSE(run.pins[0].failed);
}

TEST(SerialRun, HandsFailuresOnUntilAPureWrite) {
  Program program{.steps = {{Kind::add, 0}, {Kind::add, 1}}, .tasks = {}, .data = 2};
  program.tasks.push_back(task(1, true, {{0, AccessMode::write}}));
  program.tasks.push_back(task(2, false, {{0, AccessMode::read}, {1, AccessMode::write}}));
  program.tasks.push_back(task(3, false, {{0, AccessMode::write}}));
  program.tasks.push_back(task(4, false, {{0, AccessMode::read}}));
  program.tasks.push_back(task(5, true, {{1, AccessMode::read}}));
  for (std::uint32_t i = 0; i < 5; ++i) program.steps.push_back({Kind::submit, i});

  const SerialRun run = run_serially(program);

  EXPECT_EQ(run.tasks[0].outcome, Outcome::failed);
  EXPECT_EQ(run.tasks[1].outcome, Outcome::skipped);
  EXPECT_EQ(run.tasks[2].outcome, Outcome::done);
  EXPECT_EQ(run.tasks[3].outcome, Outcome::done);
  EXPECT_EQ(run.tasks[4].outcome, Outcome::skipped);
  EXPECT_EQ(run.tasks[4].causes, std::set<std::uint32_t>{0});
}

TEST(RandomProgram, IsTheSameForTheSameSeed) {
  const Program one = random_program(5);
  const Program same = random_program(5);

  EXPECT_EQ(run_serially(one).tasks.back().reads, run_serially(same).tasks.back().reads);
  EXPECT_EQ(one.steps.size(), same.steps.size());
}

/// Follows the data of a program through its steps.
class Life {
 public:
  explicit Life(const Program& program) : program_(program), states_(program.data, State::absent) {}

  void follow(const Step& step) {
    switch (step.kind) {
      case Kind::add:
        return move(step.index, states_[step.index] == State::absent, State::added);
      case Kind::release:
        return move(step.index, is_here(step.index), State::released);
      case Kind::pin:
        return move(step.index, states_[step.index] == State::written, State::written);
      case Kind::submit:
        break;
    }
    const auto& accesses = program_.tasks[step.index].accesses;
    for (const auto& [datum, mode] : accesses) {
      EXPECT_TRUE(states_[datum] == State::written || (states_[datum] == State::added && mode == AccessMode::write));
    }
    for (const auto& [datum, mode] : accesses) {
      if (mode != AccessMode::read) states_[datum] = State::written;
    }
  }

 private:
  enum class State { absent, added, written, released };
  bool is_here(std::uint32_t datum) const { return states_[datum] == State::added || states_[datum] == State::written; }
  void move(std::uint32_t datum, bool allowed, State next) {
    EXPECT_TRUE(allowed) << "datum " << datum;
    states_[datum] = next;
  }

  const Program& program_;
  std::vector<State> states_;
};

TEST(RandomProgram, NamesDataOnlyBetweenTheirAdditionAndTheirRelease) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Program program = random_program(seed);
    Life life(program);

    for (const Step& step : program.steps) life.follow(step);

    EXPECT_GE(program.tasks.size(), 20u);
    EXPECT_LE(program.tasks.size(), 400u);
  }
}

TEST(RandomProgram, HasEveryKindOfStepAndOutcome) {
  std::size_t pins = 0;
  std::size_t releases = 0;
  std::size_t failed = 0;
  std::size_t skipped = 0;

  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Program program = random_program(seed);
    const SerialRun run = run_serially(program);
    pins += run.pins.size();
    releases += static_cast<std::size_t>(std::ranges::count(program.steps, Kind::release, &Step::kind));
    failed += static_cast<std::size_t>(std::ranges::count(run.tasks, Outcome::failed, &SerialTask::outcome));
    skipped += static_cast<std::size_t>(std::ranges::count(run.tasks, Outcome::skipped, &SerialTask::outcome));
  }

  EXPECT_GT(pins, 20u);
  EXPECT_GT(releases, 20u);
  EXPECT_GT(failed, 20u);
  EXPECT_GT(skipped, 20u);
}

}  // namespace
}  // namespace penstock::support
