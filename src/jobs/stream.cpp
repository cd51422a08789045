#include "jobs/stream.hpp"

#include <bit>
#include <utility>

#include "jobs/plan.hpp"

namespace penstock::jobs {

namespace {

constexpr std::int64_t word_bits = 64;

std::uint64_t bit_of(std::int64_t element) { return std::uint64_t{1} << (element % word_bits); }
std::size_t word_of(std::int64_t element) { return static_cast<std::size_t>(element / word_bits); }

}  // namespace

Stream::Stream(std::shared_ptr<const Plan> plan, Texts texts)
    : plan_(std::move(plan)), texts_(texts), alive_(plan_->families.size()), origin_access_(1) {}

bool Stream::next(Step& step) {
  while (true) {
    switch (phase_) {
      case Phase::enter:
        enter_entry();
        break;
      case Phase::prepare:
        if (prepare(step)) return true;
        phase_ = Phase::run;
        break;
      case Phase::origin:
        yield_origin(step);
        phase_ = Phase::prepare;
        return true;
      case Phase::run:
        yield_run(step);
        phase_ = Phase::release;
        cursor_ = 0;
        return true;
      case Phase::release:
        if (release(step)) return true;
        if (entry_->loop.advance(indices_)) {
          begin_step();
        } else {
          phase_ = Phase::leave;
          cursor_ = 0;
          word_ = 0;
        }
        break;
      case Phase::leave:
        if (leave(step)) return true;
        ++entry_number_;
        phase_ = Phase::enter;
        break;
      case Phase::finished:
        return false;
    }
  }
}

void Stream::enter_entry() {
  if (entry_number_ == plan_->entries.size()) {
    phase_ = Phase::finished;
    return;
  }
  entry_ = &plan_->entries[entry_number_];
  entry_->loop.first(indices_);
  accesses_.resize(entry_->accesses.size());
  for (std::size_t k = 0; k < accesses_.size(); ++k) {
    accesses_[k] = {{entry_->accesses[k].family, 0}, entry_->accesses[k].mode};
  }
  begin_step();
}

void Stream::begin_step() {
  for (std::size_t k = 0; k < accesses_.size(); ++k) {
    accesses_[k].datum.element = entry_->accesses[k].element.evaluate(indices_);
  }
  if (entry_->may_alias) check_aliases();
  phase_ = Phase::prepare;
  cursor_ = 0;
}

void Stream::check_aliases() const {
  for (std::size_t i = 0; i < accesses_.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool only_read = accesses_[i].mode == AccessMode::read && accesses_[j].mode == AccessMode::read;
      if (accesses_[i].datum != accesses_[j].datum || only_read) continue;
      const Family& family = plan_->families[accesses_[i].datum.family];
      plan_->source.fail(entry_->accesses[i].position,
                         "a task accesses " + element_name(family, accesses_[i].datum.element) +
                             " twice and writes it, read_write or another datum is needed");
    }
  }
}

/// Makes what the step accesses and is not there yet, one datum a call; false when all is there.
bool Stream::prepare(Step& step) {
  for (; cursor_ < accesses_.size(); ++cursor_) {
    const auto [datum, mode] = accesses_[cursor_];
    if (is_alive(datum)) continue;
    const Family& family = plan_->families[datum.family];
    if (family.origin == nullptr && mode != AccessMode::write) {
      plan_->source.fail(entry_->accesses[cursor_].position,
                         element_name(family, datum.element) +
                             " is read before anything wrote it, an origin or an earlier task is needed");
    }
    set_alive(datum);
    yield_make(step, cursor_);
    ++cursor_;
    if (family.origin != nullptr) phase_ = Phase::origin;
    return true;
  }
  return false;
}

void Stream::yield_make(Step& step, std::size_t access) {
  const Datum datum = accesses_[access].datum;
  const Family& family = plan_->families[datum.family];
  step.kind = Step::Kind::make;
  step.is_origin = false;
  step.datum = datum;
  step.type = family.type;
  step.kernel = nullptr;
  step.accesses = {};
  step.parameters = {};
  step.cores = 1;
  step.place = {plan_->source.name().c_str(), family.position.line};
  origin_access_[0] = {datum, AccessMode::write};
}

/// The datum is that of the make before, whose place and type the caller may have changed meanwhile.
void Stream::yield_origin(Step& step) {
  const Datum datum = origin_access_[0].datum;
  const Family& family = plan_->families[datum.family];
  origin_parameters_ = family.origin_parameters;
  if (family.varying != Family::no_parameter) {
    family.loop.at(datum.element, origin_indices_);
    Parameter& value = origin_parameters_[family.varying];
    if (auto* const text = std::get_if<std::string>(&value)) {
      if (texts_ == Texts::made) make_input_path(family, origin_indices_, *text);
    } else {
      value = family.seed.evaluate(origin_indices_);
    }
  }
  step.kind = Step::Kind::task;
  step.is_origin = true;
  step.datum = datum;
  step.kernel = family.origin;
  step.accesses = origin_access_;
  step.parameters = origin_parameters_;
  step.cores = 1;
  step.place = {plan_->source.name().c_str(), family.position.line};
}

void Stream::yield_run(Step& step) {
  const bool is_save = entry_->kind == Entry::Kind::save;
  step.kind = is_save ? Step::Kind::save : Step::Kind::task;
  step.is_origin = false;
  step.kernel = entry_->kernel;
  step.accesses = accesses_;
  step.parameters = entry_->parameters;
  step.cores = entry_->cores;
  step.place = {plan_->source.name().c_str(), entry_->position.line};
  if (!is_save) return;
  step.datum = accesses_[0].datum;
  if (texts_ == Texts::made) entry_->path.make(indices_, step.path);
}

/// Releases what this step was the last to use, one datum a call.
bool Stream::release(Step& step) {
  if (cursor_ == entry_->last_uses.size()) return false;
  const Datum datum = accesses_[entry_->last_uses[cursor_++]].datum;
  alive_[datum.family][word_of(datum.element)] &= ~bit_of(datum.element);
  yield_release(step, datum);
  return true;
}

/// Releases what is left of the families that no later entry names, one datum a call.
bool Stream::leave(Step& step) {
  for (; cursor_ < entry_->last_names.size(); ++cursor_, word_ = 0) {
    const std::uint32_t family = entry_->last_names[cursor_];
    Bits& bits = alive_[family];
    for (; word_ < bits.size(); ++word_) {
      if (bits[word_] == 0) continue;
      const int bit = std::countr_zero(bits[word_]);
      bits[word_] &= bits[word_] - 1;
      yield_release(step, {family, static_cast<std::int64_t>(word_) * word_bits + bit});
      return true;
    }
    Bits().swap(bits);
  }
  return false;
}

void Stream::yield_release(Step& step, Datum datum) {
  step.kind = Step::Kind::release;
  step.is_origin = false;
  step.datum = datum;
  step.kernel = nullptr;
  step.accesses = {};
  step.parameters = {};
  step.cores = 1;
  step.place = {plan_->source.name().c_str(), entry_->position.line};
}

bool Stream::is_alive(Datum datum) const {
  const Bits& bits = alive_[datum.family];
  return !bits.empty() && (bits[word_of(datum.element)] & bit_of(datum.element)) != 0;
}

void Stream::set_alive(Datum datum) {
  Bits& bits = alive_[datum.family];
  if (bits.empty()) bits.resize(word_of(plan_->families[datum.family].loop.steps() - 1) + 1);
  bits[word_of(datum.element)] |= bit_of(datum.element);
}

}  // namespace penstock::jobs
