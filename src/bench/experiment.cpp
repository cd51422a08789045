#include "bench/experiment.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "bench/process.hpp"
#include "bench/regime.hpp"
#include "core/assert.hpp"

namespace penstock::bench {

namespace {

void say(const std::string& text) {
  if (isatty(STDERR_FILENO) == 1) std::fprintf(stderr, "\r\033[K%s", text.c_str());
}

std::size_t with_role(const Experiment& experiment, Role role) {
  const auto found = std::ranges::find(experiment.contenders, role, &Contender::role);
  return static_cast<std::size_t>(found - experiment.contenders.begin());
}

/// A run that began and ended in one regime, if that can be had.
CountedRun watched_run(const Contender& contender, int tries_most) {
  CountedRun run;
  for (int attempt = 0; attempt < tries_most; ++attempt) {
    const Regime before = probe_regime();
    run.values = contender.run();
    if (probe_regime() == before) {
      run.regime = before;
      return run;
    }
  }
  return run;
}

/// The median of the limit's runs in the regime, or in its usual one.
std::optional<double> limit_of(std::span<const CountedRun> runs, std::size_t measure, Regime regime) {
  std::vector<double> values = values_in(runs, measure, regime);
  if (values.empty()) values = values_in(runs, measure, usual_regime(runs));
  return median(std::move(values));
}

bool more_is_better(const Measure& measure) { return measure.unit.ends_with("/s"); }

std::optional<double> ratio_of(std::span<const CountedRun> subject, std::span<const CountedRun> rival,
                               std::size_t measure, Regime regime) {
  const double divisor = median(values_in(rival, measure, regime));
  if (divisor <= 0.0) return std::nullopt;
  return median(values_in(subject, measure, regime)) / divisor;
}

/// A rival of one measure, and the regime it is compared in.
struct Opponent {
  std::size_t contender = 0;
  std::optional<Regime> regime;
};

/// The runs of all contenders, and what they are compared with.
class Comparison {
 public:
  Comparison(const Experiment& experiment, const std::vector<std::vector<CountedRun>>& runs)
      : experiment_(experiment),
        runs_(runs),
        subject_(with_role(experiment, Role::subject)),
        limit_(with_role(experiment, Role::limit)) {
    PENSTOCK_ASSERT(subject_ < runs.size() && with_role(experiment, Role::rival) < runs.size());
  }

  [[nodiscard]] std::vector<Row> rows(std::size_t measure) const {
    const Opponent best = best_rival(measure);
    std::vector<Row> rows;
    for (std::size_t i = 0; i < experiment_.contenders.size(); ++i) {
      if (experiment_.contenders[i].role != Role::limit) rows.push_back(row(measure, i, best));
    }
    return rows;
  }

 private:
  [[nodiscard]] Row row(std::size_t measure, std::size_t contender, const Opponent& best) const {
    const std::vector<CountedRun>& runs = runs_[contender];
    const bool in_common = best.regime && !values_in(runs, measure, *best.regime).empty();
    const Regime regime = in_common ? *best.regime : usual_regime(runs);
    const bool is_compared = contender == subject_ && best.regime;
    return {.bench = experiment_.bench,
            .measure = experiment_.measures[measure],
            .system = experiment_.contenders[contender].system,
            .workers = experiment_.workers,
            .summary = summarize(values_in(runs, measure, regime)),
            .limit = limit(measure, regime),
            .ratio = is_compared ? ratio_of(runs, runs_[best.contender], measure, regime) : std::nullopt,
            .rival = experiment_.contenders[best.contender].system,
            .regime = regime};
  }

  [[nodiscard]] std::optional<double> limit(std::size_t measure, Regime regime) const {
    if (limit_ == runs_.size()) return experiment_.measures[measure].limit;
    return limit_of(runs_[limit_], measure, regime);
  }

  /// The rival that does best; those with which the subject shares a regime go first.
  [[nodiscard]] Opponent best_rival(std::size_t measure) const {
    std::optional<Opponent> best;
    double best_value = 0.0;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (experiment_.contenders[i].role != Role::rival) continue;
      const std::optional<Regime> common = common_regime(runs_[subject_], runs_[i]);
      const double value = median(values_in(runs_[i], measure, common ? *common : usual_regime(runs_[i])));
      const bool is_better = more_is_better(experiment_.measures[measure]) ? value > best_value : value < best_value;
      const bool replaces = !best || (common && (!best->regime || is_better));
      if (!replaces) continue;
      best = Opponent{.contender = i, .regime = common};
      best_value = value;
    }
    return *best;
  }

  const Experiment& experiment_;
  const std::vector<std::vector<CountedRun>>& runs_;
  std::size_t subject_;
  std::size_t limit_;  // as many as there are contenders: none
};

}  // namespace

std::vector<Row> evaluate(const Experiment& experiment, const std::vector<std::vector<CountedRun>>& runs) {
  const Comparison comparison(experiment, runs);
  std::vector<Row> rows;
  for (std::size_t measure = 0; measure < experiment.measures.size(); ++measure) {
    for (Row& row : comparison.rows(measure)) rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<Row> carry_out(const Experiment& experiment, const Effort& effort) {
  std::vector<std::vector<CountedRun>> runs(experiment.contenders.size());
  for (int pass = 0; pass <= effort.runs; ++pass) {
    for (std::size_t i = 0; i < experiment.contenders.size(); ++i) {
      const Contender& contender = experiment.contenders[i];
      stop_if_interrupted();
      say(experiment.bench + ", " + experiment.measures.front().name + ": " + contender.system + ", run " +
          std::to_string(pass) + " of " + std::to_string(effort.runs));
      if (pass == 0)
        contender.run();
      else
        runs[i].push_back(watched_run(contender, effort.tries_most));
    }
  }
  say("");
  return evaluate(experiment, runs);
}

std::vector<Row> carry_out(std::span<const Experiment> experiments, const Effort& effort) {
  std::vector<Row> rows;
  for (const Experiment& experiment : experiments) {
    for (Row& row : carry_out(experiment, effort)) rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace penstock::bench
