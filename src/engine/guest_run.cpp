// A task on several cores whose body brings its own threads.
#include <algorithm>
#include <memory>
#include <utility>

#include "engine/domain.hpp"
#include "engine/engine.hpp"
#include "engine/views.hpp"
#include "executor/body.hpp"
#include "executor/guests.hpp"
#include "executor/steady_clock.hpp"

namespace penstock::engine {

using core::Outcome;
using executor::fails;

/// Owns itself, until the task has ended.
class Engine::GuestRun final : public executor::Gang {
 public:
  GuestRun(Engine& engine, Task& task, int cores)
      : Gang(cores), engine_(engine), task_(task), views_(task.access_count) {}

 private:
  bool prepare(executor::Worker& worker) override {
    lane_ = &lane_of(worker);
    ending_ = {look_at_inputs(task_), {}};
    if (ending_.outcome != Outcome::done) return false;
    runs_ = !fails([&] { Engine::prepare(task_, all(views_), *lane_); }, ending_.message);
    if (!runs_) ending_.outcome = Outcome::failed;
    return runs_;
  }

  /// With the lane of the worker that prepared it, which sleeps.
  void run() override {
    if (engine_.timed()) span_.begin_ns = executor::steady_now().ns;
    const bool failed = fails([&] { engine_.call(task_, all(views_), *lane_, 0, 1); }, ending_.message);
    if (failed) ending_.outcome = Outcome::failed;
    if (engine_.timed()) span_.end_ns = executor::steady_now().ns;
  }

  void refuse(const std::string& why) override {
    runs_ = false;
    ending_ = {{Outcome::failed, {}}, why};
  }

  void unpark(executor::Worker& worker, int index) override {
    worker.now_ns = 0;
    if (!runs_ || !engine_.timed()) return;
    Span span = span_;
    span.panel = index;
    span.panel_count = cores();
    engine_.tell(task_, ending_.outcome, lane_of(worker), static_cast<std::size_t>(worker.lane), span);
  }

  void finish(executor::Worker& worker) override {
    const std::unique_ptr<GuestRun> self(this);
    Lane& lane = lane_of(worker);
    engine_.end(task_, ending_, lane, static_cast<std::size_t>(worker.lane));
    engine_.start_ready(lane);
  }

  [[nodiscard]] Lane& lane_of(const executor::Worker& worker) {
    return engine_.lanes_[static_cast<std::size_t>(worker.lane)];
  }

  Engine& engine_;
  Task& task_;
  Ending ending_;
  Views views_;
  Span span_;
  Lane* lane_ = nullptr;
  bool runs_ = false;
};

void Engine::run_by_guest(Task& task, Lane& lane, std::size_t number, executor::Worker& worker) {
  const int cores = std::min<int>(task.cores, workers_.lanes());
  if (cores == 1) return run(task, lane, number, worker.now_ns);
  workers_.begin(*new GuestRun(*this, task, cores));
}

}  // namespace penstock::engine
