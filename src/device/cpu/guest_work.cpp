#include "device/cpu/guest_work.hpp"

#include <algorithm>
#include <memory>

#include "device/cpu/run_work.hpp"
#include "executor/steady_clock.hpp"

namespace penstock::device {

GuestWork::GuestWork(executor::Workers& workers, Completions& completions, std::span<Work* const> pieces)
    : Gang(std::min(static_cast<int>(pieces.size()), workers.lanes())),
      workers_(workers),
      completions_(completions),
      pieces_(pieces.begin(), pieces.end()) {
  job().run = begin;
  pieces_.front()->started_on = this;
}

/// The task's turn has come.
void GuestWork::begin(executor::Job& job, executor::Worker& worker) {
  GuestWork& work = *static_cast<GuestWork*>(work_of(job).started_on);
  if (work.cores() > 1) return work.workers_.begin(work);
  work.run();
  work.unpark(worker, 0);
  work.finish(worker);
}

bool GuestWork::prepare(executor::Worker& /*worker*/) {
  return true;  // on the thread that calls the body
}

void GuestWork::run() {
  thread_local std::vector<Parameter> parameters;
  completion_.begin_ns = executor::steady_now().ns;
  run_work(*pieces_.front(), completions_, parameters, completion_);
  completion_.end_ns = executor::steady_now().ns;
}

void GuestWork::refuse(const std::string& why) {
  completion_.failed = true;
  completion_.message = why;
  completion_.begin_ns = completion_.end_ns = executor::steady_now().ns;
}

/// Where there are more pieces than workers, those beyond took no time.
void GuestWork::unpark(executor::Worker& worker, int index) {
  worker.now_ns = 0;
  const auto step = static_cast<std::size_t>(cores());
  for (auto i = static_cast<std::size_t>(index); i < pieces_.size(); i += step) {
    Completion own = completion_;
    own.work = pieces_[i];
    own.lane = worker.lane;
    if (i >= step) own.begin_ns = own.end_ns;
    completions_.completed({&own, 1});
  }
}

void GuestWork::finish(executor::Worker& /*worker*/) { const std::unique_ptr<GuestWork> self(this); }

}  // namespace penstock::device
