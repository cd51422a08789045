// Waiting for versions and for tasks.
#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

#include "engine/domain.hpp"

namespace penstock::engine {

using core::DataId;

namespace {

constexpr std::chrono::milliseconds look_up{100};

/// A thread that sleeps for a while leaves its core, or its lane, to others.
class Asleep {
 public:
  explicit Asleep(executor::Workers& workers) {
    if (workers.is_at_work())
      away_.emplace(workers);
    else if (!executor::Workers::is_worker())
      rest_.emplace(workers);
  }

 private:
  std::optional<executor::Workers::Away> away_;
  std::optional<executor::Workers::Rest> rest_;
};

}  // namespace

bool Domain::wait_until(const std::function<bool()>& ready, std::optional<Deadline> deadline) {
  if (ready()) return true;
  const Asleep asleep(engine_.workers());
  waiting_.fetch_add(1, std::memory_order_acq_rel);
  bool in_time = true;
  {
    std::unique_lock lock(wait_mutex_);
    awaited_.push_back(&ready);
    auto looked_up = std::chrono::steady_clock::now();
    while (!ready()) {
      const Deadline look = std::chrono::steady_clock::now() + look_up;
      ended_some_.wait_until(lock, deadline ? std::min(*deadline, look) : look);
      const auto now = std::chrono::steady_clock::now();
      if (deadline && now >= *deadline) {
        in_time = ready();
        break;
      }
      if (!options_.while_waiting || now - looked_up < look_up) continue;
      looked_up = now;
      lock.unlock();
      options_.while_waiting();
      lock.lock();
    }
    std::erase(awaited_, &ready);
  }
  waiting_.fetch_sub(1, std::memory_order_acq_rel);
  return in_time;
}

void Domain::notify_waits() {
  if (waiting_.fetch_add(0, std::memory_order_acq_rel) == 0) return;
  {
    const std::lock_guard lock(wait_mutex_);  // who has looked sleeps by now
    // The last of those who ended what is waited for sees that it is so; the others wake nobody in vain.
    if (std::ranges::none_of(awaited_, [](const auto* ready) { return (*ready)(); })) return;
  }
  ended_some_.notify_all();
}

// --- for room ---

void Domain::wait_for_room(Lock& lock) {
  while (room_ == 0 || room_bytes_ <= 0) {
    if (!below(4)) {
      look_after_held(lock);
      if (below(4)) continue;
      lock.unlock();
      // A quarter of room, so that the submitter is not woken for each task.
      waiting_for_room_.fetch_add(1, std::memory_order_relaxed);
      wait_until([this] { return below(3); });
      waiting_for_room_.fetch_sub(1, std::memory_order_relaxed);
      lock.lock();
      continue;
    }
    const InFlight now = in_flight();
    room_ = std::max(options_.window_tasks - std::min(now.tasks, options_.window_tasks), std::uint64_t{1});
    room_bytes_ = std::max(options_.window_bytes - now.bytes, std::int64_t{1});
  }
}

bool Domain::below(std::uint64_t quarters) const {
  const InFlight now = in_flight();
  return now.tasks == 0 || (now.tasks < (options_.window_tasks * quarters + 3) / 4 &&
                            now.bytes < options_.window_bytes / 4 * static_cast<std::int64_t>(quarters));
}

// --- for a version ---

Version& Domain::pin(DataId data, bool for_view) {
  Lock lock(mutex_);
  Datum& datum = datum_of(data);
  if (datum.current == nullptr) {
    throw Error(ErrorCode::invalid_argument, "this array has no value: give it an origin, or write it first");
  }
  if (datum.commuting) {
    settle(datum, {});
    dispatch(lock);
  }
  ++datum.reads;
  if (for_view || options_.serial) ++datum.pins;  // in order, nothing can wait for who waits
  if (for_view) ++datum.views;
  return *datum.current;
}

void Domain::unpin(Version& version, bool for_view) {
  Lock lock(mutex_);
  Datum& datum = *const_cast<Datum*>(version.datum);  // it is this domain's
  if ((for_view || options_.serial) && datum.current == &version) --datum.pins;
  if (for_view) --datum.views;
  Engine::drop(version, 1, *lane_);
  dispatch(lock);
}

bool Domain::wait_for(Version& version, std::optional<Deadline> deadline) {
  if (version.waiters.is_closed()) return true;
  {
    Lock lock(mutex_);
    refuse_own(version);
    look_after_held(lock);
  }
  if (version.waiters.is_closed()) return true;
  if (deadline && std::chrono::steady_clock::now() >= *deadline) return false;
  const Asleep asleep(engine_.workers());
  auto* const waiter = new Waiter;
  bool made = !version.waiters.push(*waiter);
  if (made) waiter->let_go();  // for the version, which never had it
  while (!made) {
    const Deadline look = std::chrono::steady_clock::now() + look_up;
    made = waiter->wait_until(deadline ? std::min(*deadline, look) : look);
    if (made || cancelled() || (deadline && std::chrono::steady_clock::now() >= *deadline)) break;
    if (options_.while_waiting) options_.while_waiting();
  }
  waiter->let_go();
  return made;
}

/// Under the mutex; the version is not made yet.
void Domain::refuse_own(const Version& version) const {
  // A task that waits in its own domain, which came after all that it and those around it write, need not look.
  for (Task* task = parent_ == Engine::current() ? nullptr : Engine::current(); task != nullptr;
       task = task->domain().parent()) {
    const auto makes = [&](const Access& access) { return access.out == &version; };
    if (std::ranges::any_of(task->accesses(), makes)) {
      throw Error(ErrorCode::invalid_argument, "a task waits for an array that it writes itself");
    }
  }
  // Views of versions before the current one keep that from being made.
  const Datum& datum = *version.datum;
  if (version.borrowed != 0 && datum.current == &version && datum.views > datum.pins) {
    throw Error(ErrorCode::invalid_argument, "a task waits for an array of which it holds a view: drop the view first");
  }
}

// --- for tasks ---

/// A task that waited for its own domain would wait for itself.
void Domain::refuse_inside_another(const char* call) const {
  for (Task* task = Engine::current(); task != nullptr; task = task->domain().parent()) {
    if (&task->domain() != this) continue;
    throw Error(ErrorCode::invalid_argument, std::string(call) +
                                                 " was called inside a task of the same runtime: let its body take a "
                                                 "Runtime&, which is the task's own");
  }
}

bool Domain::wait_for_tasks(const char* call, const std::function<bool()>& ready, std::optional<Deadline> deadline) {
  refuse_inside(call);
  {
    Lock lock(mutex_);
    look_after_held(lock);
  }
  return wait_until(ready, deadline);
}

bool Domain::drain(std::optional<Deadline> deadline) {
  return wait_for_tasks(
      "wait_all()", [this] { return in_flight().tasks == 0; }, deadline);
}

bool Domain::wait_for(const Group& group, std::optional<Deadline> deadline) {
  return wait_for_tasks(
      "a wait for a group", [&group] { return group.empty(); }, deadline);
}

void Domain::close() {
  const Lock lock(mutex_);
  closed_ = true;
}

}  // namespace penstock::engine
