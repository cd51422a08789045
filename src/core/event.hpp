/// What a run leaves behind of what happened when: events of 32 bytes, as they lie in the rings of the trace. Written
/// by the acting layers, read by whoever makes a trace or a report of them. Times are nanoseconds on the steady clock
/// of the rank that writes them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "core/ids.hpp"
#include "core/outcome.hpp"

namespace penstock::core {

/// The numbers are part of the file format; 0 is no event.
enum class EventKind : std::uint8_t {
  task = 1,      ///< a task, or one panel of it, on the lane that writes it; its accesses follow
  access = 2,    ///< one access of the task or transfer before it
  transfer = 3,  ///< a version between ranks, or memories of one; one access follows, which names it
  counter = 4,   ///< how much there was of something
  clock = 5,     ///< the clock of rank 0 compared with this rank's
  datum = 6,     ///< which element of a job's data a datum is, from one version on
  name = 7,      ///< the name of a task that has one of its own; its text follows
  text = 8,      ///< up to 24 bytes of the text that belongs to the name before
};

enum class AccessKind : std::uint8_t {
  read = 0,
  write = 1,
  consume = 2,    ///< read-write in the memory of the version read
  copy = 3,       ///< read-write in new memory, copied first
  overwrite = 4,  ///< write in the memory of the version before, of which nothing is read
  commute = 5,    ///< read-write in the memory that those that commute share, one at a time
};

constexpr bool reads_nothing(AccessKind kind) { return kind == AccessKind::write || kind == AccessKind::overwrite; }

enum class Direction : std::uint8_t { in = 0, out = 1 };

enum class CounterKind : std::uint8_t {
  ready = 0,            ///< tasks of this rank that may run and have not begun
  tasks_in_flight = 1,  ///< submitted and not ended; on rank 0
  bytes_in_flight = 2,  ///< that these write; on rank 0
  memory = 3,           ///< bytes of this rank's replicas
};

/// One slot. What its fields mean depends on the kind; the functions below are the only ones that know.
struct Event {
  std::int64_t first = 0;
  std::int64_t second = 0;
  std::uint64_t subject = 0;
  std::uint32_t detail = 0;
  std::uint16_t number = 0;
  EventKind kind{};
  std::uint8_t state = 0;
};
static_assert(sizeof(Event) == 32 && offsetof(Event, detail) == 24 && std::is_trivially_copyable_v<Event>);

struct TaskEvent {
  TaskId task = {};
  KernelId kernel = {};
  Attempt attempt = {};  ///< its low 16 bits
  std::uint8_t panel = 0;
  std::uint8_t panel_count = 1;  ///< both at most 255
  Outcome outcome = Outcome::done;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

struct AccessEvent {
  AccessKind access = AccessKind::read;
  DataId data;
  Version reads;   ///< 0: none
  Version writes;  ///< 0: none
  std::int64_t bytes = 0;
};

struct TransferEvent {
  Direction direction = Direction::in;
  RankId peer;  ///< the rank itself where only the memory is another
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

struct CounterEvent {
  CounterKind counter = CounterKind::ready;
  std::int64_t at_ns = 0;
  std::int64_t value = 0;
};

/// By an exchange of messages: rank 0's clock showed at_ns + offset_ns when this rank's showed at_ns, give or take half
/// of the round trip (F. Cristian, "Probabilistic clock synchronization", 1989).
struct ClockEvent {
  std::int64_t at_ns = 0;
  std::int64_t offset_ns = 0;
  std::int64_t round_trip_ns = 0;
};

/// `family` is a place in the list that the trace's description of rank 0 has.
struct DatumEvent {
  DataId data;
  Version from;
  std::uint32_t family = 0;
  std::int64_t element = 0;
};

inline constexpr std::size_t text_bytes_most = 24;

constexpr Event name_event(TaskId task) {
  return {
      .first = 0, .second = 0, .subject = task.value(), .detail = 0, .number = 0, .kind = EventKind::name, .state = 0};
}
/// `text` is at most text_bytes_most long.
inline Event text_event(std::string_view text) {
  Event event{.kind = EventKind::text, .state = static_cast<std::uint8_t>(text.size())};
  std::memcpy(static_cast<void*>(&event), text.data(), text.size());
  return event;
}
/// Valid as long as the event.
inline std::string_view text_of(const Event& event) {
  return {reinterpret_cast<const char*>(&event), std::min<std::size_t>(event.state, text_bytes_most)};
}

constexpr Event to_event(const TaskEvent& task) {
  return {.first = task.begin_ns,
          .second = task.end_ns,
          .subject = task.task.value(),
          .detail = (task.attempt.value() & 0xffffU) | std::uint32_t{task.panel} << 16 |
                    std::uint32_t{task.panel_count} << 24,
          .number = task.kernel.value(),
          .kind = EventKind::task,
          .state = static_cast<std::uint8_t>(task.outcome)};
}
constexpr Event to_event(const AccessEvent& access) {
  const bool both = access.reads != Version() && access.writes != Version();
  return {.first = static_cast<std::int64_t>(access.reads != Version() ? access.reads.value() : access.writes.value()),
          .second = access.bytes,
          .subject = access.data.value(),
          .detail = both ? static_cast<std::uint32_t>(access.writes.value() - access.reads.value()) : 0U,
          .number = 0,
          .kind = EventKind::access,
          .state = static_cast<std::uint8_t>(access.access)};
}
constexpr Event to_event(const TransferEvent& transfer) {
  return {.first = transfer.begin_ns,
          .second = transfer.end_ns,
          .subject = static_cast<std::uint64_t>(transfer.peer.value()),
          .detail = 0,
          .number = 0,
          .kind = EventKind::transfer,
          .state = static_cast<std::uint8_t>(transfer.direction)};
}
constexpr Event to_event(const CounterEvent& counter) {
  return {.first = counter.at_ns,
          .second = counter.value,
          .subject = 0,
          .detail = 0,
          .number = 0,
          .kind = EventKind::counter,
          .state = static_cast<std::uint8_t>(counter.counter)};
}
constexpr Event to_event(const ClockEvent& clock) {
  return {.first = clock.at_ns,
          .second = clock.offset_ns,
          .subject = static_cast<std::uint64_t>(clock.round_trip_ns),
          .detail = 0,
          .number = 0,
          .kind = EventKind::clock,
          .state = 0};
}
constexpr Event to_event(const DatumEvent& datum) {
  return {.first = static_cast<std::int64_t>(datum.from.value()),
          .second = datum.element,
          .subject = datum.data.value(),
          .detail = datum.family,
          .number = 0,
          .kind = EventKind::datum,
          .state = 0};
}

/// Each takes an event of its kind. Numbers that a damaged file may hold are handed on as they are.
constexpr TaskEvent task_of(const Event& event) {
  return {.task = TaskId(event.subject),
          .kernel = KernelId(event.number),
          .attempt = Attempt(event.detail & 0xffffU),
          .panel = static_cast<std::uint8_t>(event.detail >> 16 & 0xffU),
          .panel_count = static_cast<std::uint8_t>(event.detail >> 24),
          .outcome = static_cast<Outcome>(event.state),
          .begin_ns = event.first,
          .end_ns = event.second};
}
constexpr AccessEvent access_of(const Event& event) {
  const Version version(static_cast<std::uint64_t>(event.first));
  const auto access = static_cast<AccessKind>(event.state);
  return {.access = access,
          .data = DataId(static_cast<std::uint32_t>(event.subject)),
          .reads = reads_nothing(access) ? Version() : version,
          .writes = access == AccessKind::read ? Version()
                    : reads_nothing(access)    ? version
                                               : Version(version.value() + event.detail),
          .bytes = event.second};
}
constexpr TransferEvent transfer_of(const Event& event) {
  return {.direction = static_cast<Direction>(event.state),
          .peer = RankId(static_cast<std::int32_t>(event.subject)),
          .begin_ns = event.first,
          .end_ns = event.second};
}
constexpr CounterEvent counter_of(const Event& event) {
  return {.counter = static_cast<CounterKind>(event.state), .at_ns = event.first, .value = event.second};
}
constexpr ClockEvent clock_of(const Event& event) {
  return {.at_ns = event.first, .offset_ns = event.second, .round_trip_ns = static_cast<std::int64_t>(event.subject)};
}
constexpr DatumEvent datum_of(const Event& event) {
  return {.data = DataId(static_cast<std::uint32_t>(event.subject)),
          .from = Version(static_cast<std::uint64_t>(event.first)),
          .family = event.detail,
          .element = event.second};
}

}  // namespace penstock::core
