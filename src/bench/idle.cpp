// idle: a runtime that has no work uses no core, and begins a task soon after it has been given one.
#include <string>
#include <utility>

#include "bench/benchmark.hpp"
#include "bench/machine.hpp"
#include "bench/programs.hpp"

namespace penstock::bench {

std::vector<Row> run_idle(const BenchOptions& options) {
  const int workers = cores_here();
  const std::string rounds = options.quick ? "10" : "200";
  const auto contender = [&](Role role, std::string system, const char* program) {
    return Contender{role, std::move(system), [program, rounds, workers] {
                       return ask(program, {rounds, std::to_string(workers)}, {"busy", "start"});
                     }};
  };
  return carry_out({.bench = "idle",
                    .workers = workers,
                    .measures = {{.name = "share of a core, 10 ms after work", .metric = "ratio", .unit = ""},
                                 {.name = "a task begins, 20 ms after work", .metric = "time", .unit = "s"}},
                    .contenders = {contender(Role::subject, "penstock", "penstock-bench-idle"),
                                   contender(Role::rival, "bare", "penstock-bench-idle-bare")}},
                   effort_of(options));
}

}  // namespace penstock::bench
