// From a task that is ready to those that it releases.
#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/domain.hpp"
#include "engine/engine.hpp"
#include "engine/views.hpp"
#include "executor/body.hpp"
#include "executor/steady_clock.hpp"

namespace penstock::engine {

using core::AccessKind;
using core::Outcome;
using core::TaskId;
using executor::fails;

namespace {

constexpr int panels_told = 255;
constexpr std::uint64_t tasks_between_observations = 16;

}  // namespace

/// The calling thread runs a task's body as long as this lives.
class Engine::Current {
 public:
  explicit Current(Task& task) : outer_(std::exchange(current_, &task)) {}
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;
  ~Current() { current_ = outer_; }

 private:
  Task* const outer_;
};

// --- one task ---

void Engine::run(executor::Job& job, executor::Worker& worker) {
  Task& task = task_of(job);
  Engine& engine = task.domain().engine();
  const auto number = static_cast<std::size_t>(worker.lane);
  Lane& lane = engine.lanes_[number];
  const bool was_short = engine.times_.is_short(task.kernel);
  if (!was_short && std::exchange(lane.gives_back, false)) engine.push_returned();
  if (task.cores == 1)
    engine.run(task, lane, number, worker.now_ns);
  else if (engine.kernel(task.kernel).uses_openmp)
    engine.run_by_guest(task, lane, number, worker);
  else
    engine.run_in_panels(task, lane, number, worker);
  if (was_short && !lane.ready.empty()) give_back(lane);
  engine.start_ready(lane);
}

/// To the thread that submits, which then runs it, if that is what its domain wants.
void Engine::give_back(Lane& lane) {
  Domain& domain = task_of(*lane.ready.front()).domain();  // it has tasks: it is there
  const bool all_fit = std::ranges::all_of(lane.ready, [&](executor::Job* job) {
    return &task_of(*job).domain() == &domain && domain.runs_here(task_of(*job));
  });
  if (all_fit && domain.takes_back(lane)) domain.take_back(lane.ready);
}

void Engine::run(Task& task, Lane& lane, std::size_t number, std::int64_t& now_ns) {
  run(task, look_at_inputs(task), lane, number, now_ns);
}

void Engine::run(Task& task, const Inputs& inputs, Lane& lane, std::size_t number, std::int64_t& now_ns) {
  const std::int64_t begin_ns = !timed() ? 0 : now_ns != 0 ? now_ns : executor::steady_now().ns;
  Ending ending{inputs, {}};
  if (ending.outcome == Outcome::done) {
    const auto body = [&] {
      Views views(task.access_count);
      prepare(task, all(views), lane);
      if (task.internal != 0) return;
      if (lane.observes_all || lane.ran.load(std::memory_order_relaxed) % tasks_between_observations == 0)
        call_and_observe(task, all(views), lane);
      else
        call(task, all(views), lane, 0, 1);
    };
    if (fails(body, ending.message)) ending.outcome = Outcome::failed;
  }
  if (timed() && task.internal == 0) {
    now_ns = executor::steady_now().ns;
    tell(task, ending.outcome, lane, number, {.begin_ns = begin_ns, .end_ns = now_ns});
  }
  end(task, ending, lane, number);
}

void Engine::call_and_observe(Task& task, std::span<const ArrayView> views, Lane& lane) {
  const std::int64_t begin_ns = executor::steady_now().ns;
  call(task, views, lane, 0, 1);
  if (kernel(task.kernel).uses_openmp) return;  // it counts on a worker's team of one thread: never run elsewhere
  times_.observe(task.kernel, executor::steady_now().ns - begin_ns);
}

Engine::Inputs Engine::look_at_inputs(Task& task) {
  for (const Access& access : task.accesses()) {  // other cores wrote to them last: they come at once
    __builtin_prefetch(access.in, 1);
    __builtin_prefetch(access.out, 1);
  }
  for (const Access& access : task.accesses()) {
    if (access.in != nullptr && access.in->cause != TaskId() && task.kind_of(access) != AccessKind::overwrite)
      return {Outcome::skipped, access.in->cause};
  }
  if (task.internal == 0 && task.domain().cancelled(task)) return {Outcome::cancelled, {}};
  return {};
}

void Engine::prepare(Task& task, std::span<ArrayView> views, Lane& lane) {
  const std::span<Access> accesses = task.accesses();
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    Access& access = accesses[i];
    views[i].type = access.datum().type;
    const bool takes_over = task.takes_over(access);
    if (takes_over) access.out->data = std::exchange(access.in->data, nullptr);
    if (access.out != nullptr && access.out->data == nullptr) {  // who never ran has nothing that could be taken over
      access.out->data = lane.buffers.allocate(access.out->bytes);
      if (access.in != nullptr && !takes_over) std::memcpy(access.out->data, access.in->data, access.in->bytes);
    }
    views[i].data = (access.out != nullptr ? access.out : access.in)->data;
  }
}

void Engine::call(Task& task, std::span<const ArrayView> views, Lane& lane, int panel, int panel_count) const {
  const Current current(task);
  if (task.parameter_bytes == 0) return executor::call_body(kernel(task.kernel), views, {}, {panel, panel_count});
  // Taken out while the body runs, which may run other tasks on this lane.
  std::vector<Parameter> parameters = std::move(lane.parameters);
  executor::call_body(kernel(task.kernel), views, task.parameters(), {panel, panel_count}, parameters);
  lane.parameters = std::move(parameters);
}

// --- its end ---

void Engine::end(Task& task, Ending& ending, Lane& lane, std::size_t number) {
  Domain& domain = task.domain();
  if (task.internal == 0) {
    lane.ran.store(lane.ran.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    if (ending.outcome != Outcome::done) tell_not_done(task, ending);
  }
  std::int64_t bytes = 0;
  for (Access& access : task.accesses()) {
    if (access.commutes()) {
      if (access.in->cause == TaskId()) access.in->cause = ending.cause;
    } else if (access.out != nullptr) {
      bytes += static_cast<std::int64_t>(access.out->bytes);
      access.out->cause = ending.cause;
      release(*access.out, lane);
    }
  }
  // A turn is found through the version, which may be gone once it was dropped.
  if (task.has_needs()) arbiter_.give_back(task, lane.ready);
  for (Access& access : task.accesses()) {
    if (access.in == nullptr) continue;
    if (task.takes_over(access))
      end(*access.in, lane);
    else
      drop(*access.in, 1, lane);
  }
  task.end_block(lane.buffers);
  const std::uint8_t generation = task.generation;
  Group& group = *task.group;
  lane.tasks.free(&task);
  domain.count_end(group, generation, bytes, number);
}

void Engine::tell_not_done(Task& task, Ending& ending) {
  if (ending.outcome != Outcome::skipped) ending.cause = task.id;
  const core::Ending told{.task = task.id,
                          .attempt = core::Attempt(1),
                          .outcome = ending.outcome,
                          .rank = core::front_rank,
                          .device = core::DeviceId(0),
                          .cause = ending.cause,
                          .message = std::move(ending.message)};
  task.domain().tell({.ending = told, .kernel = task.kernel, .place = task.place(), .name = task.name()});
}

/// The version is made, or never will be.
void Engine::release(Version& version, Lane& lane) {
  Link* link = version.waiters.close();
  while (link != nullptr) {
    Link& waiting = *std::exchange(link, link->next);  // it may be gone once it has been told
    if (waiting.task != nullptr)
      satisfy(*waiting.task, lane);
    else
      static_cast<Waiter&>(waiting).tell();
  }
  drop(version, 1, lane);
}

void Engine::tell(Task& task, Outcome outcome, Lane& lane, std::size_t number, Span span) {
  lane.busy_ns.store(lane.busy_ns.load(std::memory_order_relaxed) + span.end_ns - span.begin_ns,
                     std::memory_order_relaxed);
  if (recorder_ == nullptr || number >= lanes_traced_) return;
  trace::Lane& trace = recorder_->lane(number);
  trace.put(to_event(core::TaskEvent{.task = task.id,
                                     .kernel = task.kernel,
                                     .attempt = core::Attempt(1),
                                     .panel = static_cast<std::uint8_t>(std::min(span.panel, panels_told)),
                                     .panel_count = static_cast<std::uint8_t>(std::min(span.panel_count, panels_told)),
                                     .outcome = outcome,
                                     .begin_ns = span.begin_ns,
                                     .end_ns = span.end_ns}));
  if (span.panel == 0) {
    for (const Access& access : task.accesses()) {
      const AccessKind kind = task.kind_of(access);
      const bool reads = kind != AccessKind::write && kind != AccessKind::overwrite;
      // Those that commute make one version of the one before, together; who has taken it over has no other.
      const bool is_in_place = kind == AccessKind::commute || access.in == nullptr;
      const std::uint64_t in = is_in_place ? access.out->number.value() - 1 : access.in->number.value();
      trace.put(to_event(core::AccessEvent{.access = kind,
                                           .data = access.datum().id,
                                           .reads = reads ? core::Version(in) : core::Version(),
                                           .writes = access.out != nullptr ? access.out->number : core::Version(),
                                           .bytes = static_cast<std::int64_t>(access.datum().bytes)}));
    }
  }
  trace.publish();
}

// --- a task on several cores ---

struct Engine::Panel {
  executor::Job job;
  Panels* panels = nullptr;
  int index = 0;
};

/// Lives from the first panel's beginning to the last one's end.
struct Engine::Panels {
  Task& task;
  Ending ending;
  Views views;
  std::vector<Panel> panels;
  /// Acquire-release: the last to end sees what the others noted.
  std::atomic<int> left;
  /// Set by the first panel that fails, which then alone writes `ending`.
  std::atomic<bool> failed{false};

  Panels(Task& whole, int count)
      : task(whole), views(whole.access_count), panels(static_cast<std::size_t>(count)), left(count) {}
};

void Engine::run_in_panels(Task& task, Lane& lane, std::size_t number, executor::Worker& worker) {
  auto* const panels = new Panels(task, task.cores);
  panels->ending = {look_at_inputs(task), {}};
  const bool runs = panels->ending.outcome == Outcome::done &&
                    !fails([&] { prepare(task, all(panels->views), lane); }, panels->ending.message);
  if (!runs) {
    Ending ending = std::move(panels->ending);
    if (ending.outcome == Outcome::done) ending.outcome = Outcome::failed;
    delete panels;
    return end(task, ending, lane, number);
  }
  for (int index = 0; index < task.cores; ++index) {
    Panel& panel = panels->panels[static_cast<std::size_t>(index)];
    panel.job.run = run_panel;
    panel.job.priority = task.job.priority;
    panel.panels = panels;
    panel.index = index;
    if (index > 0) lane.ready.push_back(&panel.job);
  }
  workers_.share(lane.ready);
  lane.ready.clear();
  run_panel(panels->panels.front().job, worker);
}

void Engine::run_panel(executor::Job& job, executor::Worker& worker) {
  static_assert(offsetof(Panel, job) == 0);
  Panel& panel = *reinterpret_cast<Panel*>(&job);
  Panels& panels = *panel.panels;
  Task& task = panels.task;
  Engine& engine = task.domain().engine();
  const auto number = static_cast<std::size_t>(worker.lane);
  Lane& lane = engine.lanes_[number];
  Span span{.panel = panel.index, .panel_count = task.cores};
  if (engine.timed()) span.begin_ns = worker.now_ns != 0 ? worker.now_ns : executor::steady_now().ns;
  std::string message;
  const bool failed = fails([&] { engine.call(task, all(panels.views), lane, panel.index, task.cores); }, message);
  if (failed && !panels.failed.exchange(true, std::memory_order_relaxed)) {
    panels.ending = {{Outcome::failed, {}}, std::move(message)};
  }
  if (engine.timed()) {
    span.end_ns = worker.now_ns = executor::steady_now().ns;
    engine.tell(task, failed ? Outcome::failed : Outcome::done, lane, number, span);
  }
  if (panels.left.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
  const std::unique_ptr<Panels> last(&panels);
  engine.end(task, panels.ending, lane, number);
  engine.start_ready(lane);
}

}  // namespace penstock::engine
