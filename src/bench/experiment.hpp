/// An experiment: systems that do the same work, run in turn, and what becomes of their values. Main thread; a run
/// blocks for as long as it takes.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bench/row.hpp"

namespace penstock::bench {

enum class Role : std::uint8_t {
  subject,    ///< penstock
  rival,      ///< of several, the subject is compared with the one that does best
  reference,  ///< another system, shown beside
  limit,      ///< measures what the machine allows; no rows of its own
};

struct Contender {
  Role role = Role::reference;
  std::string system;
  std::function<std::vector<double>()> run;  ///< a value for each measure; throws Error when it failed
};

struct Experiment {
  std::string bench;
  int workers = 1;
  std::vector<Measure> measures;
  std::vector<Contender> contenders;  ///< one subject, at least one rival
};

/// How thoroughly to measure.
struct Effort {
  int runs = 5;        ///< that count, of each system
  int tries_most = 4;  ///< of one run, until the regime stays what it was
};

/// One pass to warm up, then the runs: all systems in turn, again and again, with a probe of the regime before and
/// after each. Says on standard error where it is, if that is a terminal. Rows are grouped by measure. Throws Error.
[[nodiscard]] std::vector<Row> carry_out(const Experiment& experiment, const Effort& effort);
/// The same of one after another.
[[nodiscard]] std::vector<Row> carry_out(std::span<const Experiment> experiments, const Effort& effort);

/// What the runs mean: `runs` holds those of each contender.
[[nodiscard]] std::vector<Row> evaluate(const Experiment& experiment, const std::vector<std::vector<CountedRun>>& runs);

}  // namespace penstock::bench
