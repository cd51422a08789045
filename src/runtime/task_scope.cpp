// The runtime of a task: a domain of its own on the engine that runs it.
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>

#include <penstock/runtime.hpp>

#include "engine/domain.hpp"
#include "engine/engine.hpp"
#include "frontend/local_frontend.hpp"
#include "kernels/table.hpp"
#include "kernels/without_gpus.hpp"
#include "runtime/access.hpp"
#include "runtime/state.hpp"

namespace penstock {

namespace {

constexpr frontend::Window window{.tasks = 4096, .bytes = std::int64_t{4} << 30};

/// Ids of tasks of tasks, apart from all others: domains count in steps of 2^24.
std::uint64_t next_ids() {
  constexpr std::uint64_t of_tasks = std::uint64_t{1} << 62;
  static std::atomic<std::uint64_t> domains{0};
  return of_tasks + ((domains.fetch_add(1, std::memory_order_relaxed) << 24) & (of_tasks - 1)) + 1;
}

engine::Engine& engine_here() {
  engine::Engine* const engine = engine::Engine::here();
  if (engine == nullptr) {
    throw Error(ErrorCode::invalid_argument,
                "a body that takes a Runtime& runs on a worker: it cannot be called, nor use OpenMP by cores()");
  }
  return *engine;
}

bool is_serial() {
  engine::Task* const task = engine::Engine::current();
  return task != nullptr && task->domain().serial();
}

/// Made once and, as the table of the process, never destroyed.
const kernels::KernelTable& kernels_for_cores() {
  static const kernels::KernelTable& table = []() -> const kernels::KernelTable& {
    const kernels::KernelTable& all = kernels::KernelTable::process();
    if (!kernels::any_for_gpus_only(all.all())) return all;
    return *new kernels::KernelTable(kernels::without_gpus(all.all(), "no GPU for tasks of tasks"));
  }();
  return table;
}

}  // namespace

struct detail::TaskScope::Inside {
  frontend::LocalFrontend front{engine_here(),
                                {.window = window, .serial = is_serial(), .first_id = next_ids(), .of_task = true}};
  std::shared_ptr<RuntimeState> state = std::make_shared<RuntimeState>(front, kernels_for_cores());
  Runtime runtime = RuntimeAccess::make(state);
  bool finished = false;
};

detail::TaskScope::TaskScope() : inside_(std::make_unique<Inside>()) {}

detail::TaskScope::~TaskScope() {
  if (!inside_->finished) {
    inside_->front.cancel();
    while (inside_->front.in_flight().tasks > 0) {
      try {
        inside_->front.drain();
      } catch (const Error&) {  // too many tasks wait as it is: this one keeps its lane meanwhile
        std::this_thread::yield();
      }
    }
  }
  inside_->state->ended = true;
}

Runtime& detail::TaskScope::runtime() { return inside_->runtime; }

void detail::TaskScope::finish() {
  inside_->front.fold_reductions();
  inside_->front.drain();
  inside_->finished = true;
  inside_->front.wait_all();
}

bool is_cancelled() {
  engine::Task* const task = engine::Engine::current();
  return task != nullptr && task->domain().cancelled(*task);
}

}  // namespace penstock
