#include "cluster/front_machine.hpp"

#include <algorithm>
#include <utility>

#include "core/assert.hpp"

namespace penstock::cluster {

using coherence::VersionState;
using core::RankId;
using core::TaskId;

namespace {

constexpr std::size_t send_at_bytes = std::size_t{256} << 10;
constexpr std::size_t name_bytes_sent = 96;  // enough to know the task by
constexpr int stealable_looked_at = 64;      // of a rank's queue, from its end

RankId rank_at(std::size_t index) { return RankId(static_cast<RankId::Value>(index)); }
std::size_t index_of(RankId rank) { return static_cast<std::size_t>(rank.value()); }

}  // namespace

FrontMachine::FrontMachine(std::span<const RankSize> ranks, FrontOutput& output)
    : output_(output), ranks_(ranks.size()) {
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    ranks_[rank].cores = ranks[rank].cores;
    ranks_[rank].gpu_bytes = ranks[rank].gpu_bytes;
  }
  views_.resize(ranks.size());
}

void FrontMachine::release_data(core::DataId data) {
  directory_.release(data, dead_);
  settle_dead();
}

void FrontMachine::unpin(core::DataId data, core::Version version) {
  directory_.unpin(data, version, dead_);
  settle_dead();
}

// --- submission ---

void FrontMachine::submit(const Submission& submission) {
  const std::uint32_t ticket = allocate(submission.task);
  Record& record = records_[ticket];
  record.kernel = submission.kernel;
  record.cores = submission.cores;
  record.only_on = submission.only_on;
  record.gpu_bytes = submission.gpu_bytes;
  record.place = submission.place;
  record.name = submission.name;
  record.accesses.assign(submission.accesses.begin(), submission.accesses.end());
  record.parameters.assign(submission.parameters.begin(), submission.parameters.end());
  find_predecessors(ticket);
  for (const graph::StampedAccess& access : record.accesses) {
    if (access.writes == core::Version()) continue;
    record.writes = true;
    directory_.expect(access.data, access.writes, ticket, dead_);
    record.bytes += counted_bytes(directory_.type(access.data));
  }
  record.needs.assign(submission.needs.begin(), submission.needs.end());
  to_evaluate_.emplace_back(ticket, record.task);
}

std::uint32_t FrontMachine::allocate(TaskId task) {
  std::uint32_t ticket = static_cast<std::uint32_t>(records_.size());
  if (free_.empty()) {
    records_.emplace_back();
  } else {
    ticket = free_.back();
    free_.pop_back();
  }
  Record& record = records_[ticket];
  record.task = task;
  record.ticket = ticket;
  record.writes = false;
  record.cancelled = false;
  record.holds_needs = false;
  record.attempt = core::Attempt(1);
  record.unbound = 0;
  record.bytes = 0;
  record.rank = core::no_rank;
  record.predecessors.clear();
  record.dependents.clear();
  set_state(record, TaskState::waiting);
  return ticket;
}

void FrontMachine::set_state(Record& record, TaskState state) {
  unended_ += static_cast<std::uint64_t>(record.state == TaskState::free);
  unended_ -= static_cast<std::uint64_t>(state == TaskState::free);
  bound_ += static_cast<std::uint64_t>(state == TaskState::bound);
  bound_ -= static_cast<std::uint64_t>(record.state == TaskState::bound);
  const auto queued = [](TaskState one) { return one == TaskState::local || one == TaskState::ready; };
  queued_ += static_cast<std::uint64_t>(queued(state));
  queued_ -= static_cast<std::uint64_t>(queued(record.state));
  if (record.state == TaskState::ready && record.rank != core::no_rank) {
    ranks_[index_of(record.rank)].ready.erase(queued_task(record));
  }
  record.state = state;
  if (state == TaskState::ready && record.rank != core::no_rank) {
    ranks_[index_of(record.rank)].ready.insert(queued_task(record));
  }
}

QueuedTask FrontMachine::queued_task(const Record& record) {
  return {.writes = record.writes, .task = record.task, .ticket = record.ticket};
}

void FrontMachine::find_predecessors(std::uint32_t ticket) {
  Record& record = records_[ticket];
  for (const graph::StampedAccess& access : record.accesses) {
    if (access.reads == core::Version()) continue;
    directory_.add_reader(access.data, access.reads);
    if (directory_.state(access.data, access.reads) != VersionState::pending) continue;
    const std::uint32_t producer = directory_.producer(access.data, access.reads);
    if (std::ranges::find(record.predecessors, producer) != record.predecessors.end()) continue;
    record.predecessors.push_back(producer);
    records_[producer].dependents.emplace_back(ticket, record.task);
    if (records_[producer].state != TaskState::bound) ++record.unbound;
  }
}

// --- from waiting to bound ---

void FrontMachine::flush() {
  do {
    settle_waiting();
  } while (bind_all());
  settle_dead();
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) send(rank_at(rank));
}

void FrontMachine::settle_waiting() {
  // By index: evaluate() may end a task, which appends its dependents.
  for (std::size_t i = 0; i < to_evaluate_.size(); ++i) {
    const auto [ticket, task] = to_evaluate_[i];
    const Record& record = records_[ticket];
    if (record.task == task && (record.state == TaskState::waiting || record.state == TaskState::local))
      evaluate(ticket);
  }
  to_evaluate_.clear();
}

void FrontMachine::evaluate(std::uint32_t ticket) {
  Record& record = records_[ticket];
  const TaskId cause = failed_input(record);
  if (cancelled_ || record.cancelled || cause != TaskId()) {
    end(ticket, {.task = record.task,
                 .attempt = core::Attempt(),
                 .outcome = cause != TaskId() ? core::Outcome::skipped : core::Outcome::cancelled,
                 .rank = core::no_rank,
                 .device = {},
                 .cause = cause,
                 .message = {}});
    return;
  }
  if (record.unbound > 0 || !take_needs(record)) return;
  if (record.predecessors.empty()) {
    make_ready(ticket);
    return;
  }
  if (record.state == TaskState::local) return;
  const RankId rank = records_[record.predecessors.front()].rank;
  const bool together = std::ranges::all_of(
      record.predecessors, [&](std::uint32_t predecessor) { return records_[predecessor].rank == rank; });
  if (!together || !can_run(rank, record)) return;
  set_state(record, TaskState::local);
  record.rank = rank;
  ranks_[index_of(rank)].local.push(queued_task(record));
}

/// All of them at once, or none: then it waits where there is not enough.
bool FrontMachine::take_needs(Record& record) {
  if (record.needs.empty() || record.holds_needs) return true;
  const auto lacks = [&](const Need& need) { return resources_[need.resource].free < need.amount; };
  const auto lacking = std::ranges::find_if(record.needs, lacks);
  if (lacking != record.needs.end()) {
    resources_[lacking->resource].waiting.emplace_back(record.ticket, record.task);
    return false;
  }
  for (const Need& need : record.needs) resources_[need.resource].free -= need.amount;
  return record.holds_needs = true;
}

void FrontMachine::give_back_needs(Record& record) {
  if (!std::exchange(record.holds_needs, false)) return;
  for (const Need& need : record.needs) {
    Resource& resource = resources_[need.resource];
    resource.free += need.amount;
    for (const auto& waiting : resource.waiting) to_evaluate_.push_back(waiting);  // in the order of their waiting
    resource.waiting.clear();
  }
}

void FrontMachine::make_ready(std::uint32_t ticket) {
  Record& record = records_[ticket];
  if (record.only_on != core::no_rank) {
    bind(ticket, record.only_on);
    return;
  }
  if (record.state != TaskState::local) record.rank = queue_for(record);
  set_state(record, TaskState::ready);
  if (record.rank == core::no_rank) anywhere_.push(queued_task(record));
}

bool FrontMachine::can_run(RankId rank, const Record& record) const {
  return (record.only_on == core::no_rank || record.only_on == rank) &&
         record.gpu_bytes <= ranks_[index_of(rank)].gpu_bytes;
}

/// Whose; no_rank: the common one, for which any rank will do.
RankId FrontMachine::queue_for(const Record& record) {
  if (ranks_.size() == 1) return core::no_rank;
  if (const auto rank = rank_with_data(record)) return *rank;
  return record.gpu_bytes > 0 ? least_loaded(record) : core::no_rank;
}

/// Of those that can run it.
RankId FrontMachine::least_loaded(const Record& record) const {
  std::optional<std::size_t> best;
  const auto load = [&](std::size_t rank) {
    return ranks_[rank].ready.size() + static_cast<std::size_t>(ranks_[rank].in_hand);
  };
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (can_run(rank_at(rank), record) && (!best || load(rank) < load(*best))) best = rank;
  }
  PENSTOCK_ASSERT(best);
  return rank_at(*best);
}

std::optional<RankId> FrontMachine::rank_with_data(const Record& record) {
  holders_.clear();
  for (const graph::StampedAccess& access : record.accesses) {
    if (access.reads == core::Version()) continue;
    const RankId holder = directory_.source(access.data, access.reads);
    if (can_run(holder, record)) holders_.push_back({holder, 0});
  }
  for (schedule::HolderView& holder : holders_) {
    for (const graph::StampedAccess& access : record.accesses) {
      if (access.reads == core::Version() || directory_.holds(access.data, access.reads, holder.rank)) continue;
      // Fetched once for all that will read it there: each of its readers has a share of that.
      holder.missing_bytes += directory_.type(access.data).bytes() / directory_.readers(access.data, access.reads);
    }
  }
  return schedule::choose_holder(holders_);
}

TaskId FrontMachine::failed_input(const Record& record) const {
  for (const graph::StampedAccess& access : record.accesses) {
    if (access.reads != core::Version() && directory_.state(access.data, access.reads) == VersionState::failed) {
      return directory_.cause(access.data, access.reads);
    }
  }
  return {};
}

bool FrontMachine::bind_all() {
  if (queued_ == 0) return false;
  for (std::size_t i = 0; i < ranks_.size(); ++i) see(i);
  bool any = false;
  // The least loaded rank first; when there is nothing for it, the next.
  while (queued_ > 0) {
    const auto rank = schedule::choose_rank(views_);
    if (!rank) break;
    const std::size_t index = index_of(*rank);
    const auto task = first_for(*rank);
    if (task) {
      bind(task->ticket, *rank);
      see(index);
      any = true;
    } else {
      views_[index].has_credit = false;
    }
  }
  return any;
}

void FrontMachine::see(std::size_t index) {
  const Rank& rank = ranks_[index];
  views_[index] = {.has_credit = schedule::has_credit(rank.cores, rank.in_hand, rank.in_hand_ns),
                   .in_hand_ns = rank.in_hand_ns,
                   .cores = rank.cores};
}

/// The first in program order of what waits for this rank or for any; else what another rank cannot take soon.
std::optional<QueuedTask> FrontMachine::first_for(RankId number) {
  Rank& rank = ranks_[index_of(number)];
  std::optional<QueuedTask> first = first_of(rank.local, TaskState::local);
  const auto consider = [&](std::optional<QueuedTask> task) {
    if (task && (!first || *task < *first)) first = task;
  };
  consider(first_of(anywhere_, TaskState::ready));
  if (!rank.ready.empty()) consider(*rank.ready.begin());
  return first ? first : stealable(number);
}

std::optional<QueuedTask> FrontMachine::first_of(TaskQueue& queue, TaskState state) {
  for (; !queue.empty(); queue.pop()) {
    const Record& record = records_[queue.front().ticket];
    if (record.task == queue.front().task && record.state == state) return queue.front();
  }
  return std::nullopt;
}

/// From the longest queue of a rank that has no credit itself; the latest that it can run, which would wait there
/// longest.
std::optional<QueuedTask> FrontMachine::stealable(RankId thief) const {
  const Rank* from = nullptr;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    const bool longer = from == nullptr || ranks_[i].ready.size() > from->ready.size();
    if (!views_[i].has_credit && longer) from = &ranks_[i];
  }
  if (from == nullptr) return std::nullopt;
  int left = stealable_looked_at;
  for (auto task = from->ready.rbegin(); task != from->ready.rend() && left > 0; ++task, --left) {
    if (can_run(thief, records_[task->ticket])) return *task;
  }
  return std::nullopt;
}

double FrontMachine::predict(core::KernelId kernel) const {
  if (kernel == touch_kernel) return 0.0;
  if (kernel.value() >= mean_ns_.size() || mean_ns_[kernel.value()] == 0.0) return schedule::unknown_task_ns;
  return mean_ns_[kernel.value()];
}

void FrontMachine::bind(std::uint32_t ticket, RankId rank) {
  Record& record = records_[ticket];
  Rank& target = ranks_[index_of(rank)];
  set_state(record, TaskState::bound);  // out of the queue of the rank named so far
  record.rank = rank;
  record.predicted_ns = predict(record.kernel);
  target.in_hand += record.cores;
  target.in_hand_ns += record.predicted_ns;

  command_.ticket = ticket;
  command_.task = record.task;
  command_.attempt = record.attempt;
  command_.kernel = record.kernel;
  command_.cores = record.cores;
  command_.parameters = {record.parameters.data(), record.parameters.size()};
  command_.name = std::string_view(record.name).substr(0, name_bytes_sent);
  command_.operands.resize(record.accesses.size());
  // All kinds first: whether a version may be consumed depends on all accesses of this task.
  for (std::size_t i = 0; i < record.accesses.size(); ++i) {
    command_.operands[i].kind = kind_for(record.accesses[i], rank);
  }
  for (std::size_t i = 0; i < record.accesses.size(); ++i) take_operand(record.accesses[i], command_.operands[i], rank);
  core::ByteWriter writer(target.commands);
  write(writer, command_);
  if (target.commands.size() >= send_at_bytes) send(rank);

  for (const auto& dependent : record.dependents) {
    if (records_[dependent.first].task != dependent.second) continue;
    --records_[dependent.first].unbound;
    to_evaluate_.push_back(dependent);
  }
}

OperandKind FrontMachine::kind_for(const graph::StampedAccess& access, RankId rank) const {
  switch (access.mode) {
    case AccessMode::read:
      return OperandKind::read;
    case AccessMode::write:
      return OperandKind::write;
    case AccessMode::read_write:
    case AccessMode::commute:  // the front-end has made others of these
    case AccessMode::reduce:
      break;
  }
  return directory_.may_consume(access.data, access.reads, rank) ? OperandKind::consume : OperandKind::copy;
}

void FrontMachine::take_operand(const graph::StampedAccess& access, Operand& operand, RankId rank) {
  operand.data = access.data;
  operand.reads = access.reads;
  operand.writes = access.writes;
  operand.type = directory_.type(access.data);
  operand.source = core::no_rank;
  if (access.reads != core::Version()) {
    directory_.bind_reader(access.data, access.reads, rank);
    if (!directory_.holds(access.data, access.reads, rank))
      operand.source = directory_.source(access.data, access.reads);
    if (operand.kind == OperandKind::consume)
      directory_.remove_holder(access.data, access.reads, rank);
    else
      directory_.add_holder(access.data, access.reads, rank);
  }
  if (access.writes != core::Version()) directory_.add_holder(access.data, access.writes, rank);
}

// --- endings ---

bool FrontMachine::on_endings(RankId rank, core::ByteReader& reader) {
  const auto count = reader.get<std::uint32_t>();
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!read(reader, report_) || report_.ticket >= records_.size()) return false;
    const Record& record = records_[report_.ticket];
    const bool known = record.state == TaskState::bound && record.task == report_.ending.task &&
                       record.attempt == report_.ending.attempt && record.rank == rank;
    if (!known) return false;
    if (report_.ending.outcome == core::Outcome::done && record.kernel != touch_kernel) {
      if (mean_ns_.size() <= record.kernel.value()) mean_ns_.resize(std::size_t{record.kernel.value()} + 1);
      double& mean = mean_ns_[record.kernel.value()];
      mean = schedule::updated_mean(mean, static_cast<double>(std::max<std::int64_t>(report_.busy_ns, 1)));
    }
    report_.ending.rank = rank;
    end(report_.ticket, report_.ending);
  }
  return !reader.bad();
}

void FrontMachine::end(std::uint32_t ticket, const core::Ending& ending) {
  Record& record = records_[ticket];
  const bool was_bound = record.state == TaskState::bound;
  if (was_bound) {
    Rank& rank = ranks_[index_of(record.rank)];
    rank.in_hand -= record.cores;
    rank.in_hand_ns = rank.in_hand == 0 ? 0.0 : rank.in_hand_ns - record.predicted_ns;
  }
  const TaskId cause = ending.outcome == core::Outcome::skipped ? ending.cause : ending.task;
  for (const graph::StampedAccess& access : record.accesses) {
    if (access.reads != core::Version()) directory_.end_reader(access.data, access.reads, was_bound, dead_);
    if (access.writes == core::Version()) continue;
    if (ending.outcome == core::Outcome::done)
      directory_.made(access.data, access.writes, ending.rank, dead_);
    else
      directory_.failed(access.data, access.writes, cause, dead_);
  }
  output_.ended(
      {.ending = ending, .kernel = record.kernel, .place = record.place, .name = record.name, .bytes = record.bytes});
  release_dependents(ticket, was_bound);
  give_back_needs(record);
  set_state(record, TaskState::free);
  record.task = TaskId();
  free_.push_back(ticket);
}

void FrontMachine::release_dependents(std::uint32_t ticket, bool was_bound) {
  for (const auto& dependent : records_[ticket].dependents) {
    Record& successor = records_[dependent.first];
    if (successor.task != dependent.second) continue;
    successor.predecessors.erase(std::ranges::find(successor.predecessors, ticket));
    if (!was_bound) --successor.unbound;
    to_evaluate_.push_back(dependent);
  }
}

// --- the end ---

void FrontMachine::cancel() {
  cancelled_ = true;
  for (std::size_t ticket = 0; ticket < records_.size(); ++ticket) {
    Record& record = records_[ticket];
    if (record.state == TaskState::free || record.state == TaskState::bound) continue;
    set_state(record, TaskState::waiting);  // out of the queues; evaluate() ends it
    to_evaluate_.emplace_back(static_cast<std::uint32_t>(ticket), record.task);
  }
  for (Rank& rank : ranks_) {
    core::ByteWriter writer(rank.commands);
    write_tag(writer, Tag::cancel);
  }
  flush();
}

void FrontMachine::cancel(TaskId task) {
  const auto found = std::ranges::find(records_, task, &Record::task);
  if (found == records_.end() || found->state == TaskState::free || found->state == TaskState::bound) return;
  found->cancelled = true;
  set_state(*found, TaskState::waiting);  // out of the queues; evaluate() ends it
  to_evaluate_.emplace_back(found->ticket, found->task);
}

void FrontMachine::finish() {
  for (Rank& rank : ranks_) {
    core::ByteWriter writer(rank.commands);
    write_tag(writer, Tag::finish);
  }
  flush();
}

void FrontMachine::settle_dead() {
  for (const coherence::Drop& drop : dead_.drops) {
    Rank& rank = ranks_[index_of(drop.rank)];
    core::ByteWriter writer(rank.commands);
    write_drop(writer, drop.data, drop.version);
    if (rank.commands.size() >= send_at_bytes) send(drop.rank);
  }
  dead_.drops.clear();
  for (const core::DataId data : dead_.data) output_.forgotten(data);
  dead_.data.clear();
}

void FrontMachine::send(RankId rank) {
  std::vector<std::byte>& commands = ranks_[index_of(rank)].commands;
  if (commands.empty()) return;
  std::vector<std::byte>& sending = ranks_[index_of(rank)].sending;
  sending.clear();
  std::swap(sending, commands);  // gone even if the owner throws
  output_.send(rank, sending);
}

}  // namespace penstock::cluster
