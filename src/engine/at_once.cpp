// A short task whose data are there is run by submit() before it returns. Nobody has waited for it, and nobody is told.
#include <algorithm>

#include "engine/domain.hpp"
#include "executor/steady_clock.hpp"

namespace penstock::engine {

using core::TaskId;

namespace {

constexpr std::uint64_t tasks_between_looks = 128;
constexpr std::int64_t ns_between_looks = static_cast<std::int64_t>(tasks_between_looks) * 4 * KernelTimes::short_ns;

}  // namespace

/// While nothing is held back, so that what is held back does not wait for longer than it would otherwise.
bool Domain::can_run_at_once(const Submission& submission) const {
  if (!may_run_at_once_ || !engine_.times().is_short(submission.kernel)) return false;
  if (submission.cores != 1 || submission.priority != 0 || !submission.needs.empty()) return false;
  if (here_.is_taken() || !lane_->ready.empty() || has_returned_.load(std::memory_order_relaxed)) return false;
  if (engine_.has_cancelled() || submission.accesses.size() > Task::marks_most) return false;
  return std::ranges::all_of(submission.accesses, [&](const graph::Access& access) {
    const Datum& datum = datum_of(access.data);
    if (datum.borrowed != nullptr) return false;
    switch (access.mode) {
      case AccessMode::read:
        return datum.current->waiters.is_closed() && datum.current->cause == TaskId();
      case AccessMode::write:
        return true;
      case AccessMode::read_write:
        return is_unused(datum) && datum.current->cause == TaskId() &&
               std::ranges::count(submission.accesses, access.data, &graph::Access::data) == 1;
      default:
        return false;
    }
  });
}

/// Whether the datum's version is made, and nobody looks at it.
bool Domain::is_unused(const Datum& datum) {
  return datum.current != nullptr && datum.borrowed == nullptr &&
         datum.current->users.is(Version::current_bias - datum.reads);
}

TaskId Domain::run_at_once(const Submission& submission, Lock& lock) {
  here_.take();
  ++bursts_;
  Task& task = make(submission, *burst_lane_);
  const TaskId id = task.id;
  const std::span<Access> accesses = task.accesses();
  const std::span<const graph::Access> wanted = submission.accesses;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].mode != AccessMode::read) continue;
    Datum& datum = datum_of(wanted[i].data);
    accesses[i].in = datum.current;
    ++datum.reads;
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].mode == AccessMode::read) continue;
    Datum& datum = datum_of(wanted[i].data);
    is_unused(datum) ? renew(datum, accesses[i]) : succeed(datum, accesses[i]);
    if (wanted[i].mode == AccessMode::read_write) task.marks |= static_cast<std::uint8_t>(1U << i);
  }
  lock.unlock();
  if (++run_at_once_ % tasks_between_looks == 0) look_at_times();
  engine_.run_ready(task, *burst_lane_);
  engine_.start_ready(*burst_lane_);
  here_.give_back();
  notify_waits();
  return id;
}

/// Of a version that nobody uses the next is made, in the same memory.
void Domain::renew(Datum& datum, Access& access) {
  Version& version = *datum.current;
  version.users.begin();
  version.waiters.reopen();
  version.cause = TaskId();
  count_version(datum, version);
  access.out = &version;
  datum.reads = 0;
}

/// Either the program takes its time between its submissions, or some tasks are longer than they were: then all of the
/// next ones are observed.
void Domain::look_at_times() {
  const std::int64_t now_ns = executor::steady_now().ns;
  burst_lane_->observes_all = now_ns - looked_at_ns_ > ns_between_looks;
  looked_at_ns_ = now_ns;
}

}  // namespace penstock::engine
