// trace: what the trace costs: a job of short tasks with it and without it, and one event by itself.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include <fmt/core.h>

#include "bench/benchmark.hpp"
#include "bench/machine.hpp"
#include "bench/programs.hpp"
#include "bench/scratch_folder.hpp"
#include "trace/recorder.hpp"

namespace penstock::bench {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t folder_bytes = std::uint64_t{256} << 20;
constexpr int task_us = 10;

struct Size {
  int tasks;
  int workers;
};

std::string job_text(Size size) {
  return fmt::format(
      "[job]\nname = \"bench-trace\"\n\n[[task]]\nfor = \"i in 0..{}\"\nkernel = \"spin\"\n"
      "parameters = {{ microseconds = {} }}\n",
      size.tasks, task_us);
}

double ns_a_task(Size size, const ScratchFolder& folder, bool traced) {
  folder.empty();
  const auto job = folder.path() / "spin.toml";
  write_file(job, job_text(size));
  std::vector<std::string> command = run_command(job, folder.path() / "run", size.workers);
  if (!traced) command.insert(command.end(), {"--trace-bytes", "0"});
  return number_in(run_program({.command = command, .environment = {}}).out, "wall_s") * 1e9 / size.tasks;
}

/// The limit is the work itself, shared out evenly.
Experiment job_with_and_without(Size size, const ScratchFolder& folder) {
  const auto run = [size, &folder](bool traced) {
    return [size, &folder, traced] { return std::vector<double>{ns_a_task(size, folder, traced)}; };
  };
  return {
      .bench = "trace",
      .workers = size.workers,
      .measures = {{.name = fmt::format("tasks of {} us", task_us), .metric = "ns per task", .unit = "ns"}},
      .contenders = {{Role::subject, "penstock", run(true)},
                     {Role::rival, "no trace", run(false)},
                     {Role::limit, "limit", [size] { return std::vector<double>{1000.0 * task_us / size.workers}; }}}};
}

template <class Body>
double ns_an_event(std::int64_t events, Body body) {
  const auto begin = Clock::now();
  for (std::int64_t i = 0; i < events; ++i) body(i);
  const std::chrono::duration<double, std::nano> time = Clock::now() - begin;
  return time.count() / static_cast<double>(events);
}

/// The first lap touches the pages of the file, the later ones write where others have been.
std::vector<double> record_events(std::int64_t events, const ScratchFolder& folder) {
  folder.empty();
  constexpr std::int64_t slot_bytes = sizeof(core::Event);
  trace::Recorder recorder({.file = folder.path() / "rank.trace",
                            .bytes = events * slot_bytes,
                            .lanes = {{.kind = trace::LaneKind::core, .device = 0, .name = "core 0"}},
                            .description = "{}"});
  trace::Lane& lane = recorder.lane(0);
  const auto record = [&](std::int64_t i) {
    lane.record(
        to_event(core::TaskEvent{.task = core::TaskId(static_cast<std::uint64_t>(i)), .begin_ns = i, .end_ns = i}));
  };
  const double first = ns_an_event(events, record);
  return {first, ns_an_event(events, record)};
}

std::vector<double> store_events(std::int64_t events) {
  std::vector<core::Event> slots(static_cast<std::size_t>(events));
  core::Event* const first_slot = slots.data();
  const auto store = [&](std::int64_t i) {
    first_slot[i] =
        to_event(core::TaskEvent{.task = core::TaskId(static_cast<std::uint64_t>(i)), .begin_ns = i, .end_ns = i});
    asm volatile("" : : "r"(first_slot) : "memory");  // each is stored
  };
  const double ns = ns_an_event(events, store);
  return {ns, ns};
}

Experiment one_event(std::int64_t events, const ScratchFolder& folder) {
  return {.bench = "trace",
          .workers = 1,
          .measures = {{.name = "an event, first lap", .metric = "ns per event", .unit = "ns"},
                       {.name = "an event, later laps", .metric = "ns per event", .unit = "ns"}},
          .contenders = {{Role::subject, "penstock", [events, &folder] { return record_events(events, folder); }},
                         {Role::rival, "store", [events] { return store_events(events); }}}};
}

}  // namespace

std::vector<Row> run_trace_cost(const BenchOptions& options) {
  const ScratchFolder folder(folder_bytes);
  const Effort effort = effort_of(options);
  const Size size{.tasks = options.quick ? 10'000 : 100'000, .workers = cores_here()};
  std::vector<Row> rows = carry_out(job_with_and_without(size, folder), effort);
  const std::int64_t events = options.quick ? 1 << 17 : 1 << 21;
  for (Row& row : carry_out(one_event(events, folder), effort)) rows.push_back(std::move(row));
  return rows;
}

}  // namespace penstock::bench
