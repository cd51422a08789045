#include "frontend/local_frontend.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "cluster/messages.hpp"

namespace penstock::frontend {

using core::DataId;
using core::TaskId;

LocalFrontend::LocalFrontend(engine::Engine& engine, const Options& options)
    : engine_(engine),
      back_end_(options.back_end),
      domain_(engine_, {.window_tasks = options.window.tasks,
                        .window_bytes = options.window.bytes,
                        .serial = options.serial,
                        .first_id = options.first_id,
                        .of_task = options.of_task,
                        .not_done = [this](const engine::NotDone& task) { note(task); },
                        .while_waiting =
                            [this] {
                              if (while_waiting_) while_waiting_();
                            }}) {}

LocalFrontend::~LocalFrontend() {
  for (const auto& [what, version] : views_) domain_.unpin(*version, true);
}

TaskId LocalFrontend::take(std::span<const Task> tasks) {
  TaskId first;
  for (const Task& task : tasks) {
    const TaskId id = domain_.submit(task);
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

// --- waits ---

Pinned LocalFrontend::hold(DataId data, bool for_view) {
  engine::Version& version = domain_.pin(data, for_view);
  if (for_view) {  // it may be named by its number, and outlive this
    const std::lock_guard lock(mutex_);
    views_.insert({{data, version.number}, &version});
  }
  return {.data = data, .version = version.number, .for_view = for_view, .version_here = &version};
}

engine::Version& LocalFrontend::version_of(const Pinned& pinned) const {
  if (pinned.version_here != nullptr) return *pinned.version_here;
  const std::lock_guard lock(mutex_);
  return *views_.find({pinned.data, pinned.version})->second;
}

void LocalFrontend::unpin(const Pinned& pinned) {
  engine::Version& version = version_of(pinned);
  if (pinned.for_view) {
    const std::lock_guard lock(mutex_);
    views_.erase(views_.find({pinned.data, pinned.version}));
  }
  domain_.unpin(version, pinned.for_view);
}

bool LocalFrontend::wait_for(const Pinned& pinned, const Deadline& deadline) {
  engine::Version& version = version_of(pinned);
  const bool made = domain_.wait_for(version, deadline);
  if (made && version.cause == TaskId()) return true;
  if (!made && !domain_.cancelled()) return false;
  const std::lock_guard lock(mutex_);
  throw TaskError(made ? failures_.why(version.cause) : "cancelled: the value was not made before",
                  not_done_.not_done());
}

void LocalFrontend::fetch(Pinned& pinned) { pinned.bytes = version_of(pinned).data; }

bool LocalFrontend::wait_all(const Deadline& deadline) {
  if (!domain_.drain(deadline)) return false;
  const std::lock_guard lock(mutex_);
  const std::string report = failures_.take_report(not_done_.not_done());
  if (!report.empty()) throw TaskError(report, not_done_.not_done());
  return true;
}

// --- the rest ---

void LocalFrontend::finish() {
  if (back_end_ == nullptr) return;
  std::vector<std::byte> command;
  core::ByteWriter writer(command);
  write_tag(writer, cluster::Tag::finish);
  back_end_->deliver(core::front_rank, command);
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
  const engine::Engine::Statistics here = domain_.run_here();
  return {.tasks = here.tasks, .busy_ns = here.busy_ns};
}

}  // namespace penstock::frontend
