/// What is queued on the emulated GPUs, and the engines that run it: for each GPU one for kernels and one for the
/// copies of either direction, and for the process one for host functions. The operations of a stream run one after
/// another; those of different streams together, an engine's by turns, so that what is not ordered comes mixed.
///
/// A copy reads its source when it has taken its time, and until then what it writes is poisoned: whoever looks early,
/// or reuses a source too early, finds it out.
#pragma once

#include <cstdint>
#include <deque>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "cuda_emulator/quiet_lock.hpp"
#include "cuda_emulator/sanitizer.hpp"

namespace penstock::emulator {

enum class Engine : std::uint8_t { kernels, copies_in, copies_out, host, none };

/// A point in a stream, which may be recorded again and again.
struct EventState {
  explicit EventState(int owner) : device(owner) {}

  const int device;
  std::uint64_t recorded = 0;   ///< times that it was recorded
  std::uint64_t reached = 0;    ///< the last of these that its stream has passed
  std::int64_t reached_ns = 0;  ///< when
};

struct Operation {
  Engine engine = Engine::none;
  std::int64_t takes_ns = 0;
  std::function<void()> begin = {};  ///< before the time is taken
  std::function<void()> end = {};    ///< after it
  std::shared_ptr<EventState> records = {};
  std::shared_ptr<EventState> awaits = {};
  std::uint64_t times = 0;   ///< of the event
  std::uint64_t number = 0;  ///< in the order of all operations; the queue's
  bool is_running = false;   ///< the queue's
};

struct StreamState {
  StreamState(int owner, bool default_one, bool blocking)
      : device(owner), is_default(default_one), is_blocking(blocking) {}

  const int device;
  const bool is_default;  ///< the one without a name: it waits for those that block, and they for it
  const bool is_blocking;
  bool is_removed = false;  ///< it goes when its operations have run
  std::deque<Operation> operations;
  std::uint64_t number = 0;  ///< in the order in which streams were made
  std::uint64_t turn = 0;    ///< of an engine, the last that it had
  Fibre fibre;
};

class Queues {
 public:
  explicit Queues(int devices);
  ~Queues();
  Queues(const Queues&) = delete;
  Queues& operator=(const Queues&) = delete;

  /// What runs ends, what is queued does not begin. Nobody may wait for it.
  void stop();

  // Any thread, as all of these.

  [[nodiscard]] std::shared_ptr<StreamState> add_stream(int device, bool is_default, bool is_blocking);
  /// What is queued still runs.
  void remove(const std::shared_ptr<StreamState>& stream);

  void queue(const std::shared_ptr<StreamState>& stream, Operation operation);
  /// Counts the recording, or takes the count to wait for, as of now.
  void record(const std::shared_ptr<StreamState>& stream, const std::shared_ptr<EventState>& event);
  void await(const std::shared_ptr<StreamState>& stream, const std::shared_ptr<EventState>& event);

  [[nodiscard]] bool has_passed(EventState& event);
  [[nodiscard]] bool is_idle(StreamState& stream);
  void wait_for(EventState& event);
  void wait_for(StreamState& stream);
  void wait_for_device(int device);
  [[nodiscard]] std::int64_t reached_ns(EventState& event);

  /// Whether the calling thread runs a host function.
  [[nodiscard]] static bool in_host_function();

 private:
  using Lock = std::unique_lock<QuietMutex>;

  void work(int device, Engine engine);
  [[nodiscard]] StreamState* next_for(int device, Engine engine);
  [[nodiscard]] bool may_begin(const StreamState& stream) const;
  void note(const StreamState& stream, Engine engine, std::int64_t begin_ns);
  void run(StreamState& stream, Lock& lock);
  void pass_marks();
  bool pass_mark(StreamState& stream);
  void push(StreamState& stream, Operation operation);
  [[nodiscard]] bool is_device_idle(int device) const;

  QuietMutex mutex_;  // guards what follows, and all states
  QuietCondition changed_;
  std::vector<std::shared_ptr<StreamState>> streams_;
  std::uint64_t queued_ = 0;
  std::uint64_t turns_ = 0;
  std::uint64_t made_ = 0;  // streams
  std::ofstream trace_;     // not open: none
  bool stops_ = false;
  std::vector<std::thread> engines_;
};

}  // namespace penstock::emulator
