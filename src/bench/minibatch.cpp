// minibatch: a perceptron trained on 150 minibatches that are generated on the way: with a wait after each, with one
// batch of overlap, and as far ahead as the window lets the program run; beside the same training by hand on cores.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "bench/benchmark.hpp"
#include "bench/gpus.hpp"
#include "bench/idle_shares.hpp"
#include "bench/machine.hpp"
#include "bench/programs.hpp"
#include "bench/programs/traced.hpp"

#include <penstock/error.hpp>

namespace penstock::bench {

namespace {

constexpr std::array modes{std::pair{"wait", "wait each batch"}, std::pair{"overlap", "one batch ahead"},
                           std::pair{"window", "window 256 MiB"}};
/// Between penstock and a training by hand: the rows are cut and the gradients added in another order. GPUs and cores
/// round differently, too.
constexpr double loss_difference_most = 0.01;
constexpr double emulated_gbps = 10.0;  // products are as fast as the cores that they are computed on

/// Until then the noise of a batch is more than what was learnt.
constexpr int learning_batches = 60;

struct Size {
  int batches;
  int workers;
};

/// What penstock trains on; by hand it is always the cores.
struct Devices {
  std::string kinds;
  int parts;  ///< of a batch
  Gpus gpus = {};

  [[nodiscard]] bool has_cores() const { return kinds != "gpu"; }
  [[nodiscard]] bool has_gpus() const { return kinds != "cpu"; }
  [[nodiscard]] std::string label() const { return has_gpus() ? gpus.label + kinds + ", " : ""; }
};

Devices devices_of(const std::string& kinds, int workers) {
  if (kinds == "cpu") return {.kinds = kinds, .parts = workers};
  Gpus gpus = find_gpus({.gpus = 1, .gflops = 0.0, .gbps = emulated_gbps});
  const std::size_t devices = gpus.visible.size() + static_cast<std::size_t>(kinds == "gpu" ? 0 : workers);
  return {.kinds = kinds, .parts = static_cast<int>(std::bit_ceil(devices)), .gpus = std::move(gpus)};
}

std::vector<std::string> keys() {
  return {"issued_1", "done_1", "issued_2", "done_2", "issued_3", "done_3", "grown", "loss_first", "loss_last"};
}

/// Of one training, in the order of measures_of(); throws when it did not learn though it had the time.
std::vector<double> values_of(Size size, const std::vector<double>& answer) {
  std::vector<double> values = answer;
  const double last = values.back();
  values.pop_back();
  if (size.batches >= learning_batches && !(last < values.back()))
    throw Error(ErrorCode::environment, "minibatch: the loss did not fall");
  values.back() = last / values.back();
  return values;
}

/// In the order of the measures: of the devices there are.
void append(std::vector<double>& values, const Devices& devices, const IdleShares& idle) {
  if (devices.has_cores()) values.push_back(idle.cores);
  if (devices.has_gpus()) values.push_back(idle.gpus);
}

std::vector<Measure> measures_of(const std::string& mode, int batches, const Devices& devices) {
  std::vector<Measure> measures;
  for (int third = 1; third <= 3; ++third) {
    for (const char* what : {"issued", "done"}) {
      measures.push_back(
          {.name = fmt::format("{}, {} {}", mode, batches * third / 3, what), .metric = "time", .unit = "s"});
    }
  }
  measures.push_back({.name = fmt::format("{}, memory growth", mode), .metric = "bytes", .unit = "B"});
  measures.push_back({.name = fmt::format("{}, loss, last/first", mode), .metric = "ratio", .unit = ""});
  if (devices.has_cores()) measures.push_back({.name = mode + ", cores idle", .metric = "ratio", .unit = ""});
  if (devices.has_gpus()) measures.push_back({.name = mode + ", GPUs idle", .metric = "ratio", .unit = ""});
  return measures;
}

/// Whether two modes have learned the same: on cores to the last bit, as the tasks and the numbers are the same.
bool is_same(const Devices& devices, double loss, double other) {
  return devices.has_gpus() ? std::fabs(loss - other) <= loss_difference_most * other : loss == other;
}

std::vector<double> run_penstock(Size size, const Devices& devices) {
  std::vector<double> values;
  std::optional<double> loss;
  for (const auto& [mode, name] : modes) {
    const std::vector<double> one =
        values_of(size, ask("penstock-bench-minibatch",
                            {mode, std::to_string(size.batches), std::to_string(devices.parts), devices.kinds}, keys(),
                            devices.gpus.environment));
    if (!is_same(devices, one.back(), loss.value_or(one.back()))) {
      throw Error(ErrorCode::environment, fmt::format("minibatch: {} ends with another loss", name));
    }
    loss = one.back();
    values.insert(values.end(), one.begin(), one.end());
    append(values, devices, idle_shares(observe::TraceRun(std::getenv(run_dir_variable))));
  }
  return values;
}

/// Once for every mode, since by hand there is one only.
std::vector<double> run_bare(Size size, const Devices& devices, const char* mode) {
  const ProgramResult ran = run_program({.command = {beside("penstock-bench-minibatch-bare").string(), mode,
                                                     std::to_string(size.batches), std::to_string(size.workers)},
                                         .environment = {}});
  std::vector<double> one = values_of(size, numbers_in(ran.out, keys()));
  append(one, devices, {.cores = std::max(0.0, 1.0 - ran.cpu_s / (ran.wall_s * size.workers))});
  std::vector<double> values;
  for (std::size_t i = 0; i < modes.size(); ++i) values.insert(values.end(), one.begin(), one.end());
  return values;
}

/// One answer of each, so that a comparison of two trainings that differ is no comparison.
void check_losses(Size size, const Devices& devices) {
  const std::size_t loss = keys().size() - 2;  // of the values of the first mode
  const double ours = run_penstock(size, devices)[loss];
  for (const char* mode : {"blas", "rows"}) {
    const double bare = run_bare(size, devices, mode)[loss];
    if (!(std::fabs(ours - bare) <= loss_difference_most * bare)) {
      throw Error(ErrorCode::environment,
                  fmt::format("minibatch: the loss falls to {} of the first, by hand to {}", ours, bare));
    }
  }
}

}  // namespace

std::vector<Row> run_minibatch(const BenchOptions& options) {
  const Size size{.batches = options.quick ? 3 : 150, .workers = cores_here()};
  const Devices devices = devices_of(options.devices, size.workers);
  check_losses({.batches = 3, .workers = size.workers}, devices);
  const auto bare = [&](const char* system, const char* mode) {
    return Contender{Role::rival, system, [&devices, size, mode] { return run_bare(size, devices, mode); }};
  };
  Experiment experiment{
      .bench = "minibatch",
      .workers = size.workers,
      .measures = {},
      .contenders = {{Role::subject, "penstock", [&devices, size] { return run_penstock(size, devices); }},
                     bare("bare, BLAS threads", "blas"),
                     bare("bare, rows split", "rows")}};
  for (const auto& [mode, name] : modes) {
    for (Measure& measure : measures_of(devices.label() + name, size.batches, devices)) {
      experiment.measures.push_back(std::move(measure));
    }
  }
  return carry_out(experiment, options.quick ? shortest : effort_of(options));
}

}  // namespace penstock::bench
