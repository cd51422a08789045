#include "bench/statistics.hpp"

#include <algorithm>
#include <array>

#include "core/assert.hpp"

namespace penstock::bench {

namespace {

constexpr double near_ns_most = 250.0;
constexpr double two_cores_least = 1.3;
constexpr std::array regimes{Regime::near, Regime::far, Regime::smt, Regime::mixed};

std::size_t runs_in(std::span<const CountedRun> runs, Regime regime) {
  return static_cast<std::size_t>(std::ranges::count(runs, regime, &CountedRun::regime));
}

}  // namespace

std::string_view name_of(Regime regime) {
  constexpr std::array<std::string_view, regimes.size()> names{"near", "far", "smt", "mixed"};
  return names[static_cast<std::size_t>(regime)];
}

Regime classify(double round_trip_ns, double speed_up) {
  if (speed_up < two_cores_least) return Regime::smt;
  return round_trip_ns < near_ns_most ? Regime::near : Regime::far;
}

double median(std::vector<double> values) {
  PENSTOCK_ASSERT(!values.empty());
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2.0;
}

Summary summarize(const std::vector<double>& values) {
  return {.median = median(values),
          .least = std::ranges::min(values),
          .greatest = std::ranges::max(values),
          .runs = values.size()};
}

std::optional<Regime> common_regime(std::span<const CountedRun> one, std::span<const CountedRun> other) {
  std::optional<Regime> best;
  std::size_t most = 0;
  for (const Regime regime : regimes) {
    const std::size_t runs = std::min(runs_in(one, regime), runs_in(other, regime));
    if (regime == Regime::mixed || runs <= most) continue;
    best = regime;
    most = runs;
  }
  return best;
}

Regime usual_regime(std::span<const CountedRun> runs) {
  return *std::ranges::max_element(regimes, {}, [&](Regime regime) { return runs_in(runs, regime); });
}

std::vector<double> values_in(std::span<const CountedRun> runs, std::size_t measure, Regime regime) {
  std::vector<double> values;
  for (const CountedRun& run : runs) {
    if (run.regime == regime) values.push_back(run.values[measure]);
  }
  return values;
}

}  // namespace penstock::bench
