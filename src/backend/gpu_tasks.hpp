/// What tasks of a rank with GPUs need before they can run: their operands where they run, as coherence::GpuMemories
/// decides it, carried out by the accelerators. Tasks for cores pass here too, as what they read may be in a GPU's
/// memory.
///
/// Threads: any. One mutex guards the machine; it is held while accelerators are given work, so that their order is the
/// machine's, and nothing else is called under it. What is to be done once it is released is in Effects.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "backend/task.hpp"
#include "coherence/gpu_memories.hpp"
#include "device/device.hpp"
#include "executor/node.hpp"
#include "memory/host_pool.hpp"

namespace penstock::backend {

class GpuTasks final : private coherence::GpuOrders {
 public:
  /// For the caller, in this order.
  struct Effects {
    struct Launched {
      Task* task;
      executor::QueuePoint point;
    };
    struct Refused {
      Task* task;
      coherence::Refusal why;
      std::string message;
    };
    std::vector<Launched> launched;  ///< each has one piece more in Task::panels_left, for the caller to take off
    std::vector<Task*> on_host;      ///< to be started on cores, as are those that make again what was lost, ...
    std::vector<Task*> remakes;      ///< ... whose ends are for made_again()
    std::vector<Refused> refused;
    std::vector<Storage*> released;  ///< dropped, and free to be used again
    std::vector<int> failed;         ///< GPUs, which are not used any more from now on

    [[nodiscard]] bool empty() const {
      return launched.empty() && on_host.empty() && remakes.empty() && refused.empty() && released.empty() &&
             failed.empty();
    }
  };

  /// GPU number n of these is the rank's device n + 1.
  GpuTasks(memory::HostPool& pool, std::span<device::Accelerator* const> gpus);

  /// A storage of `storage.bytes` without content.
  void attach(Storage& storage);
  void drop(std::span<Storage* const> storages, Effects& effects);
  /// Host memory holds what another rank has sent.
  void made_on_host(const Storage& storage);
  /// A task that may run on its device, as far as other tasks are concerned.
  void run(Task& task, Effects& effects);
  /// Launches what is next on each GPU; false: nothing may be launched now. To be called until then whenever something
  /// has happened, each time after the tasks that became ready by it have been given to run().
  bool launch_next(Effects& effects);
  /// On GPU `gpu`. A completion becomes a failed one when what the task was to read has not come.
  void ended(int gpu, std::span<device::Completion> completions, Effects& effects);
  void transferred(int gpu, std::span<const device::TransferEnd> ends, Effects& effects);
  /// `remake` is over, and goes.
  void made_again(const Task& remake, bool well, Effects& effects);
  void lose_if_broken(int gpu, Effects& effects);
  /// What a transfer that has not been reported moves.
  struct Moved {
    core::DataId data;
    core::Version version;
  };
  [[nodiscard]] Moved moved(const device::Transfer& transfer);
  /// On the GPU's own thread: host memory for a transfer.
  void prepare(device::Transfer& transfer);

  /// True: host memory has it. False: it was ordered; ask again. Throws Error (lost) when it was only on a GPU that has
  /// failed, and cannot be made again.
  [[nodiscard]] bool bring_to_host(const Storage& storage, Effects& effects);
  /// Waits until what was ordered has come or failed.
  void wait_for_host(const Storage& storage);

  /// Of what the task reads, that neither is nor will be in the memory of the device (0: the host's), as far as can be
  /// told.
  [[nodiscard]] std::size_t missing_bytes(int device, const Task& task);
  [[nodiscard]] bool could_fit(int gpu, std::size_t bytes) const { return bytes <= machine_.capacity(gpu); }
  [[nodiscard]] coherence::GpuTraffic traffic(int gpu);

 private:
  coherence::Point transfer(const coherence::TransferOrder& order) override;
  coherence::Point launch(const coherence::LaunchOrder& order) override;
  void start_on_host(coherence::SlotIndex task) override;
  void refuse(coherence::SlotIndex task, int gpu, coherence::Refusal why) override;
  void released(coherence::BlockIndex block) override;
  bool make_again(coherence::BlockIndex block) override;

  /// A task that makes a lost content again.
  struct Remake {
    KernelDescription kernel;
    Task task;
  };
  [[nodiscard]] device::Accelerator& gpu(int number) { return *gpus_[static_cast<std::size_t>(number)]; }
  [[nodiscard]] std::span<const device::Token> tokens(const coherence::Frontier& after);
  [[nodiscard]] std::string why_lost() const;
  void remember(Task& task);
  void lose_if_broken(int number);
  void hand_over(Effects& effects);

  memory::HostPool& pool_;
  const std::vector<device::Accelerator*> gpus_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable came_to_host_;
  coherence::GpuMemories machine_;
  Effects effects_;
  std::vector<Storage*> blocks_;            // by block
  std::vector<Task*> tasks_;                // by slot
  std::deque<device::Transfer> transfers_;  // by transfer
  std::vector<Moved> moved_;                // by transfer
  std::vector<coherence::BlockUse> uses_;   // of run()
  std::vector<device::Token> tokens_;
  Lineage lineage_;
  std::list<Remake> remakes_;
  std::string transfer_failed_;  // with this message, the last that did
};

}  // namespace penstock::backend
