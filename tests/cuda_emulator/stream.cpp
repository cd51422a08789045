#include "cuda_emulator/stream.hpp"

#include <time.h>

#include <algorithm>
#include <utility>

#include "cuda_emulator/settings.hpp"

namespace penstock::emulator {

namespace {

thread_local bool runs_host_function = false;

std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// Whether what is queued on the one runs in the order of the calls with what is queued on the other.
bool keeps_order(const StreamState& stream, const StreamState& other) {
  if (stream.device != other.device) return false;
  return (stream.is_default && other.is_blocking) || (stream.is_blocking && other.is_default);
}

/// As an engine that works would, without taking a core.
void take(std::int64_t ns) {
  if (ns <= 0) return;
  const std::int64_t end = now_ns() + ns;
  const timespec until{.tv_sec = end / 1'000'000'000, .tv_nsec = end % 1'000'000'000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) != 0) {
  }
}

}  // namespace

Queues::Queues(int devices) {
  if (const std::string& file = Settings::get().trace; !file.empty()) trace_.open(file);
  for (int device = 0; device < devices; ++device) {
    for (const Engine engine : {Engine::kernels, Engine::copies_in, Engine::copies_out}) {
      engines_.emplace_back([this, device, engine] { work(device, engine); });
    }
  }
  engines_.emplace_back([this] { work(-1, Engine::host); });
}

Queues::~Queues() { stop(); }

void Queues::stop() {
  {
    const Lock lock(mutex_);
    stops_ = true;
    changed_.notify_all();
  }
  for (std::thread& engine : engines_) engine.join();
  engines_.clear();
}

bool Queues::in_host_function() { return runs_host_function; }

// --- from the program ---

std::shared_ptr<StreamState> Queues::add_stream(int device, bool is_default, bool is_blocking) {
  auto stream = std::make_shared<StreamState>(device, is_default, is_blocking);
  const Lock lock(mutex_);
  stream->number = made_++;
  streams_.push_back(stream);
  return stream;
}

void Queues::remove(const std::shared_ptr<StreamState>& stream) {
  const Lock lock(mutex_);
  stream->is_removed = true;
  pass_marks();
}

void Queues::queue(const std::shared_ptr<StreamState>& stream, Operation operation) {
  const Lock lock(mutex_);
  push(*stream, std::move(operation));
}

void Queues::record(const std::shared_ptr<StreamState>& stream, const std::shared_ptr<EventState>& event) {
  const Lock lock(mutex_);
  push(*stream, {.records = event, .times = ++event->recorded});
}

void Queues::await(const std::shared_ptr<StreamState>& stream, const std::shared_ptr<EventState>& event) {
  const Lock lock(mutex_);
  push(*stream, {.awaits = event, .times = event->recorded});
}

void Queues::push(StreamState& stream, Operation operation) {
  operation.number = ++queued_;
  stream.operations.push_back(std::move(operation));
  announce_release(&stream.operations.back());
  pass_marks();
  changed_.notify_all();
}

bool Queues::has_passed(EventState& event) {
  const Lock lock(mutex_);
  if (event.reached < event.recorded) return false;
  announce_acquire(&event);
  return true;
}

bool Queues::is_idle(StreamState& stream) {
  const Lock lock(mutex_);
  if (!stream.operations.empty()) return false;
  announce_acquire(&stream);
  return true;
}

void Queues::wait_for(EventState& event) {
  Lock lock(mutex_);
  const std::uint64_t times = event.recorded;
  while (event.reached < times) changed_.wait(lock);
  announce_acquire(&event);
}

void Queues::wait_for(StreamState& stream) {
  Lock lock(mutex_);
  const std::uint64_t last = stream.operations.empty() ? 0 : stream.operations.back().number;
  while (!stream.operations.empty() && stream.operations.front().number <= last) changed_.wait(lock);
  announce_acquire(&stream);
}

void Queues::wait_for_device(int device) {
  Lock lock(mutex_);
  const std::uint64_t last = queued_;
  const auto runs_before = [&](const auto& stream) {
    return stream->device == device && !stream->operations.empty() && stream->operations.front().number <= last;
  };
  while (std::ranges::any_of(streams_, runs_before)) changed_.wait(lock);
  for (const auto& stream : streams_) {
    if (stream->device == device) announce_acquire(stream.get());
  }
}

std::int64_t Queues::reached_ns(EventState& event) {
  const Lock lock(mutex_);
  return event.reached_ns;
}

// --- the engines ---

void Queues::work(int device, Engine engine) {
  runs_host_function = engine == Engine::host;
  Lock lock(mutex_);
  while (!stops_) {
    if (StreamState* const stream = next_for(device, engine))
      run(*stream, lock);
    else
      changed_.wait(lock);
  }
}

/// Of those that wait for the engine, the one that has waited for a turn longest; of those, the one queued first.
StreamState* Queues::next_for(int device, Engine engine) {
  StreamState* next = nullptr;
  for (const auto& stream : streams_) {
    if (stream->operations.empty()) continue;
    const Operation& first = stream->operations.front();
    const bool fits = first.engine == engine && (engine == Engine::host || stream->device == device);
    if (!fits || first.is_running || !may_begin(*stream)) continue;
    const auto place = [](const StreamState& one) { return std::pair(one.turn, one.operations.front().number); };
    if (next == nullptr || place(*stream) < place(*next)) next = stream.get();
  }
  return next;
}

/// The default stream's operations come after all that was queued before on streams that block, and before all that is
/// queued later.
bool Queues::may_begin(const StreamState& stream) const {
  const std::uint64_t number = stream.operations.front().number;
  return std::ranges::none_of(streams_, [&](const auto& other) {
    return keeps_order(stream, *other) && !other->operations.empty() && other->operations.front().number < number;
  });
}

void Queues::run(StreamState& stream, Lock& lock) {
  const auto kept = std::ranges::find(streams_, &stream, [](const auto& each) { return each.get(); });
  const std::shared_ptr<StreamState> alive = *kept;
  Operation& operation = stream.operations.front();
  operation.is_running = true;
  stream.turn = ++turns_;
  {
    const Fibre::Act act(stream.fibre);
    announce_acquire(&operation);
    for (const auto& other : streams_) {
      if (keeps_order(stream, *other)) announce_acquire(other.get());
    }
    const std::int64_t begin_ns = now_ns();
    lock.unlock();
    if (operation.begin) operation.begin();
    take(operation.takes_ns);
    if (operation.end) operation.end();
    lock.lock();
    note(stream, operation.engine, begin_ns);
    announce_release(&stream);
  }
  stream.operations.pop_front();
  pass_marks();
  changed_.notify_all();
}

void Queues::note(const StreamState& stream, Engine engine, std::int64_t begin_ns) {
  constexpr const char* names[] = {"kernels", "copies-in", "copies-out", "host"};
  if (!trace_.is_open()) return;
  trace_ << begin_ns << ' ' << now_ns() << ' ' << stream.device << ' ' << names[static_cast<std::size_t>(engine)] << ' '
         << stream.number << std::endl;
}

/// Until none can be passed: one may let another go on.
void Queues::pass_marks() {
  for (bool passed = true; passed;) {
    passed = false;
    for (const auto& stream : streams_) passed = pass_mark(*stream) || passed;
  }
  std::erase_if(streams_, [](const auto& stream) { return stream->is_removed && stream->operations.empty(); });
}

bool Queues::pass_mark(StreamState& stream) {
  if (stream.operations.empty() || !may_begin(stream)) return false;
  const Operation& mark = stream.operations.front();
  if (mark.engine != Engine::none) return false;
  if (mark.awaits != nullptr && mark.awaits->reached < mark.times) return false;
  {
    const Fibre::Act act(stream.fibre);
    announce_acquire(const_cast<Operation*>(&mark));
    if (mark.awaits != nullptr) announce_acquire(mark.awaits.get());
    if (mark.records != nullptr) {
      mark.records->reached = std::max(mark.records->reached, mark.times);
      mark.records->reached_ns = now_ns();
      announce_release(mark.records.get());
    }
    announce_release(&stream);
  }
  stream.operations.pop_front();
  return true;
}

}  // namespace penstock::emulator
