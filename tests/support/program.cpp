#include "support/program.hpp"

#include <algorithm>

#include "core/bytes.hpp"
#include "support/random.hpp"

namespace penstock::support {

namespace {

/// Makes one program; the proportions are drawn once, so that programs differ in kind.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {
    data_most_ = static_cast<std::size_t>(random_.between(3, 40));
    fail_percent_ = pick({0, 0, 1, 5, 15});
    replace_percent_ = pick({0, 2, 10, 30});
    pin_percent_ = pick({0, 1, 5});
    read_percent_ = pick({20, 50, 80});
    write_percent_ = pick({5, 20, 50});
  }

  Program make() {
    while (live_.size() < data_most_) add();
    const std::uint64_t tasks = random_.chance(80) ? random_.between(20, 120) : random_.between(120, 400);
    while (program_.tasks.size() < tasks) {
      submit();
      if (random_.chance(pin_percent_)) pin();
      if (random_.chance(replace_percent_)) replace();
    }
    return std::move(program_);
  }

 private:
  unsigned pick(std::initializer_list<unsigned> choices) { return choices.begin()[random_.below(choices.size())]; }

  void step(Step::Kind kind, std::uint32_t index) { program_.steps.push_back({kind, index}); }

  void add() {
    live_.push_back(program_.data);
    written_.push_back(false);
    step(Step::Kind::add, program_.data++);
  }

  void replace() {
    const auto victim = live_.begin() + static_cast<std::ptrdiff_t>(random_.below(live_.size()));
    step(Step::Kind::release, *victim);
    live_.erase(victim);
    add();
  }

  void pin() {
    const std::uint32_t datum = live_[random_.below(live_.size())];
    if (written_[datum]) step(Step::Kind::pin, datum);
  }

  AccessMode mode(std::uint32_t datum) {
    if (!written_[datum] || random_.chance(write_percent_)) return AccessMode::write;
    return random_.chance(read_percent_) ? AccessMode::read : AccessMode::read_write;
  }

  void submit() {
    ProgramTask task;
    task.kernel = core::KernelId(static_cast<std::uint16_t>(random_.below(4)));
    task.cores = random_.chance(90) ? std::uint16_t{1} : static_cast<std::uint16_t>(random_.between(2, 4));
    task.salt = random_.bits();
    task.fails = random_.chance(fail_percent_);
    for (std::uint64_t left = random_.between(1, 4); left > 0; --left) add_access(task);
    for (const ProgramAccess& access : task.accesses) {
      if (access.mode != AccessMode::read) written_[access.datum] = true;
    }
    step(Step::Kind::submit, static_cast<std::uint32_t>(program_.tasks.size()));
    program_.tasks.push_back(std::move(task));
  }

  /// A datum may come twice, but is written once.
  void add_access(ProgramTask& task) {
    const std::uint32_t datum = live_[random_.below(live_.size())];
    AccessMode wanted = mode(datum);
    const bool written_here = std::ranges::any_of(task.accesses, [&](const ProgramAccess& access) {
      return access.datum == datum && access.mode != AccessMode::read;
    });
    if (written_here) {
      if (!written_[datum]) return;
      wanted = AccessMode::read;
    }
    task.accesses.push_back({datum, wanted});
  }

  Random random_;
  Program program_;
  std::vector<std::uint32_t> live_;
  std::vector<bool> written_;
  std::size_t data_most_ = 0;
  unsigned fail_percent_ = 0;
  unsigned replace_percent_ = 0;
  unsigned pin_percent_ = 0;
  unsigned read_percent_ = 0;
  unsigned write_percent_ = 0;
};

SerialTask run_task(const Program& program, std::uint32_t index, std::vector<SerialVersion>& data) {
  const ProgramTask& task = program.tasks[index];
  SerialTask run;
  for (const ProgramAccess& access : task.accesses) {
    if (access.mode == AccessMode::write) continue;
    const SerialVersion& version = data[access.datum];
    run.reads.push_back(version.value);
    run.causes.insert(version.causes.begin(), version.causes.end());
  }
  if (!run.causes.empty()) {
    run.outcome = core::Outcome::skipped;
  } else if (task.fails) {
    run.outcome = core::Outcome::failed;
    run.causes = {index};
  }
  for (std::size_t i = 0; i < task.accesses.size(); ++i) {
    if (task.accesses[i].mode == AccessMode::read) continue;
    data[task.accesses[i].datum] = {.failed = run.outcome != core::Outcome::done,
                                    .value = written_value(task.kernel, task.salt, run.reads, i),
                                    .causes = run.causes};
  }
  return run;
}

}  // namespace

Program random_program(std::uint64_t seed) { return Generator(seed).make(); }

SerialRun run_serially(const Program& program) {
  SerialRun run;
  std::vector<SerialVersion> data(program.data);
  for (const Step& step : program.steps) {
    if (step.kind == Step::Kind::submit) run.tasks.push_back(run_task(program, step.index, data));
    if (step.kind == Step::Kind::pin) run.pins.push_back(data[step.index]);
  }
  return run;
}

std::uint64_t written_value(core::KernelId kernel, std::uint64_t salt, std::span<const std::uint64_t> reads,
                            std::size_t access) {
  std::uint64_t hash = mix(salt ^ mix(kernel.value()));
  for (const std::uint64_t value : reads) hash = mix(hash ^ value);
  return mix(hash + access);
}

void encode_salt(const ProgramTask& task, std::vector<std::byte>& out) {
  out.clear();
  core::ByteWriter writer(out);
  writer.put(task.salt);
  writer.put(static_cast<std::uint8_t>(task.fails));
}

}  // namespace penstock::support
