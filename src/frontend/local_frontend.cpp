#include "frontend/local_frontend.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "cluster/messages.hpp"

namespace penstock::frontend {

using core::DataId;
using core::TaskId;

LocalFrontend::LocalFrontend(std::span<const KernelDescription* const> kernels, executor::Workers& workers,
                             Window window, Delivery& delivery)
    : delivery_(delivery),
      engine_(kernels, workers, buffers_),
      domain_(engine_, {.window_tasks = window.tasks,
                        .window_bytes = window.bytes,
                        .not_done = [this](const engine::NotDone& task) { note(task); },
                        .while_waiting =
                            [this] {
                              if (while_waiting_) while_waiting_();
                            }}) {}

LocalFrontend::~LocalFrontend() {
  for (const auto& [what, version] : views_) domain_.unpin(*version, true);
}

TaskId LocalFrontend::submit(std::span<const Task> tasks) {
  TaskId first;
  for (const Task& task : tasks) {
    const TaskId id = domain_.submit({.kernel = task.kernel,
                                      .cores = task.cores,
                                      .accesses = task.accesses,
                                      .parameters = task.parameters,
                                      .place = task.place,
                                      .name = task.name});
    if (first == TaskId()) first = id;
  }
  return first;
}

// --- endings ---

void LocalFrontend::note(const engine::NotDone& task) {
  const std::string& kernel = engine_.kernel(task.kernel).name;
  const std::string called = task.name.empty() ? kernel : std::string(task.name) + " [" + kernel + "]";
  const std::lock_guard lock(mutex_);
  not_done_.add(task.ending.outcome);
  failures_.add({.ending = task.ending, .kernel = task.kernel, .place = task.place}, called);
}

void LocalFrontend::throw_if_not(bool made, TaskId cause) const {
  if (made && cause == TaskId()) return;
  const std::lock_guard lock(mutex_);
  throw TaskError(made ? failures_.why(cause) : "cancelled: the value was not made before", not_done_.not_done());
}

// --- waits ---

void LocalFrontend::wait(DataId data) {
  engine::Version& version = domain_.pin(data, false);
  const bool made = domain_.wait_for(version);
  const TaskId cause = made ? version.cause : TaskId();
  domain_.unpin(version, false);
  throw_if_not(made, cause);
}

void LocalFrontend::wait_all() {
  drain();
  const std::lock_guard lock(mutex_);
  const std::string report = failures_.take_report(not_done_.not_done());
  if (!report.empty()) throw TaskError(report, not_done_.not_done());
}

Pinned LocalFrontend::bring(DataId data) {
  engine::Version& version = domain_.pin(data, true);
  const bool made = domain_.wait_for(version);
  if (!made || version.cause != TaskId()) {
    const TaskId cause = made ? version.cause : TaskId();
    domain_.unpin(version, true);
    throw_if_not(made, cause);
  }
  const std::lock_guard lock(mutex_);
  views_.insert({{data, version.number}, &version});
  return {.data = data, .version = version.number, .bytes = version.data};
}

void LocalFrontend::unpin(const Pinned& pinned) {
  engine::Version* version = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const auto found = views_.find({pinned.data, pinned.version});
    version = found->second;
    views_.erase(found);
  }
  domain_.unpin(*version, true);
}

// --- the rest ---

void LocalFrontend::finish() {
  std::vector<std::byte> command;
  core::ByteWriter writer(command);
  write_tag(writer, cluster::Tag::finish);
  delivery_.deliver(core::front_rank, command);
}

void LocalFrontend::on_endings(core::RankId from, std::span<const std::byte> /*item*/) {
  throw Error(ErrorCode::environment, "rank " + std::to_string(from.value()) + " reports to a run of one rank");
}

Counts LocalFrontend::counts() const {
  const std::lock_guard lock(mutex_);
  Counts counts = not_done_;
  // In this order: what ends meanwhile counts as in flight.
  const std::uint64_t in_flight = domain_.in_flight().tasks;
  counts.submitted = domain_.submitted();
  counts.done = counts.submitted - std::min(counts.submitted, in_flight + counts.not_done());
  return counts;
}

Window LocalFrontend::in_flight() const {
  const engine::Domain::InFlight now = domain_.in_flight();
  return {.tasks = now.tasks, .bytes = now.bytes};
}

std::vector<Failure> LocalFrontend::first_failures() const {
  const std::lock_guard lock(mutex_);
  return failures_.first();
}

std::vector<Skipped> LocalFrontend::first_skipped() const {
  const std::lock_guard lock(mutex_);
  return failures_.first_skipped();
}

Frontend::OwnWork LocalFrontend::own_work() const {
  const engine::Engine::Statistics ran = engine_.statistics();
  return {.tasks = ran.tasks,
          .busy_ns = ran.busy_ns,
          .memory_bytes = buffers_.used_bytes(),
          .record_bytes = engine_.record_bytes()};
}

}  // namespace penstock::frontend
