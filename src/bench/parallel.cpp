// parallel: fifty products on each of two devices, one device after the other and both at once: two GPUs, a GPU and the
// cores, and two ranks of half the cores each.
#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "bench/benchmark.hpp"
#include "bench/gpus.hpp"
#include "bench/machine.hpp"
#include "bench/programs.hpp"

namespace penstock::bench {

namespace {

constexpr int products = 50;         // of each device
constexpr double emulated_ns = 3e6;  // of a product; copies then take no time that counts

/// Two devices that are equally fast unless it has no limit, as calls of the measured program: on the one, on the
/// other, and of twice the products on both.
struct Pair {
  std::string name;
  std::function<double()> first, second, both;
  std::optional<double> limit = 1.0;  ///< of the time for all over that of the longer
};

std::vector<std::string> command(int n, int count, const std::string& devices, int workers) {
  return {beside("penstock-bench-parallel").string(), std::to_string(n), std::to_string(count), devices,
          std::to_string(workers)};
}

double seconds_of(const ProgramCall& call) { return number_in(run_program(call).out, "seconds"); }

std::function<double()> on_gpus(int n, int count, const std::string& devices, const Gpus& gpus, std::string visible) {
  return [=, environment = gpus.environment]() mutable {
    environment["CUDA_VISIBLE_DEVICES"] = visible;
    return seconds_of({.command = command(n, count, devices, cores_here()), .environment = environment});
  };
}

Pair two_gpus(int n, const Gpus& gpus) {
  const std::string& one = gpus.visible[0];
  const std::string& other = gpus.visible[1];
  return {.name = gpus.label + "two GPUs",
          .first = on_gpus(n, products, "gpu", gpus, one),
          .second = on_gpus(n, products, "gpu", gpus, other),
          .both = on_gpus(n, 2 * products, "gpu", gpus, one + "," + other)};
}

Pair gpu_and_cores(int n, const Gpus& gpus) {
  const std::string& one = gpus.visible[0];
  return {.name = gpus.label + "GPU + cores",
          .first = on_gpus(n, products, "gpu", gpus, one),
          .second = on_gpus(n, products, "cpu", gpus, one),
          .both = on_gpus(n, 2 * products, "cpu,gpu", gpus, one),
          .limit = {}};  // the faster takes over what the slower would be late with
}

Pair halves_of_cores(int n) {
  const int half = cores_here() / 2;
  const auto on_half = [n, half](bool second) {
    return [=] {
      std::vector<std::string> call{"taskset", "-c", cores_text(second ? half : 0, half)};
      for (std::string& word : command(n, products, "cpu", half)) call.push_back(std::move(word));
      return seconds_of({.command = call, .environment = {}});
    };
  };
  return {.name = "cores in two ranks", .first = on_half(false), .second = on_half(true), .both = [n, half] {
            return seconds_of(as_ranks(2, command(n, 2 * products, "cpu", half)));
          }};
}

std::vector<double> values_of(double first, double second, double all) {
  const double longer = std::max(first, second);
  return {first, second, longer, all, all / longer};
}

Experiment experiment_of(const Pair& pair) {
  const auto at_once = [pair] {
    const double first = pair.first();
    const double second = pair.second();
    return values_of(first, second, pair.both());
  };
  const auto in_turn = [pair] {
    const double first = pair.first();
    const double second = pair.second();
    return values_of(first, second, first + second);
  };
  return {.bench = "parallel",
          .workers = cores_here(),
          .measures = {{.name = pair.name + ", first", .metric = "time", .unit = "s"},
                       {.name = pair.name + ", second", .metric = "time", .unit = "s"},
                       {.name = pair.name + ", longer", .metric = "time", .unit = "s"},
                       {.name = pair.name + ", all", .metric = "time", .unit = "s"},
                       {.name = pair.name + ", ratio", .metric = "ratio", .unit = "", .limit = pair.limit}},
          .contenders = {{Role::subject, "penstock", at_once}, {Role::rival, "one after the other", in_turn}}};
}

}  // namespace

std::vector<Row> run_parallel(const BenchOptions& options) {
  const int small = options.n > 0 ? options.n : 128;
  const double flops = 2.0 * small * small * small;
  const Gpus gpus = find_gpus({.gpus = 2, .gflops = flops / emulated_ns, .gbps = 0.0});
  const int large = options.quick ? 1000 : 4000;
  const int n = options.n > 0 || !gpus.label.empty() ? small : large;
  std::vector<Experiment> experiments;
  if (gpus.visible.size() > 1) experiments.push_back(experiment_of(two_gpus(n, gpus)));
  experiments.push_back(experiment_of(gpu_and_cores(n, gpus)));
  const int on_cores = options.quick ? 200 : 1000;
  if (cores_here() > 1) experiments.push_back(experiment_of(halves_of_cores(options.n > 0 ? options.n : on_cores)));
  return carry_out(experiments, options.quick ? shortest : effort_of(options));
}

}  // namespace penstock::bench
