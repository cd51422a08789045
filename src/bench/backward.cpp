// backward: the backward pass of a perceptron of four layers on a GPU, whose gradients leave the GPU each as it is
// made, or all after the pass.
#include <string>

#include "bench/benchmark.hpp"
#include "bench/gpus.hpp"
#include "bench/machine.hpp"
#include "bench/overlapping.hpp"
#include "bench/programs.hpp"

namespace penstock::bench {

namespace {

// Of the matrices of weights, the two in the middle are wide x wide, the others wide x narrow.
constexpr double narrow_of_wide = 1.0 / 16.0;
constexpr double last_copy_share = narrow_of_wide / (2.0 + 2.0 * narrow_of_wide);
constexpr double emulated_ns = 6e6;  // of the copy of a wide gradient, and of one of the two products behind it

Emulation equal_times(double wide) {
  return {.gpus = 1, .gflops = 2 * wide * wide * wide / emulated_ns, .gbps = 4 * wide * wide / emulated_ns};
}

}  // namespace

std::vector<Row> run_backward(const BenchOptions& options) {
  const int small = options.n > 0 ? options.n : 128;
  const Gpus gpus = find_gpus(equal_times(small));
  const int wide = options.n > 0 || !gpus.label.empty() ? small : options.quick ? 1024 : 4096;
  const auto run = [&](const char* mode) {
    return [&gpus, wide, mode] {
      return with_efficiency(ask("penstock-bench-backward", {mode, std::to_string(wide)},
                                 {"pass", "copies", "together"}, gpus.environment));
    };
  };
  const Experiment experiment{
      .bench = "backward",
      .workers = cores_here(),
      .measures = overlap_measures(gpus.label, "pass", "pass and copies", 1 - last_copy_share),
      .contenders = {{Role::subject, "penstock", run("ready")}, {Role::rival, "copies after the pass", run("after")}}};
  return carry_out(experiment, options.quick ? shortest : effort_of(options));
}

}  // namespace penstock::bench
