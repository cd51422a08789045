// tasks: what an empty task costs, in four shapes of graph, beside the task systems that were found when this was
// built; the memory of a task that waits; and that of a process that has run ten million.
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/benchmark.hpp"
#include "bench/machine.hpp"
#include "bench/programs.hpp"
#include "bench/scratch_folder.hpp"

namespace penstock::bench {

namespace {

constexpr std::uint64_t folder_bytes = std::uint64_t{16} << 20;
constexpr const char* subject_program = "penstock-bench-tasks";

struct System {
  const char* name;
  bool runs_at_once = false;  ///< with one thread a task is run where it is submitted: nothing is kept track of

  [[nodiscard]] std::string program() const { return std::string(subject_program) + "-" + name; }
};

constexpr System systems[] = {{.name = "openmp-gcc"},
                              {.name = "openmp-clang", .runs_at_once = true},
                              {.name = "tbb"},
                              {.name = "taskflow"},
                              {.name = "starpu"}};

struct Case {
  const char* pattern;
  const char* name;
  std::int64_t count;
  int workers;
  const ScratchFolder* folder;

  [[nodiscard]] std::vector<double> run(const std::string& program, const std::vector<std::string>& keys) const {
    std::map<std::string, std::string> environment{{"STARPU_SILENT", "1"}, {"STARPU_HOME", folder->path().string()}};
    if (program != subject_program)
      environment.insert({"OMP_PROC_BIND", "true"});  // penstock's workers are bound anyway
    return ask(program, {pattern, std::to_string(count), std::to_string(workers)}, keys, environment);
  }
  [[nodiscard]] Contender contender(Role role, std::string system, const std::string& program) const {
    const auto run_once = [self = *this, program] {
      const std::vector<double> values = self.run(program, {"seconds", "tasks"});
      return std::vector<double>{values[0] * 1e9 / values[1]};
    };
    return {role, std::move(system), run_once};
  }
};

/// There has to be one rival; of systems that keep track of nothing only if there is no other.
void ensure_rival(std::vector<Contender>& contenders) {
  for (const Contender& contender : contenders) {
    if (contender.role == Role::rival) return;
  }
  contenders.back().role = Role::rival;
}

Experiment cost(const Case& one) {
  Experiment experiment{.bench = "tasks",
                        .workers = one.workers,
                        .measures = {{.name = one.name, .metric = "ns per task", .unit = "ns"}},
                        .contenders = {one.contender(Role::subject, "penstock", subject_program)}};
  for (const System& system : systems) {
    if (!is_beside(system.program())) continue;
    const Role role = system.runs_at_once && one.workers == 1 ? Role::reference : Role::rival;
    experiment.contenders.push_back(one.contender(role, system.name, system.program()));
  }
  ensure_rival(experiment.contenders);
  return experiment;
}

struct Weight {
  const char* name;
  const char* key;  ///< of the programs' answers
};

/// Bytes, beside those of some systems and of a queue written by hand.
Experiment memory(const Case& one, std::span<const Weight> weights, std::span<const System> others) {
  Experiment experiment{.bench = "tasks", .workers = one.workers, .measures = {}, .contenders = {}};
  std::vector<std::string> keys;
  for (const Weight& weight : weights) {
    experiment.measures.push_back({.name = weight.name, .metric = "bytes", .unit = "B"});
    keys.emplace_back(weight.key);
  }
  const auto add = [&](Role role, std::string system, const std::string& program) {
    experiment.contenders.push_back({role, std::move(system), [one, program, keys] { return one.run(program, keys); }});
  };
  add(Role::subject, "penstock", subject_program);
  for (const System& system : others) {
    if (is_beside(system.program())) add(Role::rival, system.name, system.program());
  }
  add(Role::reference, "bare", std::string(subject_program) + "-bare");
  ensure_rival(experiment.contenders);
  return experiment;
}

constexpr Weight of_a_task[] = {{.name = "bytes a task in flight", .key = "bytes"}};
/// Of the whole process: it is not to grow with the number of tasks.
constexpr Weight of_all[] = {{.name = "resident after a tenth", .key = "first"},
                             {.name = "resident after all", .key = "last"}};

}  // namespace

std::vector<Row> run_tasks(const BenchOptions& options) {
  const int all = cores_here();
  const ScratchFolder folder(folder_bytes);
  const std::int64_t count = options.quick ? 20'000 : 1'000'000;
  std::vector<Experiment> experiments;
  for (const auto& [pattern, name] :
       {std::pair{"independent", "independent"}, std::pair{"chain", "chain"},
        std::pair{"random", "random graph, 3 inputs"}, std::pair{"fork-join", "fork-join, binary tree"}}) {
    experiments.push_back(cost({pattern, name, count, 1, &folder}));
    if (all > 1) experiments.push_back(cost({pattern, name, count, all, &folder}));
  }
  const int with_gate = all > 1 ? all : 2;  // one of them stands at the gate
  const std::int64_t waiting = options.quick ? 20'000 : 100'000;
  experiments.push_back(memory({"memory", "", waiting, with_gate, &folder}, of_a_task, systems));
  experiments.push_back(memory({"resident", "", 10 * count, all, &folder}, of_all, std::span(systems).first<1>()));
  return carry_out(experiments, options.quick ? shortest : effort_of(options));
}

}  // namespace penstock::bench
