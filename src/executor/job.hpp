/// What workers run: a task or a panel of one. A job is a part of a record that belongs to whoever pushed it; it stays
/// where it is until it has run, and may be gone as soon as its function returns.
#pragma once

#include <cstdint>

namespace penstock::executor {

struct Worker;

struct Job {
  using Run = void (*)(Job& job, Worker& worker);

  Run run = nullptr;          ///< called once, on a worker; must not throw
  std::int32_t priority = 0;  ///< larger first; 0 is where order is first come, first served
  /// Its owner's, who counts here what the job still waits for before it is pushed: beside the rest, in one cache line.
  std::int32_t unmet = 0;
};

}  // namespace penstock::executor
