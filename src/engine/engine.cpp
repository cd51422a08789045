#include "engine/engine.hpp"

#include <pthread.h>

#include <algorithm>

#include "engine/domain.hpp"

namespace penstock::engine {

Engine::Engine(std::span<const KernelDescription* const> kernels, executor::Workers& workers, memory::HostPool& buffers,
               std::int64_t short_ns)
    : kernels_(kernels), workers_(workers), buffers_(buffers), times_(kernels.size(), short_ns) {
  for (int lane = 0; lane < workers.lanes(); ++lane) lanes_.emplace_back(tasks_, versions_, buffers_);
  workers.attach(*this);
}

thread_local Task* Engine::current_ = nullptr;

Engine* Engine::here() {
  if (current_ != nullptr) return &current_->domain().engine();
  return static_cast<Engine*>(executor::Workers::supplier_here());
}

namespace {

/// Below this address half of the thread's stack is used.
std::uintptr_t middle_of_stack() {
  pthread_attr_t attributes;
  void* lowest = nullptr;
  std::size_t bytes = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return UINTPTR_MAX;  // unknown: taken for deep
  pthread_attr_getstack(&attributes, &lowest, &bytes);
  pthread_attr_destroy(&attributes);
  return reinterpret_cast<std::uintptr_t>(lowest) + bytes / 2;
}

}  // namespace

bool Engine::stack_is_deep() {
  thread_local const std::uintptr_t middle = middle_of_stack();
  return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) < middle;
}

void Engine::add(Domain& domain) {
  const std::lock_guard lock(domains_mutex_);
  domains_.push_back(&domain);
}

void Engine::remove(Domain& domain) {
  const std::lock_guard lock(domains_mutex_);
  std::erase(domains_, &domain);
}

void Engine::offer() {
  const std::unique_lock lock(domains_mutex_, std::try_to_lock);
  if (!lock) return;
  for (Domain* const domain : domains_) domain->offer();
}

bool Engine::idle() {
  const std::lock_guard lock(domains_mutex_);
  bool runs = false;
  for (Domain* const domain : domains_) runs = domain->on_idle() || runs;
  return runs;
}

void Engine::push_returned() {
  const std::lock_guard lock(domains_mutex_);
  for (Domain* const domain : domains_) domain->push_returned();
}

Engine::Statistics Engine::statistics() const {
  Statistics sum;
  for (const Lane& lane : lanes_) sum.add(lane);
  return sum;
}

void Engine::start_ready(Lane& lane) {
  if (lane.ready.empty()) return;
  workers_.push(lane.ready);
  lane.ready.clear();
}

void Engine::satisfy(Task& task, Lane& lane) {
  if (task.unmet().fetch_sub(1, std::memory_order_acq_rel) == 1) task.domain().engine().make_ready(task, lane);
}

void Engine::drop(Version& version, std::int64_t count, Lane& lane) {
  if (!version.users.drop(count)) return;
  if (version.consumer != nullptr)
    satisfy(*version.consumer, lane);
  else
    end(version, lane);
}

void Engine::end(Version& version, Lane& lane) {
  if (version.data != nullptr && version.borrowed == 0) lane.buffers.free(version.data, version.bytes);
  lane.versions.free(&version);
}

}  // namespace penstock::engine
