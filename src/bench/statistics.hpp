/// What becomes of the measured values: medians, and which runs of two systems may be compared. Pure; any thread.
///
/// Virtual cores move on the machine below: two of them may be close, far apart, or halves of one core, and each is a
/// regime with speeds of its own. A run counts for the regime it began and ended in; systems are compared within one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace penstock::bench {

enum class Regime : std::uint8_t {
  near,   ///< a cache line goes to the other core and back in less than 250 ns
  far,    ///< it takes longer
  smt,    ///< two busy threads do less than 1.3 times the work of one
  mixed,  ///< it changed during the run, however often that was repeated
};

[[nodiscard]] std::string_view name_of(Regime regime);

/// The regime that two figures of a probe mean; never mixed.
[[nodiscard]] Regime classify(double round_trip_ns, double speed_up);

/// One run of one system: a value for each measure of the experiment.
struct CountedRun {
  std::vector<double> values;
  Regime regime = Regime::mixed;
};

struct Summary {
  double median = 0.0;
  double least = 0.0;
  double greatest = 0.0;
  std::size_t runs = 0;
};

/// Of at least one value; the mean of the middle two of an even number.
[[nodiscard]] double median(std::vector<double> values);
[[nodiscard]] Summary summarize(const std::vector<double>& values);

/// The regime in which two systems are compared: the one that gives the smaller of their numbers of runs its greatest
/// value; of equal ones the first in the order of the enumeration. None when no regime has runs of both; never mixed.
[[nodiscard]] std::optional<Regime> common_regime(std::span<const CountedRun> one, std::span<const CountedRun> other);
/// The regime with the most runs, mixed included; of at least one run.
[[nodiscard]] Regime usual_regime(std::span<const CountedRun> runs);
/// The values of one measure in the runs of one regime.
[[nodiscard]] std::vector<double> values_in(std::span<const CountedRun> runs, std::size_t measure, Regime regime);

}  // namespace penstock::bench
