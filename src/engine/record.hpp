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
/// Tasks that commute at a datum share a version, which is `in` and `out` of their accesses: a task without a body
/// makes it of the version before and another makes the next one of it, both by passing the memory on. They use it one
/// at a time, as its turns are a resource.
///
/// Records are written by the submitter, under the domain's mutex, before anybody else can reach them; what is written
/// later says so. A task's predecessors' releases order everything that its run reads.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <string_view>

#include <penstock/error.hpp>
#include <penstock/types.hpp>

#include "core/event.hpp"
#include "core/ids.hpp"
#include "engine/group.hpp"
#include "engine/resource.hpp"
#include "engine/use_count.hpp"
#include "executor/closable_stack.hpp"
#include "executor/job.hpp"
#include "memory/buffer_cache.hpp"

namespace penstock::engine {

struct Task;

/// A place in the list of those that wait for a version: an access's, or a thread's, whose `task` is null.
struct Link {
  Link* next = nullptr;
  Task* task = nullptr;
};

/// A thread of the program that waits for one version, or did: whoever lets go of it last deletes it.
class Waiter : public Link {
 public:
  /// The version is made; it lets go.
  void tell() {
    {
      const std::lock_guard lock(mutex_);
      made_ = true;
    }
    told_.notify_one();
    let_go();
  }
  /// Whether it was told by then.
  [[nodiscard]] bool wait_until(std::chrono::steady_clock::time_point deadline) {
    std::unique_lock lock(mutex_);
    return told_.wait_until(lock, deadline, [this] { return made_; });
  }
  void let_go() {
    if (owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 private:
  std::atomic<int> owners_{2};  // the thread and the version; decrements are acquire-release
  std::mutex mutex_;            // guards made_
  std::condition_variable told_;
  bool made_ = false;
};

struct Datum;

struct alignas(64) Version {
  /// What `users` holds, besides its users, while the version is its datum's current one: reads are counted by the
  /// domain until then and taken from this at the end, so that a submission touches no line that workers write.
  static constexpr std::int64_t current_bias = UseCount<>::bias;

  UseCount<> users;
  executor::ClosableStack<Link> waiters;
  Task* consumer = nullptr;  ///< written before the bias is taken away, read by who reaches 0 and by itself
  std::byte* data = nullptr;
  std::size_t bytes : 63 = 0;
  std::size_t borrowed : 1 = 0;  ///< `data` is its datum's, whose versions are all in one place
  core::TaskId cause;            ///< the task because of which it could not be made; written before close(), or in turn
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
  std::byte* borrowed = nullptr;   ///< memory of somebody who outlives the domain: all versions are made in it
  std::size_t views = 0;           ///< of a borrowed one: of all its versions
  bool read_only = false;          ///< a borrowed one may be
  bool commuting = false;          ///< `current` is shared by tasks that commute
  std::unique_ptr<Resource> turn;  ///< theirs; made when first needed
  core::DataId id;
  ArrayType type;
};

/// Which memory it uses, Task::kind_of() says.
struct Access {
  Link link;
  Version* in = nullptr;
  Version* out = nullptr;

  [[nodiscard]] const Datum& datum() const { return *(in != nullptr ? in : out)->datum; }
  /// It changes a version that it shares with others, one at a time.
  [[nodiscard]] bool commutes() const { return in == out; }
};

/// Three cache lines, of which a task without accesses and parameters touches the first only; with the version that it
/// makes, 256 bytes. Accesses and parameters lie in the record where they fit, otherwise, or when it has a name, in a
/// block of their own.
struct alignas(64) Task {
  static constexpr std::size_t inline_bytes = 128;
  static constexpr std::size_t needs_most = 31;
  static constexpr std::size_t marks_most = 8;
  /// What job.unmet starts from, above any number of accesses, until the submitter has linked them all.
  static constexpr std::int32_t guard = 1 << 24;

  /// Its `unmet`, used through unmet(), counts predecessors that have not released the task, and the guard. Decrements
  /// are acquire-release: all that predecessors wrote before theirs happens before the run that the last one starts.
  executor::Job job;
  core::TaskId id;
  const char* file = "";
  Group* group = nullptr;
  std::byte* block = nullptr;  ///< null: all is in `inline_block`
  std::uint32_t line = 0;
  std::uint32_t parameter_bytes = 0;
  std::uint16_t cores = 1;
  core::KernelId kernel;
  std::uint8_t access_count = 0;
  std::uint8_t generation : 1 = 0;  ///< see Generations
  std::uint8_t internal : 1 = 0;    ///< it has no body: it only passes memory on
  std::uint8_t commutes : 1 = 0;    ///< at some datum
  std::uint8_t need_count : 5 = 0;
  std::uint8_t name_bytes = 0;  ///< 0: it is called by its kernel
  /// Bit i is of access i. One with `in` takes its memory over, but not the value; one without has taken over both.
  std::uint8_t marks = 0;
  alignas(8) std::byte inline_block[inline_bytes];

  [[nodiscard]] std::atomic_ref<std::int32_t> unmet() { return std::atomic_ref(job.unmet); }
  [[nodiscard]] Domain& domain() const { return group->domain(); }
  [[nodiscard]] std::span<Access> accesses() {
    return {std::launder(reinterpret_cast<Access*>(block != nullptr ? block : inline_block)), access_count};
  }
  [[nodiscard]] std::span<Need> needs();
  /// Whether it runs only when it has been given what it needs.
  [[nodiscard]] bool has_needs() const { return commutes != 0 || need_count > 0; }
  [[nodiscard]] core::AccessKind kind_of(const Access& access);
  /// Whether it takes over the memory of access.in, of which it is the consumer. Who commutes does not look: the
  /// consumer of the version that it shares may come at any time.
  [[nodiscard]] bool takes_over(const Access& access) const {
    return access.in != nullptr && access.out != nullptr && !access.commutes() && access.in->consumer == this;
  }
  [[nodiscard]] std::span<const std::byte> parameters();
  [[nodiscard]] std::string_view name();
  [[nodiscard]] Place place() const { return {file, line}; }

  /// Makes room, in `buffers` where the record has not enough, and copies in what the task keeps, of a long name the
  /// beginning; accesses are default ones. Undone by end_block().
  void begin_block(std::size_t accesses, std::span<const Need> needs, std::span<const std::byte> parameters,
                   std::string_view name, memory::BufferCache& buffers) {
    const bool is_simple = needs.empty() && parameters.empty() && name.empty();
    if (!is_simple || accesses > inline_bytes / sizeof(Access)) {
      return begin_block_with(accesses, needs, parameters, name, buffers);
    }
    access_count = static_cast<std::uint8_t>(accesses);
    for (std::size_t i = 0; i < accesses; ++i) new (inline_block + i * sizeof(Access)) Access;
  }
  void end_block(memory::BufferCache& buffers) const {
    if (block != nullptr) buffers.free(block, block_bytes());
  }

 private:
  void begin_block_with(std::size_t accesses, std::span<const Need> needs, std::span<const std::byte> parameters,
                        std::string_view name, memory::BufferCache& buffers);
  [[nodiscard]] std::size_t block_bytes() const {
    return access_count * sizeof(Access) + need_count * sizeof(Need) + parameter_bytes + name_bytes;
  }
};
static_assert(sizeof(Access) == 32 && sizeof(Task) == 192 && offsetof(Task, inline_block) == 64);

/// A job is found to be the first thing in its task.
static_assert(offsetof(Task, job) == 0);
inline Task& task_of(executor::Job& job) { return *reinterpret_cast<Task*>(&job); }

}  // namespace penstock::engine
