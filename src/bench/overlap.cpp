// overlap: fifty products on a GPU and their results copied to the host: first the ones, then the others; then as one
// stream of tasks. Beside the same by hand on two streams of CUDA.
#include <cstdint>
#include <string>

#include "bench/benchmark.hpp"
#include "bench/gpus.hpp"
#include "bench/machine.hpp"
#include "bench/overlapping.hpp"
#include "bench/programs.hpp"

namespace penstock::bench {

namespace {

constexpr int items = 50;
constexpr double emulated_ns = 3e6;  // of a product, and of a copy

Emulation equal_times(double n) {
  return {.gpus = 1, .gflops = 2 * n * n * n / emulated_ns, .gbps = 4 * n * n / emulated_ns};
}

Experiment with_memory(const std::string& memory, int n, const Gpus& gpus) {
  const auto run = [=](const char* program) {
    return [=] {
      return with_efficiency(ask(program, {std::to_string(n), std::to_string(items), memory},
                                 {"products", "copies", "together"}, gpus.environment));
    };
  };
  return {.bench = "overlap",
          .workers = cores_here(),
          .measures = overlap_measures(gpus.label + memory + ", ", "products", "one stream", 1.0 - 1.0 / items),
          .contenders = {{Role::subject, "penstock", run("penstock-bench-overlap")},
                         {Role::rival, "bare", run("penstock-bench-overlap-bare")}}};
}

}  // namespace

std::vector<Row> run_overlap(const BenchOptions& options) {
  const int small = options.n > 0 ? options.n : 128;
  const Gpus gpus = find_gpus(equal_times(small));
  const int n = options.n > 0 || !gpus.label.empty() ? small : options.quick ? 1000 : 4000;
  const std::vector<Experiment> experiments{with_memory("pinned", n, gpus), with_memory("pageable", n, gpus)};
  return carry_out(experiments, options.quick ? shortest : effort_of(options));
}

}  // namespace penstock::bench
