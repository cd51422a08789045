// increments-job: many tiny tasks from a job file in one process: time a task, and memory as the rounds grow.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "bench/benchmark.hpp"
#include "bench/machine.hpp"
#include "bench/programs.hpp"
#include "bench/scratch_folder.hpp"

namespace penstock::bench {

namespace {

constexpr std::uint64_t folder_bytes = std::uint64_t{16} << 20;
constexpr int elements = 64;
constexpr int growth = 10;  // how many times more rounds the second memory run has
constexpr const char* rival_name = "penstock-bench-increments-openmp-gcc";

struct Size {
  int data;
  int rounds;
  int workers;

  /// A task makes each array, and one for each round increments it.
  [[nodiscard]] double tasks() const { return static_cast<double>(data) * (rounds + 1); }
  [[nodiscard]] Size longer() const { return {.data = data, .rounds = rounds * growth, .workers = workers}; }
};

std::string job_text(Size size) {
  return fmt::format(
      "[job]\nname = \"bench-increments\"\n\n[data.x]\nfor = \"i in 0..{0}\"\nshape = [{2}]\ndtype = \"f32\"\n"
      "origin = \"zeros\"\n\n[[task]]\nfor = [\"round in 0..{1}\", \"i in 0..{0}\"]\nkernel = \"increment\"\n"
      "read_write = [\"x[i]\"]\n",
      size.data, size.rounds, elements);
}

ProgramResult run_penstock(Size size, const ScratchFolder& folder) {
  folder.empty();
  const auto job = folder.path() / "increments.toml";
  write_file(job, job_text(size));
  std::vector<std::string> command = run_command(job, folder.path() / "run", size.workers);
  // The trace is a mapped file, whose pages count as memory: a small one, so that growth would show beside it.
  command.insert(command.end(), {"--trace-bytes", "1MiB"});
  return run_program({.command = std::move(command), .environment = {}});
}

ProgramResult run_rival(const char* program, Size size) {
  return run_program({.command = {beside(program).string(), std::to_string(size.data), std::to_string(size.rounds),
                                  std::to_string(elements)},
                      .environment = {{"OMP_NUM_THREADS", std::to_string(size.workers)}, {"OMP_PROC_BIND", "true"}}});
}

double ns_a_task(const ProgramResult& result, const char* key, Size size) {
  return number_in(result.out, key) * 1e9 / size.tasks();
}

double bare_ns(Size size) { return ns_a_task(run_rival("penstock-bench-increments-bare", size), "seconds", size); }

/// The limit is the bare loop shared out evenly: what is left when managing tasks costs nothing.
Experiment time_a_task(Size size, const ScratchFolder& folder) {
  const auto penstock = [size, &folder] {
    return std::vector<double>{ns_a_task(run_penstock(size, folder), "wall_s", size)};
  };
  Experiment experiment{.bench = "increments-job",
                        .workers = size.workers,
                        .measures = {{.name = "time a task", .metric = "ns per task", .unit = "ns"}},
                        .contenders = {{Role::subject, "penstock", penstock}}};
  Role role_of_bare = Role::rival;
  if (is_beside(rival_name)) {
    role_of_bare = Role::reference;
    experiment.contenders.push_back(
        {Role::rival, "openmp-gcc",
         [size] { return std::vector<double>{ns_a_task(run_rival(rival_name, size), "seconds", size)}; }});
  }
  experiment.contenders.push_back({role_of_bare, "bare", [size] { return std::vector<double>{bare_ns(size)}; }});
  experiment.contenders.push_back(
      {Role::limit, "limit", [size] { return std::vector<double>{bare_ns(size) / size.workers}; }});
  return experiment;
}

/// Peaks of two runs, and how much more the longer one had.
template <class RunOne>
std::vector<double> memory_values(Size size, RunOne run_one) {
  const auto few = static_cast<double>(run_one(size).peak_bytes);
  const auto many = static_cast<double>(run_one(size.longer()).peak_bytes);
  return {few, many, many - few};
}

Experiment memory(Size size, const ScratchFolder& folder) {
  const auto measure = [](std::string name) {
    return Measure{.name = std::move(name), .metric = "bytes", .unit = "B"};
  };
  const auto penstock = [size, &folder] {
    return memory_values(size, [&folder](Size one) { return run_penstock(one, folder); });
  };
  const char* const rival = is_beside(rival_name) ? rival_name : "penstock-bench-increments-bare";
  const auto run_rivals = [size, rival] {
    return memory_values(size, [rival](Size one) { return run_rival(rival, one); });
  };
  return {.bench = "increments-job",
          .workers = size.workers,
          .measures = {measure(fmt::format("memory, {} rounds", size.rounds)),
                       measure(fmt::format("memory, {} rounds", size.longer().rounds)), measure("memory growth")},
          .contenders = {{Role::subject, "penstock", penstock},
                         {Role::rival, rival == rival_name ? "openmp-gcc" : "bare", run_rivals}}};
}

}  // namespace

std::vector<Row> run_increments_job(const BenchOptions& options) {
  const int workers = cores_here();
  const Size size = options.quick ? Size{.data = 200, .rounds = 20, .workers = workers}
                                  : Size{.data = 1000, .rounds = 100, .workers = workers};
  const ScratchFolder folder(folder_bytes);
  const Effort effort = effort_of(options);
  std::vector<Experiment> experiments{time_a_task(size, folder)};
  if (workers > 1) experiments.push_back(time_a_task({size.data, size.rounds, 1}, folder));
  experiments.push_back(memory(size, folder));
  std::vector<Row> rows;
  for (const Experiment& experiment : experiments) {
    for (Row& row : carry_out(experiment, effort)) rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace penstock::bench
