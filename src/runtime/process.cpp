#include "runtime/process.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace penstock::runtime::process {

namespace {

constexpr std::chrono::seconds bodies_end_within{1};
constexpr std::chrono::microseconds look_again{500};

struct Tenants {
  std::mutex mutex;  ///< guards what follows
  std::vector<Tenant*> all;
  std::thread::id exiting;  ///< written before the epoch says so
  bool watched = false;     ///< the process's handlers are there
};

/// Never destroyed: its users may be static objects, or threads that outlive main().
Tenants& tenants() {
  static Tenants& instance = *new Tenants;
  return instance;
}

// No other thread may hold the mutex when the child is copied.
void before_fork() { tenants().mutex.lock(); }
void in_parent() { tenants().mutex.unlock(); }
void in_child() {
  tenants().all.clear();
  current_id.store(getpid(), std::memory_order_relaxed);
  current_epoch.fetch_add(2, std::memory_order_relaxed);
  tenants().mutex.unlock();
}

bool all_stop_by(std::chrono::steady_clock::time_point deadline) {
  const std::vector<Tenant*>& all = tenants().all;
  while (!std::ranges::all_of(all, &Tenant::stopped)) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(look_again);
  }
  return true;
}

[[noreturn]] void end_now(int status) {
  // A body that is stuck may hold the stream; then what is in it is lost.
  if (ftrylockfile(stdout) == 0) std::fflush(stdout);
  _exit(status);
}

void at_exit(int status, void* /*unused*/) {
  const std::lock_guard lock(tenants().mutex);
  if (exits()) return;
  tenants().exiting = std::this_thread::get_id();
  current_epoch.fetch_or(1, std::memory_order_release);
  const auto deadline = std::chrono::steady_clock::now() + bodies_end_within;
  for (Tenant* const tenant : tenants().all) tenant->stop();
  if (!all_stop_by(deadline)) end_now(status);
}

}  // namespace

void add(Tenant& tenant) {
  const std::lock_guard lock(tenants().mutex);
  if (!tenants().watched) {
    tenants().watched = true;
    current_id.store(getpid(), std::memory_order_relaxed);
    pthread_atfork(before_fork, in_parent, in_child);
    on_exit(at_exit, nullptr);
  }
  tenants().all.push_back(&tenant);
}

void remove(Tenant& tenant) {
  {
    const std::lock_guard lock(tenants().mutex);
    std::erase(tenants().all, &tenant);
  }
  if (exits() && !exits_here()) await_end();
}

void stop_before_statics() { on_exit(at_exit, nullptr); }

bool exits_here() {
  std::atomic_thread_fence(std::memory_order_acquire);
  return tenants().exiting == std::this_thread::get_id();
}

void await_end() {
  while (true) pause();
}

}  // namespace penstock::runtime::process
