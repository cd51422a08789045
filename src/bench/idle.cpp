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
                       return ask(program, {rounds, std::to_string(workers)}, {"busy", "start_us"});
                     }};
  };
  return carry_out({.bench = "idle",
                    .workers = workers,
                    .measures = {{.name = "from 10 ms after work on", .metric = "share of a core", .unit = "%"},
                                 {.name = "a task begins, after 20 ms", .metric = "delay", .unit = "us"}},
                    .contenders = {contender(Role::subject, "penstock", "penstock-bench-idle"),
                                   contender(Role::rival, "bare", "penstock-bench-idle-bare")}},
                   effort_of(options));
}

}  // namespace penstock::bench
