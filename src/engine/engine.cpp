#include "engine/engine.hpp"

#include <algorithm>

#include "engine/domain.hpp"

namespace penstock::engine {

Engine::Engine(std::span<const KernelDescription* const> kernels, executor::Workers& workers, memory::HostPool& buffers)
    : kernels_(kernels), workers_(workers), buffers_(buffers) {
  for (int lane = 0; lane < workers.lanes(); ++lane) lanes_.emplace_back(tasks_, versions_, buffers_);
  workers.attach(*this);
}

void Engine::add(Domain& domain) {
  const std::lock_guard lock(domains_mutex_);
  domains_.push_back(&domain);
}

void Engine::remove(Domain& domain) {
  const std::lock_guard lock(domains_mutex_);
  std::erase(domains_, &domain);
}

void Engine::hand_over(bool may_wait) {
  const std::lock_guard lock(domains_mutex_);
  for (Domain* const domain : domains_) domain->hand_over(may_wait);
}

void Engine::idle() {
  const std::lock_guard lock(domains_mutex_);
  for (Domain* const domain : domains_) domain->notify_waits();
}

Engine::Statistics Engine::statistics() const {
  Statistics sum;
  for (const Lane& lane : lanes_) {
    sum.tasks += lane.ran.load(std::memory_order_relaxed);
    sum.busy_ns += lane.busy_ns.load(std::memory_order_relaxed);
  }
  return sum;
}

void Engine::start_ready(Lane& lane) {
  if (lane.ready.empty()) return;
  workers_.push(lane.ready);
  lane.ready.clear();
}

void Engine::satisfy(Task& task, Lane& lane) {
  if (task.unmet().fetch_sub(1, std::memory_order_acq_rel) == 1) lane.ready.push_back(&task.job);
}

void Engine::drop(Version& version, std::int64_t count, Lane& lane) {
  if (!version.users.drop(count)) return;
  if (version.consumer != nullptr)
    satisfy(*version.consumer, lane);
  else
    end(version, lane);
}

void Engine::end(Version& version, Lane& lane) {
  if (version.data != nullptr) lane.buffers.free(version.data, version.bytes);
  lane.versions.free(&version);
}

}  // namespace penstock::engine
