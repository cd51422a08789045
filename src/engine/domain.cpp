#include "engine/domain.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "core/assert.hpp"

namespace penstock::engine {

using core::AccessKind;
using core::DataId;
using core::TaskId;

namespace {

constexpr std::chrono::milliseconds look_up{100};
constexpr std::size_t accesses_most = 255;
constexpr std::size_t parameters_most = std::size_t{256} << 10;  // as where they travel in a message
constexpr std::size_t retired_before_a_turn = 32;
constexpr std::uint64_t ends_between_looks = 16;
constexpr std::size_t held_back_most = 16;

std::string at(const Place& place) {
  return place.line > 0 ? std::string(place.file) + ":" + std::to_string(place.line) + ": " : std::string();
}

[[noreturn]] void refuse(const Submission& submission, const std::string& fault) {
  throw Error(ErrorCode::invalid_argument, at(submission.place) + fault);
}

}  // namespace

Domain::Domain(Engine& engine, Options options)
    : engine_(engine),
      options_(std::move(options)),
      ended_(std::make_unique<Ended[]>(engine.lane_numbers())),
      lane_(engine.new_lane()) {
  if (options_.serial) serial_lane_ = engine.new_lane();
  engine_.add(*this);
}

Domain::~Domain() {
  engine_.remove(*this);
  for (const auto& data : chunks_) {
    for (const Datum& datum : std::span(data.get(), chunk)) {
      if (datum.current != nullptr) Engine::drop(*datum.current, Version::current_bias - datum.reads, *lane_);
    }
  }
}

// --- data ---

DataId Domain::add_data(const ArrayType& type) {
  const Lock lock(mutex_);
  if (free_.empty() && generations_.retired() >= retired_before_a_turn) turn_generation();
  if (free_.empty()) add_chunk();
  const DataId data = free_.back();
  free_.pop_back();
  Datum& datum = datum_of(data);
  datum.type = type;
  datum.bytes = static_cast<std::size_t>(type.bytes());
  datum.first = datum.latest;
  return datum.id;
}

void Domain::add_chunk() {
  const std::size_t first = chunks_.size() * chunk;
  chunks_.push_back(std::make_unique<Datum[]>(chunk));
  for (std::size_t i = chunk; i-- > 0;) {
    chunks_.back()[i].id = DataId(static_cast<DataId::Value>(first + i));
    free_.push_back(chunks_.back()[i].id);
  }
}

void Domain::release_data(DataId data) {
  const Lock lock(mutex_);
  Datum& datum = datum_of(data);
  if (datum.current != nullptr) Engine::drop(*datum.current, Version::current_bias - datum.reads, *lane_);
  datum.current = nullptr;
  datum.reads = 0;
  datum.pins = 0;
  generations_.retire(&datum);
  start_ready();
}

void Domain::turn_generation() {
  generations_.turn({ended(0), ended(1)}, [this](const Datum& datum) { free_.push_back(datum.id); });
}

core::Version Domain::first_version(DataId data) const {
  const Lock lock(mutex_);
  return core::Version(datum_of(data).first.value() + 1);
}

// --- submission ---

TaskId Domain::submit(const Submission& submission) {
  std::unique_lock<std::recursive_mutex> serial(serial_mutex_, std::defer_lock);
  if (options_.serial) serial.lock();
  Lock lock(mutex_);
  wait_for_room(lock);
  if (closed_) throw Error(ErrorCode::interrupted, "interrupted: no more tasks are taken");
  check(submission);
  Task& task = make(submission);
  const TaskId id = task.id;
  begin(task, stamp(task, submission.accesses));
  if (options_.serial) {
    lock.unlock();
    engine_.run_here(task, *serial_lane_);
  } else if (!may_hold_back()) {
    start_ready();
  }
  return id;
}

/// While a worker looks around it is cheaper for both sides to hand it several tasks at once.
bool Domain::may_hold_back() {
  if (lane_->ready.empty()) return true;
  if (lane_->ready.size() >= held_back_most || !engine_.workers().anyone_looks()) return false;
  if (holds_back_) return true;
  holds_back_ = true;
  return engine_.hold_back();
}

void Domain::start_ready() {
  if (std::exchange(holds_back_, false)) engine_.hold_no_more();
  engine_.start_ready(*lane_);
}

void Domain::hand_over(bool may_wait) {
  Lock lock(mutex_, std::defer_lock);
  if (may_wait)
    lock.lock();
  else if (!lock.try_lock())
    return;
  if (!std::exchange(holds_back_, false)) return;
  engine_.hold_no_more();
  engine_.workers().share(lane_->ready);
  lane_->ready.clear();
}

void Domain::wait_for_room(Lock& lock) {
  while (room_ == 0 || room_bytes_ <= 0) {
    if (!below(4)) {
      start_ready();
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
  --room_;
}

bool Domain::below(std::uint64_t quarters) const {
  const InFlight now = in_flight();
  return now.tasks == 0 || (now.tasks < (options_.window_tasks * quarters + 3) / 4 &&
                            now.bytes < options_.window_bytes / 4 * static_cast<std::int64_t>(quarters));
}

void Domain::check(const Submission& submission) const {
  const std::span<const graph::Access> accesses = submission.accesses;
  if (accesses.size() > accesses_most) refuse(submission, "a task has at most 255 accesses");
  if (submission.parameters.size() > parameters_most) {
    refuse(submission, "the parameters of a task are longer than 256 KiB");
  }
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const std::string_view number = "access ";
    const Version* const current = datum_of(accesses[i].data).current;
    __builtin_prefetch(current, 1);  // a worker wrote to it last; it is wanted when the access is stamped
    if (accesses[i].mode != AccessMode::write && current == nullptr) {
      refuse(submission, std::string(number) + std::to_string(i + 1) +
                             " reads an array that nothing has written: give it an origin, or write it first");
    }
    if (accesses[i].mode == AccessMode::read) continue;
    for (std::size_t j = 0; j < i; ++j) {
      if (accesses[j].data == accesses[i].data && accesses[j].mode != AccessMode::read) {
        refuse(submission,
               std::string(number) + std::to_string(i + 1) + " writes an array that the same task writes already");
      }
    }
  }
}

Task& Domain::make(const Submission& submission) {
  Task& task = *lane_->tasks.make();
  const std::uint64_t number = submitted_.load(std::memory_order_relaxed) + 1;
  submitted_.store(number, std::memory_order_relaxed);
  generations_.submitted();
  task.job.run = Engine::run;
  task.job.unmet = Task::guard;
  task.job.priority = submission.priority;
  task.id = TaskId(number);
  task.file = submission.place.file;
  task.line = submission.place.line;
  task.domain = this;
  task.cores = submission.cores;
  task.kernel = submission.kernel;
  task.generation = generations_.current();
  task.begin_block(submission.accesses.size(), submission.parameters, submission.name, lane_->buffers);
  return task;
}

/// What its accesses read and make; returns how many releases the task has to wait for. Reads come before writes.
std::int32_t Domain::stamp(Task& task, std::span<const graph::Access> wanted) {
  std::int32_t predecessors = 0;
  const std::span<Access> accesses = task.accesses();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    Datum& datum = datum_of(wanted[i].data);
    Access& access = accesses[i];
    access.link.task = &task;
    const AccessKind kind = kind_of(datum, i, wanted);
    if (kind == AccessKind::write) continue;
    access.in = datum.current;
    if (kind == AccessKind::overwrite) task.overwrites |= static_cast<std::uint8_t>(1U << i);
    if (kind == AccessKind::consume || kind == AccessKind::overwrite) {
      datum.current->consumer = &task;
    } else if (follows_producer(datum, access)) {
      ++predecessors;
    }
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].mode == AccessMode::read) continue;
    succeed(datum_of(wanted[i].data), accesses[i]);
    if (task.takes_over(accesses[i])) ++predecessors;
  }
  return predecessors;
}

AccessKind Domain::kind_of(const Datum& datum, std::size_t index, std::span<const graph::Access> accesses) const {
  const AccessMode mode = accesses[index].mode;
  if (mode == AccessMode::read) return AccessKind::read;
  const auto same = [&](const graph::Access& other) { return other.data == datum.id; };
  // Who reads a version besides, or looks at it, would wait for itself or for the program.
  const bool may_take_over = datum.current != nullptr && datum.pins == 0 && std::ranges::count_if(accesses, same) == 1;
  if (mode == AccessMode::read_write) return may_take_over ? AccessKind::consume : AccessKind::copy;
  const bool renames = options_.renames && engine_.buffers().used_bytes() + datum.bytes <= options_.renaming_bytes;
  return renames || !may_take_over || index >= 8 ? AccessKind::write : AccessKind::overwrite;
}

/// Reads the datum's current version; whether that is yet to be made.
bool Domain::follows_producer(Datum& datum, Access& access) {
  ++datum.reads;
  return !access.in->waiters.is_closed() && access.in->waiters.push(access.link);
}

/// Makes the datum's next version. Its consumer, if it has one, waits until the one before is unused.
void Domain::succeed(Datum& datum, Access& access) {
  Version& next = *lane_->versions.make();
  datum.latest = core::Version(datum.latest.value() + 1);
  next.number = datum.latest;
  next.datum = &datum;
  next.bytes = datum.bytes;
  access.out = &next;
  room_bytes_ -= static_cast<std::int64_t>(datum.bytes);
  submitted_bytes_.store(submitted_bytes_.load(std::memory_order_relaxed) + static_cast<std::int64_t>(datum.bytes),
                         std::memory_order_relaxed);
  Version* const before = std::exchange(datum.current, &next);
  const std::int64_t reads = std::exchange(datum.reads, 0);
  datum.pins = 0;
  if (before != nullptr) Engine::drop(*before, Version::current_bias - reads, *lane_);
}

void Domain::begin(Task& task, std::int32_t predecessors) {
  const std::int32_t guard = Task::guard - predecessors;
  const bool ready = predecessors == 0 || task.unmet().fetch_sub(guard, std::memory_order_acq_rel) == guard;
  PENSTOCK_ASSERT(ready || !options_.serial);
  if (ready && !options_.serial) lane_->ready.push_back(&task.job);
}

// --- waits ---

template <class Ready>
void Domain::wait_until(const Ready& ready) {
  if (ready()) return;
  const executor::Workers::Rest rest(engine_.workers());
  waiting_.fetch_add(1, std::memory_order_acq_rel);
  {
    std::unique_lock lock(wait_mutex_);
    auto looked_up = std::chrono::steady_clock::now();
    while (!ready()) {
      ended_some_.wait_for(lock, look_up);
      const auto now = std::chrono::steady_clock::now();
      if (!options_.while_waiting || now - looked_up < look_up) continue;
      looked_up = now;
      lock.unlock();
      options_.while_waiting();
      lock.lock();
    }
  }
  waiting_.fetch_sub(1, std::memory_order_acq_rel);
}

void Domain::notify_waits() {
  if (waiting_.fetch_add(0, std::memory_order_acq_rel) == 0) return;
  { const std::lock_guard lock(wait_mutex_); }  // who has looked sleeps by now
  ended_some_.notify_all();
}

Version& Domain::pin(DataId data, bool for_view) {
  const Lock lock(mutex_);
  Datum& datum = datum_of(data);
  if (datum.current == nullptr) {
    throw Error(ErrorCode::invalid_argument, "this array has no value: give it an origin, or write it first");
  }
  ++datum.reads;
  if (for_view || options_.serial) ++datum.pins;  // in order, nothing can wait for who waits
  return *datum.current;
}

void Domain::unpin(Version& version, bool for_view) {
  const Lock lock(mutex_);
  Datum& datum = *const_cast<Datum*>(version.datum);  // it is this domain's
  if ((for_view || options_.serial) && datum.current == &version) --datum.pins;
  Engine::drop(version, 1, *lane_);
  start_ready();
}

bool Domain::wait_for(Version& version, std::optional<Deadline> deadline) {
  if (version.waiters.is_closed()) return true;
  const executor::Workers::Rest rest(engine_.workers());
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

void Domain::drain() {
  {
    const Lock lock(mutex_);
    start_ready();
  }
  wait_until([this] { return in_flight().tasks == 0; });
}

void Domain::close() {
  const Lock lock(mutex_);
  closed_ = true;
}

// --- counting ---

Domain::InFlight Domain::in_flight() const {
  const std::uint64_t tasks_ended = ended(0) + ended(1);
  std::int64_t bytes_ended = 0;
  for (std::size_t lane = 0; lane < engine_.lane_numbers(); ++lane) {
    bytes_ended += ended_[lane].bytes.load(std::memory_order_relaxed);
  }
  // Read after the counts of ended ones: never fewer than these.
  return {.tasks = submitted_.load(std::memory_order_relaxed) - tasks_ended,
          .bytes = submitted_bytes_.load(std::memory_order_relaxed) - bytes_ended};
}

std::uint64_t Domain::ended(std::size_t generation) const {
  std::uint64_t sum = 0;
  for (std::size_t lane = 0; lane < engine_.lane_numbers(); ++lane) {
    sum += ended_[lane].tasks[generation].load(std::memory_order_acquire);
  }
  return sum;
}

void Domain::count_end(std::size_t generation, std::int64_t bytes, std::size_t lane) {
  Ended& own = ended_[lane];
  if (bytes != 0) own.bytes.store(own.bytes.load(std::memory_order_relaxed) + bytes, std::memory_order_relaxed);
  std::atomic<std::uint64_t>& count = own.tasks[generation];
  const std::uint64_t now = count.load(std::memory_order_relaxed) + 1;
  if (waiting_for_room_.load(std::memory_order_relaxed) > 0 && now % ends_between_looks == 0 && below(3)) {
    notify_waits();
  }
  count.store(now, std::memory_order_release);  // last: the domain may be gone when this is seen
}

}  // namespace penstock::engine
