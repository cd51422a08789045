#include "jobs/stream.hpp"

#include <utility>

namespace penstock::jobs {

Stream::Stream(std::shared_ptr<const Plan> plan, Texts texts)
    : plan_(std::move(plan)),
      texts_(texts),
      walker_(*plan_),
      live_(*plan_),
      check_(*plan_),
      entry_parameters_(plan_->entries.size()),
      publish_parameters_(plan_->entries.size()),
      family_parameters_(plan_->families.size()) {}

bool Stream::next(Step& step) {
  while (!is_finished_) {
    switch (phase_) {
      case Phase::walk:
        walk_on();
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
        phase_ = Phase::walk;
        if (entry_->kind != Entry::Kind::save_array) break;
        counts_.take(is_last_part());
        phase_ = Phase::add_up;
        break;
      case Phase::add_up:
        if (add_up(step)) return true;
        phase_ = Phase::walk;
        break;
      case Phase::pass:
        if (const auto datum = live_.pop()) {
          yield_release(step, *datum);
          return true;
        }
        phase_ = Phase::walk;
        break;
      case Phase::pause:
        clear(step);
        step.kind = Step::Kind::pause;
        phase_ = Phase::walk;
        return true;
    }
  }
  return false;
}

void Stream::walk_on() {
  switch (walker_.next()) {
    case Walker::Event::step:
      begin_step();
      return;
    case Walker::Event::passed:
      live_.pass(walker_.node(), walker_.moved(), walker_.indices());
      phase_ = Phase::pass;
      return;
    case Walker::Event::paused:
      phase_ = Phase::pause;
      return;
    case Walker::Event::finished:
      is_finished_ = true;
  }
}

void Stream::begin_step() {
  if (entry_ == nullptr || walker_.entry() != entry_number_) begin_entry();
  const Indices& indices = walker_.indices();
  for (std::size_t k = 0; k < accesses_.size(); ++k) {
    accesses_[k].datum.element = entry_->accesses[k].element.evaluate(indices.values);
  }
  if (entry_->kind == Entry::Kind::save_array) accesses_.back().datum.element = counts_.leaf();
  const bool is_text_made = entry_->kind == Entry::Kind::task || texts_ == Texts::made;
  parameters_ = made(entry_->parameters, indices, is_text_made, entry_parameters_[entry_number_]);
  if (!plan_->is_walked) check_step();
  for (std::size_t k = 0; k < accesses_.size(); ++k) {
    if (entry_->accesses[k].lifetime) live_.touch(entry_->accesses[k], accesses_[k].datum, indices);
  }
  phase_ = Phase::prepare;
  cursor_ = 0;
}

void Stream::begin_entry() {
  entry_number_ = walker_.entry();
  entry_ = &plan_->entries[entry_number_];
  is_task_checked_ = !TaskCheck::is_once(*plan_, *entry_);
  accesses_.resize(entry_->accesses.size());
  for (std::size_t k = 0; k < accesses_.size(); ++k) {
    const EntryAccess& access = entry_->accesses[k];
    accesses_[k] = {{access.family, 0}, access.mode, access.reduction ? &*access.reduction : nullptr};
  }
}

void Stream::check_step() {
  check_subscripts();
  if (entry_->may_alias) check_aliases();
  if (is_task_checked_) check_.check(entry_number_, accesses_, parameters_);
}

void Stream::check_subscripts() const {
  for (const EntryAccess& access : entry_->accesses) {
    if (access.is_proven) continue;
    const Family& family = plan_->families[access.family];
    for (std::size_t axis = 0; axis < access.subscripts.size(); ++axis) {
      const Subscript& subscript = access.subscripts[axis];
      const std::int64_t value = subscript.value.evaluate(walker_.indices().values);
      const auto [begin, count] = family.axes[axis];
      if (value >= begin && value < begin + count) continue;
      plan_->source.at(access.position, [&] { family.fail_outside(axis, subscript.text, value); });
    }
  }
}

void Stream::check_aliases() const {
  for (std::size_t i = 0; i < accesses_.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool only_read = accesses_[i].mode == AccessMode::read && accesses_[j].mode == AccessMode::read;
      if (accesses_[i].datum != accesses_[j].datum || only_read) continue;
      const Family& family = plan_->families[accesses_[i].datum.family];
      plan_->source.fail(entry_->accesses[i].position,
                         "a task accesses " + family.element_name(accesses_[i].datum.element) +
                             " twice and writes it, read_write or another datum is needed");
    }
  }
}

/// Makes what the step accesses and is not there yet, one datum a call; false when all is there.
bool Stream::prepare(Step& step) {
  for (; cursor_ < accesses_.size(); ++cursor_) {
    const auto [datum, mode, reduction] = accesses_[cursor_];
    if (live_.contains(datum)) continue;
    const Family& family = plan_->families[datum.family];
    if (family.origin == nullptr && reads(mode)) {
      plan_->source.fail(entry_->accesses[cursor_].position,
                         family.element_name(datum.element) +
                             " is read before anything wrote it, an origin or an earlier task is needed");
    }
    live_.insert(datum);
    yield_make(step, datum);
    set_place(step, family.origin != nullptr ? family.position : entry_->position);
    if (family.origin != nullptr) {
      own_accesses_.assign(1, {datum, AccessMode::write});
      phase_ = Phase::origin;
    }
    ++cursor_;
    return true;
  }
  return false;
}

void Stream::yield_make(Step& step, Datum datum) const {
  clear(step);
  step.kind = Step::Kind::make;
  step.datum = datum;
  step.type = plan_->families[datum.family].type_of(datum.element);
}

/// The datum is that of the make before, whose place and type the caller may have changed meanwhile.
void Stream::yield_origin(Step& step) {
  const Datum datum = own_accesses_.front().datum;
  const Family& family = plan_->families[datum.family];
  if (!family.parameters.varying.empty()) family.find(datum.element, origin_indices_.values);
  clear(step);
  step.kind = Step::Kind::task;
  step.is_origin = true;
  step.datum = datum;
  step.kernel = family.origin;
  step.accesses = own_accesses_;
  step.parameters = made(family.parameters, origin_indices_, texts_ == Texts::made, family_parameters_[datum.family]);
  set_place(step, family.position);
}

void Stream::yield_run(Step& step) {
  clear(step);
  step.kind = entry_->kind == Entry::Kind::save ? Step::Kind::save : Step::Kind::task;
  step.is_part = entry_->kind == Entry::Kind::save_array;
  step.kernel = entry_->kernel;
  step.accesses = accesses_;
  step.parameters = parameters_;
  step.result_parameter = entry_->result_parameter;
  step.cores = entry_->cores;
  set_place(step, entry_->position);
  if (!entry_->name || texts_ == Texts::omitted) return;
  entry_->name->make(walker_.indices(), name_);
  step.name = name_;
}

/// Releases what this step was the last to use, one datum a call.
bool Stream::release(Step& step) {
  while (cursor_ < entry_->last_uses.size()) {
    const Datum datum = accesses_[entry_->last_uses[cursor_++]].datum;
    if (!live_.contains(datum)) continue;  // the step accessed it twice
    live_.erase(datum);
    yield_release(step, datum);
    return true;
  }
  return false;
}

bool Stream::is_last_part() const {
  const Family& family = plan_->families[accesses_.front().datum.family];
  const auto variables = entry_->scope->variables();
  for (std::size_t axis = 0; axis < family.tile_axes; ++axis) {
    const std::int64_t last = family.axes[family.axes.size() - family.tile_axes + axis].count - 1;
    if (walker_.indices().values[variables.size() - family.tile_axes + axis] != last) return false;
  }
  return true;
}

/// What is to be done with the number of elements that the step has written, one step a call.
bool Stream::add_up(Step& step) {
  using Kind = CountTree::Action::Kind;
  const auto action = counts_.next();
  if (!action) return false;
  const auto count = [this](std::int64_t element) { return Datum{plan_->counts_family, element}; };
  switch (action->kind) {
    case Kind::make:
      live_.insert(count(action->result));
      yield_make(step, count(action->result));
      set_place(step, entry_->position);
      return true;
    case Kind::release:
      live_.erase(count(action->left));
      yield_release(step, count(action->left));
      return true;
    case Kind::add:
    case Kind::publish:
      break;
  }
  clear(step);
  const bool is_end = action->kind == Kind::publish;
  step.kind = is_end ? Step::Kind::save : Step::Kind::task;
  step.is_part = !is_end;
  step.kernel = is_end ? entry_->publish : entry_->add;
  own_accesses_.assign(1, {count(action->left), AccessMode::read});
  if (is_end) {
    step.parameters =
        made(entry_->publish_parameters, walker_.indices(), texts_ == Texts::made, publish_parameters_[entry_number_]);
    step.result_parameter = entry_->publish_result_parameter;
  } else {
    own_accesses_.push_back({count(action->right), AccessMode::read});
    own_accesses_.push_back({count(action->result), AccessMode::write});
  }
  step.accesses = own_accesses_;
  set_place(step, entry_->position);
  return true;
}

void Stream::yield_release(Step& step, Datum datum) const {
  clear(step);
  step.kind = Step::Kind::release;
  step.datum = datum;
  set_place(step, entry_ != nullptr ? entry_->position : Position{});
}

void Stream::clear(Step& step) const {
  step.is_origin = false;
  step.is_part = false;
  step.kernel = nullptr;
  step.accesses = {};
  step.parameters = {};
  step.result_parameter = Step::no_parameter;
  step.cores = 1;
  step.name = {};
}

void Stream::set_place(Step& step, const Position& position) const {
  step.place = {(position.file ? *position.file : plan_->source.name()).c_str(), position.line};
}

/// The parameters for these indices. What follows them is made in `kept`, which belongs to these values.
std::span<const Parameter> Stream::made(const ParameterValues& values, const Indices& indices, bool is_text_made,
                                        std::vector<Parameter>& kept) const {
  if (values.varying.empty()) return values.constant;
  if (kept.empty()) kept = values.constant;
  for (const VaryingParameter& each : values.varying) each.make(indices, is_text_made, kept[each.parameter]);
  return kept;
}

}  // namespace penstock::jobs
