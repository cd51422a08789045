/// The back-end of one rank: takes the front-end's commands, runs the edges between its tasks, has the mover fetch what
/// is missing, hands ready tasks to devices, and reports endings in batches.
///
/// Threads: receive() is called by the driver thread, on rank 0 also by whoever holds the front-end's mutex;
/// completions come from the devices' threads. One mutex guards the rank's machine and the records; it is never held
/// while the front-end is called, and the front-end's mutex may be held while it is taken. Running and releasing tasks
/// takes neither. That of GpuTasks may be taken under it.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "backend/gpu_tasks.hpp"
#include "backend/lane_buffers.hpp"
#include "backend/placement.hpp"
#include "backend/task.hpp"
#include "cluster/rank_machine.hpp"
#include "device/device.hpp"
#include "memory/host_pool.hpp"
#include "mover/mover.hpp"
#include "trace/recorder.hpp"

namespace penstock::backend {

/// Where a rank's endings go: on rank 0 straight into the front-end, elsewhere through the mover.
class Reports {
 public:
  /// One endings item; any thread; valid for the call.
  virtual void endings(std::span<const std::byte> item) = 0;

 protected:
  ~Reports() = default;
};

/// A device as the report names it.
struct OwnedDevice {
  std::string name;
  std::unique_ptr<device::Device> device;
};

class Backend {
 public:
  /// `kernels` is the table of the process and must outlive the back-end.
  Backend(std::span<const KernelDescription* const> kernels, mover::Mover& mover, Reports& reports);
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  ~Backend();

  /// What the device that will be number `devices added so far` reports to. Devices are added before the first command;
  /// number 0 is the cores.
  [[nodiscard]] device::Completions& completions_for_next_device();
  void add_device(OwnedDevice device);
  /// What the GPU that will be the next device reports to; asked for again when it could not be had.
  struct GpuOwner {
    device::Completions& completions;
    device::TransferEnds& transfers;
  };
  [[nodiscard]] GpuOwner owner_of_next_gpu();
  /// Host memory for the transfers of GPUs, before the first of them.
  void use_pinned(memory::PinnedPool::Source source, std::size_t bytes_most) {
    pool_.use_pinned(std::move(source), bytes_most);
  }
  /// Its memory is then managed here.
  void add_gpu(std::string name, std::unique_ptr<device::Accelerator> gpu);
  [[nodiscard]] std::size_t devices() const { return devices_.size(); }
  [[nodiscard]] const device::Device& device(std::size_t index) const { return *devices_[index].device; }
  /// Of the GPU that has most, for tasks; 0: there is none.
  [[nodiscard]] std::size_t gpu_memory_most() const;
  [[nodiscard]] const std::string& device_name(std::size_t index) const { return devices_[index].name; }
  /// From now on what runs is recorded: the recorder's first lanes are those of the devices, in their order, of a GPU
  /// with one more for its transfers. Before the first command; until stop().
  void trace(trace::Recorder& recorder) { recorder_ = &recorder; }
  /// Pieces of work that are ready and not begun, and the bytes of replicas. Hints, for the trace; any thread.
  [[nodiscard]] std::size_t waiting() const;
  [[nodiscard]] std::size_t memory_bytes() const { return pool_.used_bytes(); }
  /// After the last device, on a rank with GPUs: which of them runs what. Null on one without.
  [[nodiscard]] Placement* placement() { return placement_ ? &*placement_ : nullptr; }

  /// Carries out a batch of commands. Throws Error (environment) when it is not well formed.
  void receive(std::span<const std::byte> commands);
  /// Tasks that have not begun end as cancelled. Any thread.
  void cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  /// Driver thread: looks at devices that must be asked, and settles what lanes hold back. True when there was
  /// anything.
  bool progress();
  /// Driver thread, from the mover's events.
  void fetched(coherence::SlotIndex slot);
  [[nodiscard]] mover::Serving serve(core::DataId data, core::Version version);
  void served(coherence::ReplicaIndex replica);

  /// A settled version, in host memory; the front-end has pinned it. Waits while it comes there from a GPU, or is made
  /// again because that has failed. Throws Error (lost) when it cannot be had.
  [[nodiscard]] std::byte* bytes_of(core::DataId data, core::Version version);

  /// Tasks are here that have not been settled.
  [[nodiscard]] bool busy() const { return unsettled_.load(std::memory_order_relaxed) > 0; }
  /// Some device must be asked for its completions soon.
  [[nodiscard]] bool busy_polling() const;
  /// The finish command came, the last one.
  [[nodiscard]] bool told_to_finish() const { return told_to_finish_.load(std::memory_order_acquire); }
  /// Ends the devices. No task may be left. Fills in the devices of the last message.
  void stop(std::vector<cluster::DeviceReport>& reports);

 private:
  /// What one device reports to.
  class Link final : public device::Completions {
   public:
    Link(Backend& backend, core::DeviceId device, std::size_t first_lane)
        : backend_(backend), device_(device), first_lane_(first_lane) {}
    bool prepare(device::Work& work) override;
    void completed(std::span<device::Completion> completions) override;
    void idle(int lane) override {
      if (backend_.begun_.load(std::memory_order_acquire)) backend_.settle(lane_of(lane));
    }
    [[nodiscard]] std::size_t lane_of(int lane) const { return first_lane_ + static_cast<std::size_t>(lane); }
    /// Of a GPU: the time in which any of its queues was busy.
    [[nodiscard]] std::int64_t busy_ns() const { return busy_ns_; }

   private:
    void count_busy(std::span<const device::Completion> completions);

    Backend& backend_;
    core::DeviceId device_;
    std::size_t first_lane_;
    std::int64_t busy_ns_ = 0;  // of a GPU, as the next; by its completions, one caller at a time
    std::int64_t busy_until_ns_ = 0;
  };

  /// What one GPU reports transfers to.
  class GpuLink final : public device::TransferEnds {
   public:
    GpuLink(Backend& backend, core::DeviceId device) : backend_(backend), device_(device) {}
    void prepare(device::Transfer& transfer) override { backend_.gpu_tasks_->prepare(transfer); }
    void transferred(std::span<device::TransferEnd> ends) override;

   private:
    Backend& backend_;
    core::DeviceId device_;
  };

  void receive_item(core::ByteReader& reader, cluster::Settled& settled, std::vector<executor::Node*>& ready);

  // admission.cpp: what command_ becomes
  void admit(std::vector<executor::Node*>& ready);
  Task& record(coherence::SlotIndex slot);
  Storage& storage(coherence::StorageIndex index);
  void fill(Task& task);
  void place(Task& task);
  void fill_operands(Task& task);
  void begin_fetch(const cluster::Admission::Fetch& order, Task& consumer);
  void fill_panels(Task& task);

  // recording.cpp
  void record(const Task& task, core::DeviceId device, const device::Completion& completion);
  void record_copies(core::DeviceId device, std::span<const device::TransferEnd> ends);

  // running.cpp
  void start(std::vector<executor::Node*>& ready);
  static void start_panels(Task& task, std::vector<device::Work*>& work);
  [[nodiscard]] bool may_run(Task& task);
  [[nodiscard]] bool prepare_once(Task& task);
  [[nodiscard]] bool prepare(Task& task);
  bool finish(Task& task, std::size_t lane, std::vector<executor::Node*>& ready);
  void finish_touch(Task& task, std::vector<executor::Node*>& ready);
  void finished_here(Task& task, core::TaskId cause);
  bool settle(std::size_t lane);

  // gpu_running.cpp: on a rank with GPUs
  void carry_out(GpuTasks::Effects& effects, std::vector<device::Work*>& work, std::vector<executor::Node*>& ready);
  void carry_out(GpuTasks::Effects& effects);
  bool launch_next(GpuTasks::Effects& effects, std::vector<device::Work*>& work, std::vector<executor::Node*>& ready);
  void launched(const GpuTasks::Effects::Launched& launched, std::vector<executor::Node*>& ready);
  void refused(GpuTasks::Effects::Refused& refused, GpuTasks::Effects& effects, std::vector<executor::Node*>& ready);
  [[nodiscard]] bool gpus_are_busy() const;
  [[nodiscard]] bool bring_to_host(const Storage& storage);
  void look_for_failed_gpus();
  void say_failed(int gpu) const;
  void end_unrun(Task& task, std::vector<executor::Node*>& ready);
  static void write_endings(std::span<const Finished> finished, std::vector<std::byte>& item);
  /// Carries out what the machine set free. Under the mutex; the caller frees and starts without it.
  void release(cluster::Settled& settled, std::vector<Storage*>& freed, std::vector<executor::Node*>& ready);
  void free(std::span<Storage* const> storages);
  void recycle(std::span<Storage* const> storages);

  const std::span<const KernelDescription* const> kernels_;
  mover::Mover& mover_;
  Reports& reports_;
  memory::HostPool pool_;

  std::mutex mutex_;  // guards the machine, the growth of the two deques, and the scratch of receive()
  cluster::RankMachine machine_;
  std::deque<Task> tasks_;          // by slot
  std::vector<Storage*> storages_;  // by storage index
  cluster::Admission admission_;
  cluster::TaskCommand command_;

  std::mutex storages_mutex_;         // guards the next two
  std::deque<Storage> all_storages_;  // those of storages_, those still in use by transfers, and idle ones
  std::vector<Storage*> idle_storages_;

  trace::Recorder* recorder_ = nullptr;  // none: nothing is recorded
  std::deque<Link> links_;
  std::deque<GpuLink> gpu_links_;
  std::vector<device::Accelerator*> gpus_;  // of devices_
  std::optional<GpuTasks> gpu_tasks_;       // where there are any, ...
  std::optional<Placement> placement_;      // ... as this
  std::vector<OwnedDevice> devices_;
  std::unique_ptr<LaneBuffers> lanes_;  // those of all devices, and a last one for what ends without a device

  std::atomic<bool> begun_{false};           // release at each command, acquire by lanes: all devices are there
  std::atomic<std::int64_t> unsettled_{0};   // a hint for the driver's sleep; orders nothing
  std::atomic<bool> cancelled_{false};       // orders nothing: a task may start just after the cancel
  std::atomic<bool> told_to_finish_{false};  // release after the last command, acquire by the driver
};

}  // namespace penstock::backend
