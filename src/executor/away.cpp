// How lanes pass between threads.
#include <utility>

#include "core/assert.hpp"
#include "executor/workers.hpp"

namespace penstock::executor {

Workers::Away::Away(Workers& workers) : workers_(workers), worker_(workers.current()) {
  if (worker_ == nullptr)
    gang_ = &workers_.guests_.step_aside();
  else
    workers_.give_away(workers_.place(worker_->lane));
}

Workers::Away::~Away() {
  if (worker_ == nullptr)
    workers_.guests_.step_back(*gang_);
  else
    workers_.take_back(workers_.place(worker_->lane));
}

/// To who wants the lane, otherwise to a spare thread.
void Workers::give_away(Place& place) {
  Worker& worker = place.worker;
  ++worker.away;
  worker.now_ns = 0;
  current_ = nullptr;
  if (place.seat.wanted()) return pass(place);
  try {
    substitutes_.begin(worker.lane);
  } catch (...) {
    current_ = &worker;
    --worker.away;
    throw;
  }
}

/// Runs jobs on the lane until another thread wants it; there is one, as long as threads are away.
void Workers::work_as_substitute(int lane) {
  Place& own = place(lane);
  is_worker_ = true;
  current_ = &own.worker;
  const bool wanted = run_jobs(own);
  current_ = nullptr;
  PENSTOCK_ASSERT(wanted);
}

/// To who wants the lane, which goes on with a job that it had begun: others run what is there.
void Workers::pass(Place& place) {
  Worker& worker = place.worker;
  worker.now_ns = 0;
  if (Job* const next = std::exchange(worker.next, nullptr)) pool_.push({&next, 1});
  pool_.take_none();
  const bool passed = place.seat.pass();
  PENSTOCK_ASSERT(passed);
}

void Workers::take_back(Place& place) {
  Seat::Wish wish;
  place.seat.wish(wish);
  pool_.call(place.worker.lane);
  place.seat.wait(wish);
  --place.worker.away;
  current_ = &place.worker;
}

}  // namespace penstock::executor
