#include "frontend/cluster_frontend.hpp"

#include <algorithm>
#include <utility>

#include <penstock/error.hpp>

#include "core/place.hpp"
#include "executor/workers.hpp"

namespace penstock::frontend {

using core::at;
using core::DataId;
using core::RankId;
using core::Version;

namespace {

constexpr std::uint64_t batch = 32;
constexpr std::size_t parameters_most = std::size_t{256} << 10;  // they travel in a message of 1 MiB
constexpr std::chrono::milliseconds look_up{100};

}  // namespace

// --- what the machine says ---

void ClusterFrontend::Output::send(RankId to, std::span<const std::byte> commands) {
  frontend_.delivery_.deliver(to, commands);
}

void ClusterFrontend::Output::ended(const cluster::EndedTask& task) {
  frontend_.bytes_in_flight_ -= task.bytes;
  frontend_.leave_group(task.ending.task);
  if (task.kernel == cluster::touch_kernel) {
    frontend_.touched_.emplace_back(task.ending.task, task.ending.outcome);
    return;
  }
  frontend_.counts_.add(task.ending.outcome);
  if (task.ending.outcome == core::Outcome::done) return;
  const std::string& kernel = frontend_.kernels_[task.kernel.value()]->name;
  frontend_.failures_.add(task, task.name.empty() ? kernel : std::string(task.name) + " [" + kernel + "]");
}

void ClusterFrontend::Output::forgotten(DataId data) { frontend_.domain_.forget(data); }

// --- submission ---

ClusterFrontend::ClusterFrontend(std::span<const cluster::RankSize> ranks, Window window,
                                 std::span<const KernelDescription* const> kernels, Delivery& delivery)
    : window_(window), kernels_(kernels), delivery_(delivery), machine_(ranks, output_) {
  for (const cluster::RankSize& rank : ranks) {
    eager_below_ += 2 * static_cast<std::uint64_t>(rank.cores);
    gpu_bytes_most_ = std::max(gpu_bytes_most_, rank.gpu_bytes);
  }
}

DataId ClusterFrontend::add_data(const ArrayType& type) {
  const Lock lock(mutex_);
  const DataId data = domain_.add();
  machine_.add_data(data, type);
  return data;
}

void ClusterFrontend::drop(DataId data) {
  const Lock lock(mutex_);
  machine_.release_data(data);
  ++unsent_;  // the order to drop it, which tick() sends
}

Version ClusterFrontend::first_version(DataId data) const {
  const Lock lock(mutex_);
  return domain_.first(data);
}

engine::Standing ClusterFrontend::standing(DataId data) const {
  const Lock lock(mutex_);
  return {.type = machine_.directory().type(data), .is_written = domain_.current(data) != Version()};
}

core::TaskId ClusterFrontend::take(std::span<const Task> tasks) {
  Lock lock(mutex_);
  core::TaskId first;
  for (const Task& task : tasks) {
    const core::TaskId id = submit_one(lock, task);
    if (first == core::TaskId()) first = id;
  }
  return first;
}

core::TaskId ClusterFrontend::submit_one(Lock& lock, const Task& task) {
  wait_for_room(lock);
  if (closed_) throw Error(ErrorCode::interrupted, "interrupted: no more tasks are taken");
  check(task);
  const core::TaskId id = enqueue(task);
  if (++unsent_ < batch && machine_.bound() >= eager_below_) return id;
  flush();
  notify_waits();
  return id;
}

void ClusterFrontend::wait_for_room(Lock& lock) {
  const auto below = [&](std::uint64_t quarters) {
    return machine_.unended() == 0 || (machine_.unended() < window_.tasks * quarters / 4 &&
                                       bytes_in_flight_ < window_.bytes / 4 * static_cast<std::int64_t>(quarters));
  };
  if (below(4) && broken_.empty()) return;
  flush();
  wait_until(lock, [&] { return below(3); });  // a quarter of room, so that the submitter is not woken for each task
}

void ClusterFrontend::check(const Task& task) const {
  if (const std::string fault = engine::fault_of(task.needs); !fault.empty()) {
    throw Error(ErrorCode::invalid_argument, at(task.place) + fault);
  }
  if (task.parameters.size() > parameters_most) {
    throw Error(ErrorCode::invalid_argument, at(task.place) + "the parameters of a task are longer than 256 KiB");
  }
  if (const std::int64_t bytes = gpu_bytes_of(task); bytes > gpu_bytes_most_) {
    throw Error(ErrorCode::invalid_argument, at(task.place) + kernels_[task.kernel.value()]->name +
                                                 ": it runs on GPUs only, its arrays need " + std::to_string(bytes) +
                                                 " bytes there, and the largest GPU has " +
                                                 std::to_string(gpu_bytes_most_) + " bytes for tasks");
  }
  const graph::Domain::Check found = domain_.check(task.accesses);
  switch (found.mistake) {
    case graph::Domain::Mistake::none:
      return;
    case graph::Domain::Mistake::never_written:
      throw Error(ErrorCode::invalid_argument, at(task.place) + "access " + std::to_string(found.access + 1) +
                                                   " reads an array that nothing has written: give it an origin, or "
                                                   "write it first");
    case graph::Domain::Mistake::written_twice:
      throw Error(ErrorCode::invalid_argument, at(task.place) + "access " + std::to_string(found.access + 1) +
                                                   " writes an array that the same task writes already");
    case graph::Domain::Mistake::commutes_and_reads:
      throw Error(ErrorCode::invalid_argument, at(task.place) + "access " + std::to_string(found.access + 1) +
                                                   " commutes at an array that the same task reads besides");
  }
}

/// What a task that cores cannot run needs of a GPU's memory at least, in which each array has to be once; 0: cores
/// can.
std::int64_t ClusterFrontend::gpu_bytes_of(const Task& task) const {
  if (kernels_[task.kernel.value()]->cpu) return 0;
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < task.accesses.size(); ++i) {
    const auto before = task.accesses.first(i);
    if (std::ranges::find(before, task.accesses[i].data, &graph::Access::data) != before.end()) continue;
    bytes += cluster::counted_bytes(machine_.directory().type(task.accesses[i].data));
  }
  return std::max<std::int64_t>(bytes, 1);
}

core::TaskId ClusterFrontend::enqueue(const Task& task) {
  const core::TaskId id(next_task_++);
  if (task.group != nullptr) {
    task.group->enter();
    groups_.emplace(id.value(), task.group);
  }
  domain_.stamp(id, task.accesses, stamped_);
  ++counts_.submitted;
  for (graph::StampedAccess& access : stamped_) {
    access.mode = seen_by_body(access.mode);  // the order of the program is one of those that commuting tasks may have
    if (access.writes != Version()) bytes_in_flight_ += cluster::counted_bytes(machine_.directory().type(access.data));
  }
  machine_.submit({.task = id,
                   .kernel = task.kernel,
                   .cores = task.cores,
                   .only_on = task.only_on_front ? core::front_rank : core::no_rank,
                   .gpu_bytes = gpu_bytes_of(task),
                   .place = task.place,
                   .name = task.name,
                   .accesses = stamped_,
                   .parameters = task.parameters,
                   .needs = needs_of(task)});
  if (task.group != nullptr && task.group->cancelled()) machine_.cancel(id);
  return id;
}

void ClusterFrontend::flush() {
  unsent_ = 0;
  machine_.flush();
}

void ClusterFrontend::tick() {
  const Lock lock(mutex_);
  if (unsent_ == 0) return;
  flush();
  notify_waits();
}

// --- endings and waits ---

void ClusterFrontend::on_endings(RankId from, std::span<const std::byte> item) {
  const Lock lock(mutex_);
  core::ByteReader reader(item);
  if (cluster::read_tag(reader) != cluster::Tag::endings || reader.bad() || !machine_.on_endings(from, reader)) {
    throw Error(ErrorCode::environment, "rank " + std::to_string(from.value()) +
                                            " reported an ending of a task that it "
                                            "does not have");
  }
  flush();
  notify_waits();
}

void ClusterFrontend::notify_waits() {
  const bool any = std::ranges::any_of(waits_, [](const auto* ready) { return (*ready)(); });
  if (any) ended_.notify_all();
}

bool ClusterFrontend::wait_until(Lock& lock, const std::function<bool()>& ready, const Deadline& deadline) {
  if (executor::Workers::is_worker()) {
    throw Error(ErrorCode::invalid_argument,
                "a wait for what the program submitted was called from inside a task: that is for runs on the cores of "
                "one rank");
  }
  waits_.push_back(&ready);
  bool made = false;
  while (broken_.empty() && !(made = ready())) {
    auto now = std::chrono::steady_clock::now();
    if (deadline && now >= *deadline) break;
    ended_.wait_until(lock, deadline ? std::min(*deadline, now + look_up) : now + look_up);
    now = std::chrono::steady_clock::now();
    if (!while_waiting_ || now - looked_up_ < look_up) continue;
    looked_up_ = now;
    lock.unlock();
    while_waiting_();
    lock.lock();
  }
  std::erase(waits_, &ready);
  if (!broken_.empty()) throw Error(ErrorCode::lost, broken_);
  return made;
}

Version ClusterFrontend::current(DataId data) const {
  const Version version = domain_.current(data);
  if (version == Version()) {
    throw Error(ErrorCode::invalid_argument, "this array has no value: give it an origin, or write it first");
  }
  return version;
}

Pinned ClusterFrontend::hold(DataId data, bool for_view) {
  const Lock lock(mutex_);
  const Pinned pinned{.data = data, .version = current(data), .for_view = for_view};
  machine_.pin(pinned.data, pinned.version);
  return pinned;
}

bool ClusterFrontend::wait_for(const Pinned& pinned, const Deadline& deadline) {
  Lock lock(mutex_);
  flush();
  const coherence::Directory& directory = machine_.directory();
  const auto state = [&] { return directory.state(pinned.data, pinned.version); };
  if (!wait_until(
          lock, [&] { return state() != coherence::VersionState::pending; }, deadline))
    return false;
  if (state() == coherence::VersionState::made) return true;
  throw TaskError(failures_.why(directory.cause(pinned.data, pinned.version)), counts_.not_done());
}

void ClusterFrontend::fetch(Pinned& pinned) {
  bring_here(pinned);
  pinned.bytes = delivery_.bytes_of(pinned.data, pinned.version);
}

void ClusterFrontend::bring_here(const Pinned& pinned) {
  Lock lock(mutex_);
  if (machine_.directory().source(pinned.data, pinned.version) == core::front_rank) return;
  const core::TaskId touch = submit_touch(pinned);
  flush();
  const auto is_touch = [&](const auto& ended) { return ended.first == touch; };
  wait_until(lock, [&] { return std::ranges::any_of(touched_, is_touch); });
  const auto ended = std::ranges::find_if(touched_, is_touch);
  const core::Outcome outcome = ended->second;
  touched_.erase(ended);
  if (outcome == core::Outcome::done) return;
  throw TaskError("the value could not be brought to rank 0: " + std::string(name_of(outcome)), counts_.not_done());
}

core::TaskId ClusterFrontend::submit_touch(const Pinned& pinned) {
  const core::TaskId id(next_task_++);
  const graph::StampedAccess access{.data = pinned.data,
                                    .mode = AccessMode::read,
                                    .reads = pinned.version,
                                    .writes = Version(),
                                    .producer = core::TaskId()};
  machine_.submit({.task = id,
                   .kernel = cluster::touch_kernel,
                   .cores = 1,
                   .only_on = core::front_rank,
                   .place = {},
                   .accesses = std::span(&access, 1),
                   .parameters = {}});
  return id;
}

void ClusterFrontend::unpin(const Pinned& pinned) {
  const Lock lock(mutex_);
  machine_.unpin(pinned.data, pinned.version);
  ++unsent_;
}

void ClusterFrontend::drain() {
  Lock lock(mutex_);
  flush();
  wait_until(lock, [&] { return machine_.unended() == 0; });
}

bool ClusterFrontend::wait_all(const Deadline& deadline) {
  Lock lock(mutex_);
  flush();
  if (!wait_until(
          lock, [&] { return machine_.unended() == 0; }, deadline))
    return false;
  const std::string report = failures_.take_report(counts_.not_done());
  if (!report.empty()) throw TaskError(report, counts_.not_done());
  return true;
}

// --- groups and resources ---

void ClusterFrontend::leave_group(core::TaskId task) {
  if (groups_.empty()) return;
  const auto found = groups_.find(task.value());
  if (found == groups_.end()) return;
  static_cast<void>(found->second->leave());
  groups_.erase(found);
}

bool ClusterFrontend::wait_for(const Group& group, const Deadline& deadline) {
  Lock lock(mutex_);
  flush();
  return wait_until(
      lock, [&] { return group.empty(); }, deadline);
}

void ClusterFrontend::cancel(Group& group) {
  group.cancel();
  const Lock lock(mutex_);
  std::vector<core::TaskId> tasks;
  for (const auto& [task, its_group] : groups_) {
    if (its_group == &group) tasks.emplace_back(task);
  }
  for (const core::TaskId task : tasks) machine_.cancel(task);
  flush();
  notify_waits();
}

void ClusterFrontend::cancel(core::TaskId task) {
  const Lock lock(mutex_);
  machine_.cancel(task);
  flush();
  notify_waits();
}

Resource* ClusterFrontend::add_resource(std::int64_t amount) {
  const Lock lock(mutex_);
  machine_.add_resource(amount);
  return resources_.emplace_back(std::make_unique<Resource>(amount)).get();
}

std::span<const cluster::Need> ClusterFrontend::needs_of(const Task& task) {
  needs_.clear();
  for (const engine::Need& need : task.needs) {
    const auto found = std::ranges::find(resources_, need.resource, &std::unique_ptr<Resource>::get);
    needs_.push_back({static_cast<std::uint32_t>(found - resources_.begin()), need.amount});
  }
  return needs_;
}

// --- the end ---

void ClusterFrontend::close() {
  const Lock lock(mutex_);
  closed_ = true;
}

void ClusterFrontend::cancel() {
  const Lock lock(mutex_);
  machine_.cancel();
  notify_waits();
}

void ClusterFrontend::finish() {
  const Lock lock(mutex_);
  machine_.finish();
}

void ClusterFrontend::break_off(const std::string& why) {
  const Lock lock(mutex_);
  if (broken_.empty()) broken_ = why;
  ended_.notify_all();
}

Counts ClusterFrontend::counts() const {
  const Lock lock(mutex_);
  return counts_;
}

Window ClusterFrontend::in_flight() const {
  const Lock lock(mutex_);
  return {.tasks = machine_.unended(), .bytes = bytes_in_flight_};
}

std::vector<Failure> ClusterFrontend::first_failures() const {
  const Lock lock(mutex_);
  return failures_.first();
}

std::vector<Skipped> ClusterFrontend::first_skipped() const {
  const Lock lock(mutex_);
  return failures_.first_skipped();
}

}  // namespace penstock::frontend
