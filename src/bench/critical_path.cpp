// critical-path: graphs of equal tasks of which the shortest possible time is known, and how near to it they come.
#include <map>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "bench/benchmark.hpp"
#include "bench/machine.hpp"
#include "bench/programs.hpp"
#include "bench/rivals/known_graphs.hpp"

namespace penstock::bench {

namespace {

constexpr const char* subject_program = "penstock-bench-critical-path";
constexpr const char* openmp_program = "penstock-bench-critical-path-openmp-gcc";

using Environment = std::map<std::string, std::string>;

struct Case {
  const char* shape;
  const char* name;
  int count;
  int microseconds;
  int workers;

  [[nodiscard]] std::vector<double> run(const char* program, const Environment& environment = {}) const {
    return ask(program, {shape, std::to_string(count), std::to_string(microseconds), std::to_string(workers)},
               {"seconds"}, environment);
  }
  [[nodiscard]] double shortest() const {
    return static_cast<double>(known_graph::tasks_in_a_row(shape, count, workers)) * microseconds * 1e-6;
  }
};

Experiment of(const Case& one) {
  Experiment experiment{
      .bench = "critical-path",
      .workers = one.workers,
      .measures = {{.name = fmt::format("{} of {} us", one.name, one.microseconds), .metric = "time", .unit = "s"}},
      .contenders = {{Role::subject, "penstock", [one] { return one.run(subject_program); }}}};
  if (is_beside(openmp_program)) {
    experiment.contenders.push_back(
        {Role::reference, "openmp-gcc", [one] {
           return one.run(openmp_program, {{"OMP_PROC_BIND", "true"}, {"OMP_MAX_TASK_PRIORITY", "1"}});
         }});
  }
  // What nothing can be faster than is what this is to be compared with.
  experiment.contenders.push_back({Role::rival, "bound", [one] { return std::vector<double>{one.shortest()}; }});
  return experiment;
}

}  // namespace

std::vector<Row> run_critical_path(const BenchOptions& options) {
  const int workers = cores_here();
  std::vector<Experiment> experiments;
  for (const auto& [shape, name] : {std::pair{"chain", "a chain among others"}, std::pair{"stencil", "a stencil"},
                                    std::pair{"tree", "a tree of sums"}, std::pair{"wavefront", "a wavefront"}}) {
    for (const int microseconds : {20, 200}) {
      const int count = (options.quick ? 10'000 : 200'000) / microseconds;
      experiments.push_back(of({shape, name, count, microseconds, workers}));
    }
  }
  return carry_out(experiments, effort_of(options));
}

}  // namespace penstock::bench
