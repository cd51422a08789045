#include "engine/domain.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/assert.hpp"
#include "core/place.hpp"

namespace penstock::engine {

using core::AccessKind;
using core::at;
using core::DataId;
using core::TaskId;

namespace {

constexpr std::size_t accesses_most = 255;
constexpr std::size_t parameters_most = std::size_t{256} << 10;  // as where they travel in a message
constexpr std::size_t retired_before_a_turn = 32;
constexpr std::uint64_t ends_between_looks = 16;

[[noreturn]] void refuse(const Submission& submission, const std::string& fault) {
  throw Error(ErrorCode::invalid_argument, at(submission.place) + fault);
}

}  // namespace

Domain::Domain(Engine& engine, Options options)
    : engine_(engine),
      options_(std::move(options)),
      may_run_at_once_(!options_.serial && !options_.of_task && !engine.workers().is_shuffled()),
      parent_(Engine::current()),
      all_(this),
      ended_(std::make_unique<Ended[]>(engine.lane_numbers())),
      lane_(engine.new_lane()),
      burst_lane_(engine.new_lane()) {
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
  Lock lock(mutex_);
  if (free_.empty() && generations_.retired() >= retired_before_a_turn) {
    look_after_held(lock);  // what is held keeps its generation alive
    turn_generation();
  }
  if (free_.empty()) add_chunk();
  const DataId data = free_.back();
  free_.pop_back();
  Datum& datum = datum_of(data);
  datum.type = type;
  datum.bytes = static_cast<std::size_t>(type.bytes());
  datum.first = datum.latest;
  return datum.id;
}

DataId Domain::add_borrowed(const ArrayType& type, std::byte* bytes, bool read_only) {
  const DataId data = add_data(type);
  const Lock lock(mutex_);
  Datum& datum = datum_of(data);
  datum.borrowed = bytes;
  datum.read_only = read_only;
  Access made;
  succeed(datum, made);  // its bytes are there: like a task that has ended
  submitted_bytes_.fetch_sub(static_cast<std::int64_t>(datum.bytes), std::memory_order_relaxed);
  static_cast<void>(made.out->waiters.close());
  Engine::drop(*made.out, 1, *lane_);
  return data;
}

Resource* Domain::add_resource(std::int64_t amount) {
  const Lock lock(mutex_);
  return resources_.emplace_back(std::make_unique<Resource>(amount)).get();
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
  Lock lock(mutex_);
  Datum& datum = datum_of(data);
  if (datum.current != nullptr) Engine::drop(*datum.current, Version::current_bias - datum.reads, *lane_);
  datum.current = nullptr;
  datum.reads = 0;
  datum.pins = 0;
  datum.borrowed = nullptr;
  datum.read_only = false;
  datum.commuting = false;
  generations_.retire(&datum);
  dispatch(lock);
}

void Domain::turn_generation() {
  generations_.turn({ended(0), ended(1)}, [this](const Datum& datum) { free_.push_back(datum.id); });
}

core::Version Domain::first_version(DataId data) const {
  const Lock lock(mutex_);
  return core::Version(datum_of(data).first.value() + 1);
}

Standing Domain::standing(DataId data) const {
  const Lock lock(mutex_);
  const Datum& datum = datum_of(data);
  return {.type = datum.type,
          .is_written = datum.current != nullptr,
          .is_read_only = datum.read_only,
          .is_borrowed = datum.borrowed != nullptr};
}

// --- submission ---

TaskId Domain::submit(const Submission& submission) {
  refuse_inside("submit()");
  std::unique_lock<std::recursive_mutex> serial(serial_mutex_, std::defer_lock);
  if (options_.serial) {
    if (Engine::stack_is_deep()) {
      throw Error(ErrorCode::environment,
                  "in serial mode a task runs inside its submit(): tasks of tasks are nested too deep for the stack");
    }
    serial.lock();
  }
  Lock lock(mutex_);
  take_room(lock);
  if (closed_) throw Error(ErrorCode::interrupted, "interrupted: no more tasks are taken");
  if (check(submission))
    settle(submission.accesses, submission.place);
  else if (can_run_at_once(submission))
    return run_at_once(submission, lock);
  Task& task = make(submission, *lane_);
  const TaskId id = task.id;
  submit_now(task, submission.accesses);
  if (!options_.serial) {
    hold_returned();
    dispatch(lock);
  }
  return id;
}

void Domain::submit_now(Task& task, std::span<const graph::Access> accesses) {
  begin(task, stamp(task, accesses));
  if (!options_.serial) return;
  mutex_.unlock();  // the lock is on the way out of submit(), and a body may submit to a domain of its own
  run_serially(task);
  mutex_.lock();
}

void Domain::run_serially(Task& task) {
  std::int64_t now_ns = 0;
  const bool can_run = !task.has_needs() || engine_.arbiter().take(task);
  PENSTOCK_ASSERT(can_run);  // nothing else runs
  engine_.run_here(task, *serial_lane_, now_ns);
  engine_.start_ready(*serial_lane_);
}

/// Whether a datum has to be settled before.
bool Domain::check(const Submission& submission) const {
  const std::span<const graph::Access> accesses = submission.accesses;
  if (accesses.size() > accesses_most) refuse(submission, "a task has at most 255 accesses");
  if (submission.parameters.size() > parameters_most) {
    refuse(submission, "the parameters of a task are longer than 256 KiB");
  }
  if (!submission.needs.empty()) {
    if (const std::string fault = fault_of(submission.needs); !fault.empty()) refuse(submission, fault);
  }
  bool unsettled = false;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const Datum& datum = datum_of(accesses[i].data);
    const AccessMode mode = accesses[i].mode;
    const auto fault = [&](const char* what) { refuse(submission, "access " + std::to_string(i + 1) + " " + what); };
    __builtin_prefetch(datum.current, 1);  // a worker wrote to it last; it is wanted when the access is stamped
    unsettled = unsettled || datum.commuting || mode == AccessMode::commute;
    if (mode != AccessMode::write && datum.current == nullptr) {
      fault("reads an array that nothing has written: give it an origin, or write it first");
    }
    if (mode == AccessMode::read) continue;
    if (options_.serial && datum.borrowed != nullptr && datum.views > 0) {
      fault("writes an array of which a view is held, in serial mode: drop the view first");
    }
    if (datum.read_only) fault("writes an array that the task around this one only reads");
    for (std::size_t j = 0; j < accesses.size(); ++j) {
      if (j == i || accesses[j].data != accesses[i].data) continue;
      if (j < i && accesses[j].mode != AccessMode::read) fault("writes an array that the same task writes already");
      if (mode == AccessMode::commute) fault("commutes at an array that the same task reads besides");
      if (datum.borrowed != nullptr) {
        fault(
            "writes an array of the task around this one, which the same task reads besides: make it one read_write()");
      }
    }
  }
  return unsettled;
}

// --- accesses that commute ---

void Domain::settle(std::span<const graph::Access> accesses, const Place& place) {
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    Datum& datum = datum_of(accesses[i].data);
    const bool commutes = accesses[i].mode == AccessMode::commute;
    if (commutes && !datum.commuting) {
      pass_on(datum, place);
      datum.commuting = true;
      if (datum.turn == nullptr) datum.turn = std::make_unique<Resource>(1);
    } else if (!commutes && datum.commuting) {
      const AccessKind kind = kind_of(datum, i, accesses);
      if (kind == AccessKind::read || kind == AccessKind::copy) settle(datum, place);
      datum.commuting = false;  // who takes over waits until nobody uses the version, and who writes for nobody
    }
  }
}

/// What comes reads what the commuting tasks have made together.
void Domain::settle(Datum& datum, const Place& place) {
  if (std::exchange(datum.commuting, false)) pass_on(datum, place);
}

/// The next version is the one before, once nobody uses that any more.
void Domain::pass_on(Datum& datum, const Place& place) {
  const graph::Access access{datum.id, AccessMode::read_write};
  Task& task = make({.kernel = core::KernelId(), .accesses = std::span(&access, 1), .parameters = {}, .place = place},
                    *lane_, true);
  submit_now(task, std::span(&access, 1));
}

// --- stamping ---

Task& Domain::make(const Submission& submission, Lane& lane, bool internal) {
  Task& task = *lane.tasks.make();
  const std::uint64_t before = submitted();
  submitted_.store(submitted_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  if (internal) internal_.store(internal_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  generations_.submitted();
  task.job.run = Engine::run;
  task.job.unmet = Task::guard;
  task.job.priority = submission.priority;
  if (!internal) task.id = TaskId(options_.first_id + before);
  task.internal = internal ? 1 : 0;
  task.file = submission.place.file;
  task.line = submission.place.line;
  task.group = submission.group != nullptr ? submission.group : &all_;
  if (submission.group != nullptr) submission.group->enter();
  task.cores = submission.cores;
  task.kernel = submission.kernel;
  task.generation = generations_.current() & 1U;
  task.begin_block(submission.accesses.size(), submission.needs, submission.parameters, submission.name, lane.buffers);
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
    if (wanted[i].mode == AccessMode::commute) {
      task.commutes = 1;
      access.in = access.out = datum.current;
      if (follows_producer(datum, access)) ++predecessors;
      continue;
    }
    const AccessKind kind = kind_of(datum, i, wanted);
    if (kind == AccessKind::write) continue;
    access.in = datum.current;
    if (kind == AccessKind::overwrite) task.marks |= static_cast<std::uint8_t>(1U << i);
    if (kind == AccessKind::consume || kind == AccessKind::overwrite) {
      datum.current->consumer = &task;
    } else if (follows_producer(datum, access)) {
      ++predecessors;
    }
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].mode == AccessMode::read || wanted[i].mode == AccessMode::commute) continue;
    succeed(datum_of(wanted[i].data), accesses[i]);
    if (task.takes_over(accesses[i])) ++predecessors;
  }
  return predecessors;
}

AccessKind Domain::kind_of(const Datum& datum, std::size_t index, std::span<const graph::Access> accesses) const {
  const AccessMode mode = accesses[index].mode;
  if (mode == AccessMode::read) return AccessKind::read;
  if (datum.borrowed != nullptr) {
    return mode == AccessMode::write && index < Task::marks_most ? AccessKind::overwrite : AccessKind::consume;
  }
  const auto same = [&](const graph::Access& other) { return other.data == datum.id; };
  // Who reads a version besides, or looks at it, would wait for itself or for the program.
  const bool may_take_over = datum.current != nullptr && datum.pins == 0 && std::ranges::count_if(accesses, same) == 1;
  if (mode == AccessMode::read_write) return may_take_over ? AccessKind::consume : AccessKind::copy;
  const bool renames = options_.renames && engine_.buffers().used_bytes() + datum.bytes <= options_.renaming_bytes;
  return renames || !may_take_over || index >= Task::marks_most ? AccessKind::write : AccessKind::overwrite;
}

/// Reads the datum's current version; whether that is yet to be made.
bool Domain::follows_producer(Datum& datum, Access& access) {
  ++datum.reads;
  return !access.in->waiters.is_closed() && access.in->waiters.push(access.link);
}

/// Makes the datum's next version. Its consumer, if it has one, waits until the one before is unused.
void Domain::succeed(Datum& datum, Access& access) {
  Version& next = *lane_->versions.make();
  next.datum = &datum;
  next.bytes = datum.bytes & ((std::uint64_t{1} << 63) - 1);
  next.data = datum.borrowed;
  next.borrowed = datum.borrowed != nullptr ? 1 : 0;
  count_version(datum, next);
  access.out = &next;
  Version* const before = std::exchange(datum.current, &next);
  const std::int64_t reads = std::exchange(datum.reads, 0);
  datum.pins = 0;
  if (before != nullptr) Engine::drop(*before, Version::current_bias - reads, *lane_);
}

void Domain::count_version(Datum& datum, Version& next) {
  datum.latest = core::Version(datum.latest.value() + 1);
  next.number = datum.latest;
  room_bytes_ -= static_cast<std::int64_t>(datum.bytes);
  submitted_bytes_.store(submitted_bytes_.load(std::memory_order_relaxed) + static_cast<std::int64_t>(datum.bytes),
                         std::memory_order_relaxed);
}

void Domain::begin(Task& task, std::int32_t predecessors) {
  const std::int32_t guard = Task::guard - predecessors;
  const bool ready = predecessors == 0 || task.unmet().fetch_sub(guard, std::memory_order_acq_rel) == guard;
  PENSTOCK_ASSERT(ready || !options_.serial);
  if (ready && !options_.serial) engine_.make_ready(task, *lane_);
}

// --- cancelling ---

void Domain::cancel(TaskId task) {
  const std::lock_guard lock(cancelled_mutex_);
  if (in_flight().tasks == 0) cancelled_tasks_.clear();
  cancelled_tasks_.insert(task.value());
  engine_.note_cancel();
  some_cancelled_.store(true, std::memory_order_relaxed);
}

/// It, or a task around it.
bool Domain::cancelled(const Task& task) const {
  if (!engine_.has_cancelled()) return false;
  for (const Task* each = &task; each != nullptr; each = each->domain().parent()) {
    if (each->domain().cancels(*each)) return true;
  }
  return false;
}

bool Domain::cancels(const Task& task) const {
  if (cancelled() || task.group->cancelled()) return true;
  if (!some_cancelled_.load(std::memory_order_relaxed)) return false;
  const std::lock_guard lock(cancelled_mutex_);
  return cancelled_tasks_.contains(task.id.value());
}

// --- counting ---

Engine::Statistics Domain::run_here() const {
  Engine::Statistics sum;
  for (const Lane* const lane : {burst_lane_.get(), serial_lane_.get()}) {
    if (lane != nullptr) sum.add(*lane);
  }
  return sum;
}

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

void Domain::count_end(Group& group, std::size_t generation, std::int64_t bytes, std::size_t lane) {
  if (&group != &all_ && group.leave()) notify_waits();
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
