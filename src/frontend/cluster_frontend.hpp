/// The front-end of a run of several ranks: stamps tasks, lets the pure machine decide, and has its commands delivered.
/// It never computes and never touches bulk data.
///
/// Threads: as any Frontend; endings come from the driver and, on rank 0, from workers. One mutex guards the domain and
/// the machine; it is held while commands are delivered, so that their order stays.
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
#include "frontend/frontend.hpp"
#include "graph/domain.hpp"

namespace penstock::frontend {

class ClusterFrontend final : public Frontend {
 public:
  /// `kernels`: by id, to outlive it. submit() throws Error (invalid_argument) too for a task without a body for cores
  /// whose arrays fit into no rank's GPU.
  ClusterFrontend(std::span<const cluster::RankSize> ranks, Window window,
                  std::span<const KernelDescription* const> kernels, Delivery& delivery);

  [[nodiscard]] core::DataId add_data(const ArrayType& type) override;
  [[nodiscard]] core::Version first_version(core::DataId data) const override;
  void unpin(const Pinned& pinned) override;
  using Frontend::wait_all;
  using Frontend::wait_for;
  bool wait_for(const Pinned& pinned, const Deadline& deadline) override;
  void fetch(Pinned& pinned) override;
  bool wait_all(const Deadline& deadline) override;
  void drain() override;
  [[nodiscard]] Group* add_group() override { return new Group; }
  bool wait_for(const Group& group, const Deadline& deadline) override;
  void cancel(Group& group) override;
  void cancel(core::TaskId task) override;
  [[nodiscard]] Resource* add_resource(std::int64_t amount) override;
  void close() override;
  void cancel() override;
  void finish() override;
  void break_off(const std::string& why) override;
  [[nodiscard]] Counts counts() const override;
  [[nodiscard]] Window in_flight() const override;
  [[nodiscard]] std::vector<Failure> first_failures() const override;
  [[nodiscard]] std::vector<Skipped> first_skipped() const override;
  void on_endings(core::RankId from, std::span<const std::byte> item) override;
  void tick() override;

 private:
  class Output final : public cluster::FrontOutput {
   public:
    explicit Output(ClusterFrontend& frontend) : frontend_(frontend) {}
    void send(core::RankId to, std::span<const std::byte> commands) override;
    void ended(const cluster::EndedTask& task) override;
    void forgotten(core::DataId data) override;

   private:
    ClusterFrontend& frontend_;
  };

  core::TaskId take(std::span<const Task> tasks) override;
  [[nodiscard]] Pinned hold(core::DataId data, bool for_view) override;
  void drop(core::DataId data) override;
  [[nodiscard]] engine::Standing standing(core::DataId data) const override;

  using Lock = std::unique_lock<std::mutex>;
  bool wait_until(Lock& lock, const std::function<bool()>& ready, const Deadline& deadline = std::nullopt);
  void wait_for_room(Lock& lock);
  core::TaskId submit_one(Lock& lock, const Task& task);
  void check(const Task& task) const;
  [[nodiscard]] std::int64_t gpu_bytes_of(const Task& task) const;
  core::TaskId enqueue(const Task& task);
  [[nodiscard]] std::span<const cluster::Need> needs_of(const Task& task);
  void leave_group(core::TaskId task);
  void bring_here(const Pinned& pinned);
  core::TaskId submit_touch(const Pinned& pinned);
  void flush();
  void notify_waits();
  [[nodiscard]] core::Version current(core::DataId data) const;

  const Window window_;
  const std::span<const KernelDescription* const> kernels_;
  Delivery& delivery_;

  mutable std::mutex mutex_;  // guards everything below
  std::condition_variable ended_;
  std::vector<const std::function<bool()>*> waits_;  // what each waiting thread waits for
  graph::Domain domain_;
  Output output_{*this};
  cluster::FrontMachine machine_;
  FailureLog failures_;
  Counts counts_;
  std::int64_t bytes_in_flight_ = 0;
  std::uint64_t unsent_ = 0;         // submissions since the last flush
  std::int64_t gpu_bytes_most_ = 0;  // of a rank's GPU
  std::uint64_t eager_below_ = 0;    // so few tasks bound that somebody may be idle: send at once
  bool closed_ = false;
  std::chrono::steady_clock::time_point looked_up_;
  std::string broken_;
  std::uint64_t next_task_ = 1;
  std::vector<std::pair<core::TaskId, core::Outcome>> touched_;  // ended, and not yet seen by fetch()
  std::vector<graph::StampedAccess> stamped_;
  std::unordered_map<std::uint64_t, Group*> groups_;  // of tasks in flight that are in one
  std::vector<std::unique_ptr<Resource>> resources_;  // by number
  std::vector<cluster::Need> needs_;
};

}  // namespace penstock::frontend
