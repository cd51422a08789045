// wait: a wait for one datum pays for that one and not for other work that was queued; and what the waits cost that a
// program does not write: looking at a result in a stream of work.
#include <string>
#include <utility>

#include <fmt/core.h>

#include "bench/benchmark.hpp"
#include "bench/machine.hpp"
#include "bench/programs.hpp"

namespace penstock::bench {

namespace {

constexpr const char* subject_program = "penstock-bench-wait";

struct Size {
  int n;
  int count;
  int workers;

  [[nodiscard]] std::vector<std::string> arguments() const {
    return {std::to_string(n), std::to_string(count), std::to_string(workers)};
  }
};

Contender of_program(Role role, std::string system, Size size, const char* mode, std::vector<std::string> keys) {
  return {role, std::move(system), [size, mode, keys] {
            std::vector<std::string> arguments = size.arguments();
            arguments.insert(arguments.begin(), mode);
            return ask(subject_program, arguments, keys);
          }};
}

/// The limit is x alone.
Experiment wait_for_one(Size size) {
  return {.bench = "wait",
          .workers = size.workers,
          .measures = {{.name = fmt::format("x, then {} others", size.count), .metric = "time", .unit = "s"},
                       {.name = fmt::format("{} others, then x", size.count), .metric = "time", .unit = "s"}},
          .contenders = {of_program(Role::subject, "penstock", size, "x", {"first", "last"}),
                         of_program(Role::rival, "wait_all()", size, "x", {"first_all", "last_all"}),
                         of_program(Role::limit, "limit", size, "x", {"alone", "alone"})}};
}

Experiment implicit_waits(Size size) {
  return {.bench = "wait",
          .workers = size.workers,
          .measures = {{.name = fmt::format("{} products, each copied", size.count), .metric = "time", .unit = "s"},
                       {.name = fmt::format("{} products, each summed", size.count), .metric = "time", .unit = "s"}},
          .contenders = {of_program(Role::subject, "penstock", size, "stream", {"copy_each", "sum_each"}),
                         of_program(Role::reference, "reads at end", size, "stream", {"copy_end", "sum_end"}),
                         {Role::rival, "bare", [size] {
                            return ask("penstock-bench-wait-bare", size.arguments(), {"copy", "sum"});
                          }}}};
}

}  // namespace

std::vector<Row> run_wait(const BenchOptions& options) {
  const Size size{.n = options.quick ? 200 : 500, .count = 40, .workers = cores_here()};
  return carry_out(std::vector{wait_for_one(size), implicit_waits(size)}, effort_of(options));
}

}  // namespace penstock::bench
