#include "engine/random_program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/program.hpp"
#include "support/random.hpp"

namespace penstock::engine {

namespace {

class Run {
 public:
  Run(Program& program, std::uint64_t seed)
      : program_(program),
        text_(support::random_program(seed)),
        oracle_(support::run_serially(text_)),
        random_(seed),
        first_task_(program.domain().submitted() + 1),
        not_done_before_(program.not_done().size()),
        data_(text_.data) {}

  void carry_out() {
    for (const support::Step& step : text_.steps) carry_out(step);
    program_.domain().drain();
    check_tasks();
    check_pins();
    for (const std::uint32_t datum : live_) program_.domain().release_data(data_[datum]);
  }

 private:
  void carry_out(const support::Step& step) {
    switch (step.kind) {
      case support::Step::Kind::add:
        data_[step.index] = program_.add(1 + step.index % 3 * 100);
        live_.insert(step.index);
        return;
      case support::Step::Kind::release:
        program_.domain().release_data(data_[step.index]);
        live_.erase(step.index);
        return;
      case support::Step::Kind::pin:
        pins_.push_back(&program_.domain().pin(data_[step.index], true));
        return;
      case support::Step::Kind::submit:
        return submit(text_.tasks[step.index]);
    }
  }

  void submit(const support::ProgramTask& task) {
    std::vector<graph::Access> accesses;
    for (const support::ProgramAccess& access : task.accesses) accesses.push_back({data_[access.datum], access.mode});
    program_.submit(accesses, [&task](const Arrays& arrays) { compute(task, arrays); },
                    {.cores = task.cores, .priority = static_cast<std::int32_t>(random_.below(3)) - 1});
  }

  /// All of it in one panel: others would read what it has written.
  static void compute(const support::ProgramTask& task, const Arrays& arrays) {
    if (arrays.panel() != 0) return;
    std::vector<std::uint64_t> reads;
    for (std::size_t i = 0; i < task.accesses.size(); ++i) {
      if (task.accesses[i].mode == AccessMode::write) continue;
      if (arrays[i].front() != arrays[i].back()) throw std::logic_error("an array is torn");
      reads.push_back(static_cast<std::uint64_t>(arrays[i].front()));
    }
    for (std::size_t i = 0; i < task.accesses.size(); ++i) {
      if (task.accesses[i].mode == AccessMode::read) continue;
      std::ranges::fill(arrays[i], static_cast<I64>(support::written_value(task.kernel, task.salt, reads, i)));
    }
    if (task.fails) throw std::runtime_error("as it should");
  }

  void check_tasks() const {
    std::size_t not_done = 0;
    for (std::size_t i = 0; i < oracle_.tasks.size(); ++i) {
      const support::SerialTask& expected = oracle_.tasks[i];
      const Ended* const ended = program_.ended(core::TaskId(first_task_ + i));
      ASSERT_EQ(ended != nullptr ? ended->outcome : core::Outcome::done, expected.outcome) << "task " << i;
      if (ended == nullptr) continue;
      ++not_done;
      ASSERT_TRUE(is_one_of(ended->cause, expected.causes)) << "task " << i;
    }
    ASSERT_EQ(program_.not_done().size(), not_done_before_ + not_done);
  }

  void check_pins() {
    for (std::size_t i = 0; i < pins_.size(); ++i) {
      const support::SerialVersion& expected = oracle_.pins[i];
      EXPECT_TRUE(program_.domain().wait_for(*pins_[i]));
      EXPECT_EQ(pins_[i]->cause != core::TaskId(), expected.failed) << "pin " << i;
      if (expected.failed)
        EXPECT_TRUE(is_one_of(pins_[i]->cause, expected.causes)) << "pin " << i;
      else
        EXPECT_EQ(*reinterpret_cast<const std::uint64_t*>(pins_[i]->data), expected.value) << "pin " << i;
      program_.domain().unpin(*pins_[i], true);
    }
  }

  [[nodiscard]] bool is_one_of(core::TaskId task, const std::set<std::uint32_t>& causes) const {
    return task.value() >= first_task_ && causes.contains(static_cast<std::uint32_t>(task.value() - first_task_));
  }

  Program& program_;
  const support::Program text_;
  const support::SerialRun oracle_;
  support::Random random_;
  const std::uint64_t first_task_;
  const std::size_t not_done_before_;
  std::vector<core::DataId> data_;
  std::set<std::uint32_t> live_;
  std::vector<Version*> pins_;
};

}  // namespace

void check_random_program(Program& program, std::uint64_t seed) {
  SCOPED_TRACE("program " + std::to_string(seed));
  Run(program, seed).carry_out();
}

}  // namespace penstock::engine
