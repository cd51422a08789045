/// What the engine keeps of data, versions and tasks, and who waits for whom.
///
///     Datum ──current──> Version <──in── Access ──out──> Version     an Access is a part of a Task
///                           │ waiters: the accesses that read it, until it is made
///                           │ consumer: the access that takes its memory over, when nobody uses it any more
///
/// A version is *made* when its waiters are closed: its bytes are there, or its cause says why not. It is *unused* once
/// its users are 0: its producer and all that read it have ended, and its datum has moved on. Exactly one decrement
/// reaches 0; it releases the consumer, or else ends the version. So a task that reads and writes a datum in place has
/// one predecessor, which covers both read after write and write after read.
///
/// Records are written by the submitter, under the domain's mutex, before anybody else can reach them; what is written
/// later says so. A task's predecessors' releases order everything that its run reads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <semaphore>
#include <span>
#include <string_view>

#include <penstock/error.hpp>
#include <penstock/types.hpp>

#include "core/event.hpp"
#include "core/ids.hpp"
#include "executor/closable_stack.hpp"
#include "executor/job.hpp"

namespace penstock::engine {

class Domain;
struct Task;

/// A place in the list of those that wait for a version: an access's, or a thread's, whose `task` is null.
struct Link {
  Link* next = nullptr;
  Task* task = nullptr;
};

/// A thread of the program that waits for one version, or did: whoever lets go of it last deletes it.
struct Waiter : Link {
  std::binary_semaphore made{0};
  std::atomic<int> owners{2};  ///< the thread and the version; decrements are acquire-release

  void let_go() {
    if (owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
};

struct Datum;

struct alignas(64) Version {
  /// What `users` holds, besides its users, while the version is its datum's current one: reads are counted by the
  /// domain until then and taken from this at the end, so that a submission touches no line that workers write.
  static constexpr std::int64_t current_bias = std::int64_t{1} << 62;

  /// Decrements are acquire-release: who reaches 0 sees all that the users did.
  std::atomic<std::int64_t> users{current_bias + 1};
  executor::ClosableStack<Link> waiters;
  Task* consumer = nullptr;  ///< written before the bias is taken away, read by who reaches 0
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  core::TaskId cause;  ///< the task because of which it could not be made; written before close()
  core::Version number;
  const Datum* datum = nullptr;  ///< outlives the tasks that name the version
};
static_assert(sizeof(Version) == 64);

/// The domain's alone, but for `type` and `id`, which do not change while tasks name its versions.
struct Datum {
  Version* current = nullptr;  ///< null: never written
  core::Version latest;        ///< number of the last version, counting on when the id is used again
  core::Version first;         ///< versions up to here are of earlier data of this id
  std::int64_t reads = 0;      ///< of `current`, submitted so far
  std::size_t pins = 0;        ///< host views of `current`
  std::size_t bytes = 0;
  core::DataId id;
  ArrayType type;
};

struct Access {
  Link link;
  Version* in = nullptr;
  Version* out = nullptr;
  core::AccessKind kind = core::AccessKind::read;

  /// Takes over the memory of `in`, of which it is the consumer.
  [[nodiscard]] bool takes_over() const {
    return kind == core::AccessKind::consume || kind == core::AccessKind::overwrite;
  }
  [[nodiscard]] bool reads() const { return in != nullptr && kind != core::AccessKind::overwrite; }
  [[nodiscard]] const Datum& datum() const { return *(in != nullptr ? in : out)->datum; }
};

/// 192 bytes; with the version that it makes, 256. Accesses and parameters lie in the record where they fit, otherwise,
/// or when it has a name, in a block of their own.
struct alignas(64) Task {
  static constexpr std::size_t inline_bytes = 120;
  /// What `unmet` starts from, above any number of accesses, until the submitter has linked them all: its guard.
  static constexpr std::int32_t guard = 1 << 24;

  executor::Job job;
  /// Predecessors that have not released the task, and the guard. Decrements are acquire-release: all that predecessors
  /// wrote before theirs happens before the run that the last one starts.
  std::atomic<std::int32_t> unmet{guard};
  std::uint32_t line = 0;
  core::TaskId id;
  const char* file = "";
  Domain* domain = nullptr;
  std::byte* block = nullptr;  ///< null: all is in `inline_block`
  std::uint32_t parameter_bytes = 0;
  std::uint16_t cores = 1;
  core::KernelId kernel;
  std::uint8_t access_count = 0;
  std::uint8_t generation = 0;  ///< see Generations
  bool named = false;
  alignas(8) std::byte inline_block[inline_bytes];

  [[nodiscard]] std::span<Access> accesses();
  [[nodiscard]] std::span<const std::byte> parameters();
  /// Its own, ends with 0; null: it is called by its kernel.
  [[nodiscard]] const char* name();
  [[nodiscard]] Place place() const { return {file, line}; }

  /// Makes room and copies in what the task keeps; accesses are default ones. Undone by end_block().
  void begin_block(std::size_t accesses, std::span<const std::byte> parameters, std::string_view name);
  void end_block() const { delete[] block; }
};
static_assert(sizeof(Task) == 192);

}  // namespace penstock::engine
