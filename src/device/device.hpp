/// The contract of a device: something that runs tasks. The back-end of a rank owns its devices and is the only caller.
///
/// start() takes released work and returns at once; the device runs it in any order that its tokens allow, several at a
/// time. Every piece of work ends in exactly one call of Completions::completed(), made from a thread of the device's
/// own, from inside progress(), or from inside the destructor, which finishes what was started; never from inside
/// start().
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <string_view>

#include <penstock/kernel.hpp>

#include "core/ids.hpp"
#include "executor/job.hpp"

namespace penstock::device {

enum class DeviceKind : std::uint8_t { cpu, cuda };

constexpr std::string_view name_of(DeviceKind kind) { return kind == DeviceKind::cpu ? "cpu" : "cuda"; }

/// A point in one queue of one device. Work started with a token of the same device begins after that point, ordered by
/// the device itself, without a trip through the host. queue 0 is no token: the work releases others only when done.
struct Token {
  std::uint32_t queue = 0;
  std::uint64_t point = 0;
};

/// Bytes that a device with memory of its own copies there before the body runs: of a version to the place of the next.
struct Duplicate {
  std::byte* to = nullptr;
  const std::byte* from = nullptr;
  std::size_t bytes = 0;
};

/// One task as a device sees it. Owned by the caller; stays where it is and unchanged until its completion.
struct Work {
  executor::Job job = {};      ///< the device's, for its own queues
  void* started_on = nullptr;  ///< the device's
  core::TaskId task;
  const KernelDescription* kernel = nullptr;
  std::span<const ArrayView> arrays;      ///< host memory, allocated by prepare(); or the device's own
  std::span<const std::byte> parameters;  ///< as core::decode_parameters() reads them
  std::span<const Duplicate> duplicates = {};
  const char* name = nullptr;  ///< the task's, for tools that watch; null: that of its kernel
  int panel = 0;
  int panel_count = 1;
  void* owner = nullptr;  ///< the caller's; the device does not look at it
};

struct Completion {
  Work* work = nullptr;
  bool failed = false;
  std::string message;        ///< of what the body threw
  std::int64_t begin_ns = 0;  ///< steady clock; of a task that follows another at once: the other's end
  std::int64_t end_ns = 0;
  int lane = 0;  ///< the worker or queue it ran on
};

/// Bytes to be moved to the memory of an accelerator from the host's or another accelerator's, or from it to the
/// host's. Owned by the caller; stays where it is and unchanged until its end is reported.
struct Transfer {
  enum class Direction : std::uint8_t { in, out };
  Direction direction = Direction::in;
  std::byte* own = nullptr;    ///< in the memory of the accelerator that is asked
  std::byte* other = nullptr;  ///< the other end; in host memory it is made ready by prepare()
  int peer = -1;               ///< the GPU whose memory the other end is in; -1: host memory
  std::size_t bytes = 0;
  std::uint32_t number = 0;  ///< the caller's
};

struct TransferEnd {
  Transfer* transfer = nullptr;
  bool failed = false;
  std::string message;
  std::int64_t begin_ns = 0;  ///< steady clock
  std::int64_t end_ns = 0;
};

/// What an accelerator tells its owner of transfers; threads as Completions.
class TransferEnds {
 public:
  /// Just before it begins, on the accelerator's own thread: the owner makes the host memory ready. Throws what it
  /// likes.
  virtual void prepare(Transfer& transfer) = 0;
  virtual void transferred(std::span<TransferEnd> ends) = 0;

 protected:
  ~TransferEnds() = default;
};

/// What a device tells its owner. Called from the device's threads, several at once.
class Completions {
 public:
  /// Just before the body runs, on the thread that will call it: the owner makes the host memory of Work::arrays ready.
  /// False: there is nothing to run (an input could not be made); the device completes the work without running it.
  virtual bool prepare(Work& work) = 0;
  virtual void completed(std::span<Completion> completions) = 0;
  /// The calling lane has nothing to do and is about to sleep: the time to hand on what was collected.
  virtual void idle(int lane) = 0;

 protected:
  ~Completions() = default;
};

class Device {
 public:
  virtual ~Device() = default;
  [[nodiscard]] virtual DeviceKind kind() const = 0;
  /// Pieces of work that can run at once.
  [[nodiscard]] virtual int lanes() const = 0;
  [[nodiscard]] virtual bool can_run(const KernelDescription& kernel) const = 0;

  /// Takes work whose predecessors are done, except those that `after` names. Returns at once; called from any thread,
  /// from inside completed() too. Returns the token at which this work's results may be used by later work of the same
  /// device, or no token when they may be used only once it is completed. A device without queues takes no `after`. The
  /// panels of a task whose kernel uses OpenMP come in one call, one after the other.
  virtual Token start(std::span<Work* const> work, std::span<const Token> after = {}) = 0;

  /// Looks for what has completed and reports it. Never waits. Called by the rank's driver thread now and then, and
  /// soon while `busy_polling()`; a device with threads of its own does nothing here.
  virtual void progress() = 0;
  /// Whether completions are found only by progress() and some are outstanding.
  [[nodiscard]] virtual bool busy_polling() const = 0;
  /// Pieces of work that were started and, as far as the device can tell, not begun. A hint, for the trace; any thread.
  [[nodiscard]] virtual std::size_t waiting() const = 0;
};

/// A device with memory of its own, which its owner fills: the arrays of its work are there. All of what it does is in
/// the order of tokens alone; work and transfers are on queues that run at once.
class Accelerator : public Device {
 public:
  /// In CUDA's order; what Transfer::peer names.
  [[nodiscard]] virtual int number() const = 0;
  /// Its memory, for the owner to divide. Not to be read by the host.
  [[nodiscard]] virtual std::span<std::byte> memory() const = 0;
  /// As start(); the token says when the bytes are there.
  virtual Token transfer(Transfer& transfer, std::span<const Token> after) = 0;
  /// It has failed for good: what is under way still ends, as failed, and nothing that is in its memory can be had.
  [[nodiscard]] virtual bool is_broken() const = 0;
};

}  // namespace penstock::device
