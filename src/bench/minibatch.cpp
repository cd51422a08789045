// minibatch: a perceptron trained on 150 minibatches that are generated on the way: with a wait after each, with one
// batch of overlap, and as far ahead as the window lets the program run; beside the same training by hand.
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "bench/benchmark.hpp"
#include "bench/machine.hpp"
#include "bench/programs.hpp"

#include <penstock/error.hpp>

namespace penstock::bench {

namespace {

constexpr std::array modes{std::pair{"wait", "wait each batch"}, std::pair{"overlap", "one batch ahead"},
                           std::pair{"window", "window 256 MiB"}};
/// Between penstock and a training by hand: the rows are cut and the gradients added in another order.
constexpr double loss_difference_most = 0.01;

/// Until then the noise of a batch is more than what was learnt.
constexpr int learning_batches = 60;

struct Size {
  int batches;
  int workers;
};

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

std::vector<Measure> measures_of(const char* mode, int batches) {
  std::vector<Measure> measures;
  for (int third = 1; third <= 3; ++third) {
    for (const char* what : {"issued", "done"}) {
      measures.push_back(
          {.name = fmt::format("{}, {} {}", mode, batches * third / 3, what), .metric = "time", .unit = "s"});
    }
  }
  measures.push_back({.name = fmt::format("{}, memory growth", mode), .metric = "bytes", .unit = "B"});
  measures.push_back({.name = fmt::format("{}, loss, last/first", mode), .metric = "ratio", .unit = ""});
  return measures;
}

/// All three modes, which have to end with the same loss to the last bit: the same tasks on the same numbers.
std::vector<double> run_penstock(Size size) {
  std::vector<double> values;
  double loss = 0.0;
  for (const auto& [mode, name] : modes) {
    const std::vector<double> one = values_of(
        size,
        ask("penstock-bench-minibatch", {mode, std::to_string(size.batches), std::to_string(size.workers)}, keys()));
    if (!values.empty() && one.back() != loss) {
      throw Error(ErrorCode::environment, fmt::format("minibatch: {} ends with another loss", name));
    }
    loss = one.back();
    values.insert(values.end(), one.begin(), one.end());
  }
  return values;
}

/// Once for every mode, since by hand there is one only.
std::vector<double> run_bare(Size size, const char* mode) {
  const std::vector<double> one = values_of(
      size,
      ask("penstock-bench-minibatch-bare", {mode, std::to_string(size.batches), std::to_string(size.workers)}, keys()));
  std::vector<double> values;
  for (std::size_t i = 0; i < modes.size(); ++i) values.insert(values.end(), one.begin(), one.end());
  return values;
}

/// One answer of each, so that a comparison of two trainings that differ is no comparison.
void check_losses(Size size) {
  const double ours = run_penstock(size).back();
  for (const char* mode : {"blas", "rows"}) {
    const double bare = run_bare(size, mode).back();
    if (!(std::fabs(ours - bare) <= loss_difference_most * bare)) {
      throw Error(ErrorCode::environment,
                  fmt::format("minibatch: the loss falls to {} of the first, by hand to {}", ours, bare));
    }
  }
}

}  // namespace

std::vector<Row> run_minibatch(const BenchOptions& options) {
  const Size size{.batches = options.quick ? 3 : 150, .workers = cores_here()};
  check_losses({.batches = 3, .workers = size.workers});
  Experiment experiment{.bench = "minibatch",
                        .workers = size.workers,
                        .measures = {},
                        .contenders = {{Role::subject, "penstock", [size] { return run_penstock(size); }},
                                       {Role::rival, "bare, BLAS threads", [size] { return run_bare(size, "blas"); }},
                                       {Role::rival, "bare, rows split", [size] { return run_bare(size, "rows"); }}}};
  for (const auto& [mode, name] : modes) {
    for (Measure& measure : measures_of(name, size.batches)) experiment.measures.push_back(std::move(measure));
  }
  return carry_out(experiment, options.quick ? shortest : effort_of(options));
}

}  // namespace penstock::bench
