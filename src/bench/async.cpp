// async: ten matrices are made and squared: how soon the program goes on, and when all is done, beside two programs by
// hand, which are free when they are done.
#include <string>

#include "bench/benchmark.hpp"
#include "bench/machine.hpp"
#include "bench/programs.hpp"

namespace penstock::bench {

namespace {

struct Size {
  int n;
  int workers;

  [[nodiscard]] std::vector<std::string> arguments() const {
    return {std::to_string(n), "10", std::to_string(workers)};
  }
};

std::vector<double> run_bare(Size size, const char* mode) {
  std::vector<std::string> arguments = size.arguments();
  arguments.insert(arguments.begin(), mode);
  return ask("penstock-bench-async-bare", arguments, {"free", "done"});
}

}  // namespace

std::vector<Row> run_async(const BenchOptions& options) {
  const Size size{.n = options.quick ? 300 : 1000, .workers = cores_here()};
  const auto bare = [size](Role role, const char* system, const char* mode) {
    return Contender{role, system, [size, mode] { return run_bare(size, mode); }};
  };
  const Experiment experiment{.bench = "async",
                              .workers = size.workers,
                              .measures = {{.name = "front-end free", .metric = "time", .unit = "s"},
                                           {.name = "all done", .metric = "time", .unit = "s"}},
                              .contenders = {{Role::subject, "penstock",
                                              [size] {
                                                return ask("penstock-bench-async", size.arguments(), {"free", "done"});
                                              }},
                                             bare(Role::rival, "bare, BLAS threads", "blas"),
                                             bare(Role::rival, "bare, one a core", "cores"),
                                             bare(Role::limit, "limit", "limit")}};
  return carry_out(experiment, effort_of(options));
}

}  // namespace penstock::bench
