/// The front-end of a run, on rank 0: takes tasks in program order, stamps them, lets the pure machine decide, and
/// waits where the program looks at a value. It never computes and never touches bulk data.
///
/// Threads: any thread of the program may call the upper half; endings come from the driver and, on rank 0, from
/// workers. One mutex guards the domain and the machine; it is held while commands are delivered, so that their order
/// stays.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cluster/front_machine.hpp"
#include "frontend/failure_log.hpp"
#include "graph/domain.hpp"

namespace penstock::frontend {

/// Where commands go: to the rank's own back-end, or away through the mover. Called under the front-end's mutex.
class Delivery {
 public:
  virtual void deliver(core::RankId to, std::span<const std::byte> commands) = 0;

 protected:
  ~Delivery() = default;
};

/// The bound on what is in flight: tasks submitted and not ended, and the bytes that these write.
struct Window {
  std::uint64_t tasks = 0;
  std::int64_t bytes = 0;
};

/// A task as the program or a job submits it; already checked against its kernel. Borrowed for the call.
struct Task {
  core::KernelId kernel;
  std::uint16_t cores = 1;
  std::span<const graph::Access> accesses;
  std::span<const std::byte> parameters;  ///< encoded
  Place place;
  std::string_view name = {};  ///< of the task, for messages; empty: it is called by its kernel
};

/// A version that stays in this rank's memory until unpin().
struct Pinned {
  core::DataId data;
  core::Version version;
};

class Frontend {
 public:
  /// `kernel_name` gives the name of a kernel for messages; `cores` has one entry a rank.
  Frontend(std::span<const int> cores, Window window, std::function<std::string(core::KernelId)> kernel_name,
           Delivery& delivery);

  /// Called about ten times a second by a thread that waits in here, without the mutex: for progress and interrupts.
  /// It must not throw. Not while another thread is in here.
  void set_while_waiting(std::function<void()> while_waiting) { while_waiting_ = std::move(while_waiting); }

  [[nodiscard]] core::DataId add_data(const ArrayType& type);
  void release_data(core::DataId data);
  /// The version that the datum's first write makes.
  [[nodiscard]] core::Version first_version(core::DataId data) const;

  /// Waits while the window is full, otherwise returns at once. Throws Error (invalid_argument) for a read of a datum
  /// that was never written and for two writes of one datum; Error (lost) when the run is broken.
  void submit(const Task& task) { submit(std::span(&task, 1)); }
  /// The same for several, in order and for less; when it throws, those before the wrong one were submitted. Their ids
  /// follow each other unless another thread submits meanwhile; the first one's is returned.
  core::TaskId submit(std::span<const Task> tasks);

  /// Waits for the datum's version as of now. Throws TaskError when it could not be made.
  void wait(core::DataId data);
  /// Waits until no task is in flight, and throws TaskError when one failed since the last call.
  void wait_all();
  /// Waits until no task is in flight; failures are in counts().
  void drain();
  /// Waits for the datum's version as of now and brings it to this rank.
  [[nodiscard]] Pinned bring(core::DataId data);
  void unpin(const Pinned& pinned);

  /// From now on submit() throws Error (interrupted).
  void close();
  /// Nothing more is started anywhere; tasks that run end as they do.
  void cancel();
  /// Ends the back-ends. All tasks must have ended.
  void finish(int exit_code);
  /// The run cannot go on (MPI failed, a peer is broken): every wait and submit throws Error (lost) from now on.
  void break_off(const std::string& why);

  [[nodiscard]] Counts counts() const;
  /// What is in flight now.
  [[nodiscard]] Window in_flight() const;
  [[nodiscard]] std::vector<Failure> first_failures() const;

  // The driver's side.

  /// One endings item, tag included. Throws Error (environment) when it is not well formed.
  void on_endings(core::RankId from, std::span<const std::byte> item);
  /// Sends what submit() has kept back to make larger batches. To be called within a millisecond of any submit().
  void tick();

 private:
  class Output final : public cluster::FrontOutput {
   public:
    explicit Output(Frontend& frontend) : frontend_(frontend) {}
    void send(core::RankId to, std::span<const std::byte> commands) override;
    void ended(const cluster::EndedTask& task) override;
    void forgotten(core::DataId data) override;

   private:
    Frontend& frontend_;
  };

  using Lock = std::unique_lock<std::mutex>;
  void wait_until(Lock& lock, const std::function<bool()>& ready);
  void wait_for_room(Lock& lock);
  core::TaskId submit_one(Lock& lock, const Task& task);
  void check(const Task& task) const;
  core::TaskId enqueue(const Task& task);
  [[nodiscard]] std::string take_name(const cluster::EndedTask& task);
  core::TaskId submit_touch(const Pinned& pinned);
  void flush();
  void notify_waits();
  [[nodiscard]] core::Version current(core::DataId data) const;
  void wait_for_version(Lock& lock, const Pinned& pinned);
  [[nodiscard]] Pinned wait_pinned(core::DataId data);

  const Window window_;
  const std::function<std::string(core::KernelId)> kernel_name_;
  Delivery& delivery_;
  std::function<void()> while_waiting_;

  mutable std::mutex mutex_;  // guards everything below
  std::condition_variable ended_;
  std::vector<const std::function<bool()>*> waits_;  // what each waiting thread waits for
  graph::Domain domain_;
  Output output_{*this};
  cluster::FrontMachine machine_;
  FailureLog failures_;
  Counts counts_;
  std::uint64_t reported_not_done_ = 0;  // of counts_.not_done(): what wait_all() has thrown for
  std::int64_t bytes_in_flight_ = 0;
  std::uint64_t unsent_ = 0;       // submissions since the last flush
  std::uint64_t eager_below_ = 0;  // so few tasks bound that somebody may be idle: send at once
  bool closed_ = false;
  std::chrono::steady_clock::time_point looked_up_;
  std::string broken_;
  std::uint64_t next_task_ = 1;
  std::vector<std::pair<core::TaskId, core::Outcome>> touched_;  // ended, and not yet seen by bring()
  std::vector<graph::StampedAccess> stamped_;
  std::unordered_map<std::uint64_t, std::string> names_;  // of tasks in flight that have one; looked up only
};

}  // namespace penstock::frontend
