/// The trace of this rank: begins it when rank 0 says so, samples its counters, and compares its clock with rank 0's.
/// Owned by the session. begin() is called before the first task of the run, on rank 0 by the main thread, elsewhere by
/// the driver; everything else is the driver thread's.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "backend/backend.hpp"
#include "cluster/messages.hpp"
#include "engine/engine.hpp"
#include "frontend/frontend.hpp"
#include "mover/mover.hpp"
#include "runtime/clock_exchange.hpp"
#include "trace/reader.hpp"
#include "trace/recorder.hpp"

namespace penstock::runtime {

class RankTrace {
 public:
  /// `frontend` is null but on rank 0. All must outlive the trace.
  RankTrace(backend::Backend& backend, engine::Engine& engine, mover::Mover& mover, frontend::Frontend* frontend)
      : backend_(backend), engine_(engine), mover_(mover), frontend_(frontend) {}

  /// Records from now on into a file of this rank in `folder`, `bytes` of events at most. `description` is JSON. Throws
  /// Error (environment), one line, when the file cannot be made: the run can go on without.
  void begin(const std::filesystem::path& folder, std::int64_t bytes, const std::string& description);

  /// Where names of data and tasks go: a lane that rank 0's main thread alone writes. Null: nothing is recorded.
  [[nodiscard]] trace::Lane* front_lane();

  /// To be called in every turn of the driver: counters about once a millisecond, questions for rank 0's clock.
  /// Whether there is something to count: tasks are under way, and a trace is.
  bool look(core::Instant now);
  /// Rank 0's answer came.
  void hear(const cluster::Pong& pong, core::Instant now);
  /// A question is under way, whose answer must come before the run may end.
  [[nodiscard]] bool asking() const { return clock_.asking(); }

  /// Nothing is recorded any more: the devices have ended.
  void end();

 private:
  [[nodiscard]] bool busy() const;
  void sample(trace::Lane& lane, core::Instant now);
  [[nodiscard]] trace::Lane& driver_lane() { return recorder_->lane(recorder_->lanes() - 2); }

  backend::Backend& backend_;
  engine::Engine& engine_;
  mover::Mover& mover_;
  frontend::Frontend* const frontend_;
  std::unique_ptr<trace::Recorder> recorder_;
  std::atomic<bool> begun_{false};  // release by begin(), acquire by the driver: the recorder is there
  bool mover_told_ = false;
  core::Instant sampled_;
  ClockExchange clock_;
};

}  // namespace penstock::runtime
