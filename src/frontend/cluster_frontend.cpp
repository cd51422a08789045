#include "frontend/cluster_frontend.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <penstock/error.hpp>

namespace penstock::frontend {

using core::DataId;
using core::RankId;
using core::Version;

namespace {

constexpr std::uint64_t batch = 32;
constexpr std::size_t parameters_most = std::size_t{256} << 10;  // they travel in a message of 1 MiB
constexpr std::chrono::milliseconds look_up{100};

std::string at(const Place& place) {
  return place.line > 0 ? std::string(place.file) + ":" + std::to_string(place.line) + ": " : std::string();
}

}  // namespace

// --- what the machine says ---

void ClusterFrontend::Output::send(RankId to, std::span<const std::byte> commands) {
  frontend_.delivery_.deliver(to, commands);
}

void ClusterFrontend::Output::ended(const cluster::EndedTask& task) {
  frontend_.bytes_in_flight_ -= task.bytes;
  const std::string name = frontend_.take_name(task);
  if (task.kernel == cluster::touch_kernel) {
    frontend_.touched_.emplace_back(task.ending.task, task.ending.outcome);
    return;
  }
  frontend_.counts_.add(task.ending.outcome);
  if (task.ending.outcome == core::Outcome::done) return;
  const std::string kernel = frontend_.kernel_name_(task.kernel);
  frontend_.failures_.add(task, name.empty() ? kernel : name + " [" + kernel + "]");
}

void ClusterFrontend::Output::forgotten(DataId data) { frontend_.domain_.forget(data); }

// --- submission ---

ClusterFrontend::ClusterFrontend(std::span<const int> cores, Window window,
                                 std::function<std::string(core::KernelId)> kernel_name, Delivery& delivery)
    : window_(window), kernel_name_(std::move(kernel_name)), delivery_(delivery), machine_(cores, output_) {
  eager_below_ = 2 * static_cast<std::uint64_t>(std::accumulate(cores.begin(), cores.end(), 0));
}

DataId ClusterFrontend::add_data(const ArrayType& type) {
  const Lock lock(mutex_);
  const DataId data = domain_.add();
  machine_.add_data(data, type);
  return data;
}

void ClusterFrontend::release_data(DataId data) {
  const Lock lock(mutex_);
  machine_.release_data(data);
  ++unsent_;  // the order to drop it, which tick() sends
}

Version ClusterFrontend::first_version(DataId data) const {
  const Lock lock(mutex_);
  return domain_.first(data);
}

core::TaskId ClusterFrontend::submit(std::span<const Task> tasks) {
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
  if (task.parameters.size() > parameters_most) {
    throw Error(ErrorCode::invalid_argument, at(task.place) + "the parameters of a task are longer than 256 KiB");
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
  }
}

core::TaskId ClusterFrontend::enqueue(const Task& task) {
  const core::TaskId id(next_task_++);
  if (!task.name.empty()) names_.emplace(id.value(), task.name);
  domain_.stamp(id, task.accesses, stamped_);
  ++counts_.submitted;
  for (const graph::StampedAccess& access : stamped_) {
    if (access.writes != Version()) bytes_in_flight_ += cluster::counted_bytes(machine_.directory().type(access.data));
  }
  machine_.submit({.task = id,
                   .kernel = task.kernel,
                   .cores = task.cores,
                   .only_on = core::no_rank,
                   .place = task.place,
                   .accesses = stamped_,
                   .parameters = task.parameters});
  return id;
}

std::string ClusterFrontend::take_name(const cluster::EndedTask& task) {
  if (names_.empty()) return {};
  auto node = names_.extract(task.ending.task.value());
  return node.empty() ? std::string() : std::move(node.mapped());
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

void ClusterFrontend::wait_until(Lock& lock, const std::function<bool()>& ready) {
  waits_.push_back(&ready);
  while (broken_.empty() && !ready()) {
    ended_.wait_for(lock, look_up);
    const auto now = std::chrono::steady_clock::now();
    if (!while_waiting_ || now - looked_up_ < look_up) continue;
    looked_up_ = now;
    lock.unlock();
    while_waiting_();
    lock.lock();
  }
  std::erase(waits_, &ready);
  if (!broken_.empty()) throw Error(ErrorCode::lost, broken_);
}

Version ClusterFrontend::current(DataId data) const {
  const Version version = domain_.current(data);
  if (version == Version()) {
    throw Error(ErrorCode::invalid_argument, "this array has no value: give it an origin, or write it first");
  }
  return version;
}

void ClusterFrontend::wait_for_version(Lock& lock, const Pinned& pinned) {
  flush();
  const coherence::Directory& directory = machine_.directory();
  wait_until(lock, [&] { return directory.state(pinned.data, pinned.version) != coherence::VersionState::pending; });
}

void ClusterFrontend::wait(DataId data) { unpin(wait_pinned(data)); }

Pinned ClusterFrontend::wait_pinned(DataId data) {
  Lock lock(mutex_);
  const Pinned pinned{data, current(data)};
  machine_.pin(pinned.data, pinned.version);
  wait_for_version(lock, pinned);
  if (machine_.directory().state(pinned.data, pinned.version) == coherence::VersionState::made) return pinned;
  const std::string why = failures_.why(machine_.directory().cause(pinned.data, pinned.version));
  machine_.unpin(pinned.data, pinned.version);
  throw TaskError(why, counts_.not_done());
}

Pinned ClusterFrontend::bring(DataId data) {
  Pinned pinned = wait_pinned(data);
  fetch(pinned);
  pinned.bytes = delivery_.bytes_of(pinned.data, pinned.version);
  return pinned;
}

void ClusterFrontend::fetch(const Pinned& pinned) {
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
  machine_.unpin(pinned.data, pinned.version);
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

void ClusterFrontend::wait_all() {
  drain();
  const Lock lock(mutex_);
  const std::string report = failures_.take_report(counts_.not_done());
  if (!report.empty()) throw TaskError(report, counts_.not_done());
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
