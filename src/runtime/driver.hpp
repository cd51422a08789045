/// The driver of a rank: the one thread that uses the transport, and ties mover, back-end and, on rank 0, front-end
/// together. It sleeps while nothing is to be done; it looks up every millisecond while tasks are here.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <vector>

#include "backend/backend.hpp"
#include "cluster/messages.hpp"
#include "frontend/frontend.hpp"
#include "mover/mover.hpp"
#include "runtime/rank_trace.hpp"

namespace penstock::runtime {

class Driver final : public mover::MoverEvents, public backend::Reports, public frontend::Delivery {
 public:
  explicit Driver(mover::Mover& mover) : mover_(mover) {}

  /// To be called before run(); `frontend` is null but on rank 0. `begin_trace` is called on other ranks when rank 0
  /// orders it.
  void attach(backend::Backend& backend, frontend::Frontend* frontend, RankTrace& trace,
              std::function<void(const cluster::TraceOrder&)> begin_trace);
  /// Messages of rank 0 that came before run().
  void hear(std::span<const std::byte> early) { message(core::front_rank, early); }

  /// Until the front-end said finish and all is done: on rank 0 that includes the last message of every other rank.
  /// Throws Error when MPI fails or a peer is broken.
  void run();
  /// Has run() return soon although the run has not ended, or as soon as it is called. Any thread.
  void abandon();
  /// Whether a thread is in run(). Any thread.
  [[nodiscard]] bool runs() const { return runs_.load(std::memory_order_acquire); }
  /// Sends this rank's last message, or keeps it on rank 0.
  void say_bye(cluster::Bye bye);
  /// On rank 0 after run() and say_bye(): what each rank did.
  [[nodiscard]] const std::vector<cluster::Bye>& byes() const { return byes_; }

  // From the back-end and the front-end; any thread.
  void endings(std::span<const std::byte> item) override;
  void deliver(core::RankId to, std::span<const std::byte> commands) override;
  std::byte* bytes_of(core::DataId data, core::Version version) override { return backend_->bytes_of(data, version); }

 private:
  void message(core::RankId from, std::span<const std::byte> message) override;
  mover::Serving serve(core::DataId data, core::Version version) override { return backend_->serve(data, version); }
  void served(coherence::ReplicaIndex replica) override { backend_->served(replica); }
  void fetched(coherence::SlotIndex slot) override { backend_->fetched(slot); }

  void run_until_finished();
  [[nodiscard]] bool finished();
  void tell_clock(core::RankId to, const cluster::Ping& ping);
  [[nodiscard]] std::chrono::nanoseconds sleep_limit() const;

  mover::Mover& mover_;
  backend::Backend* backend_ = nullptr;
  frontend::Frontend* frontend_ = nullptr;
  RankTrace* trace_ = nullptr;
  std::function<void(const cluster::TraceOrder&)> begin_trace_;
  std::atomic<bool> runs_{false};       // release at the end of run()
  std::atomic<bool> abandoned_{false};  // orders nothing: run() only looks whether to go on
  std::vector<cluster::Bye> byes_;
  int byes_heard_ = 0;
  static constexpr std::chrono::milliseconds idle_limit_least{10};
  static constexpr std::chrono::milliseconds idle_limit_most{50};
  std::chrono::milliseconds idle_limit_ = idle_limit_least;  // of one sleep; it grows while nothing happens
};

}  // namespace penstock::runtime
