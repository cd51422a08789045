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

std::optional<double> ratio_of(std::span<const CountedRun> subject, std::span<const CountedRun> rival,
                               std::size_t measure, Regime regime) {
  const double divisor = median(values_in(rival, measure, regime));
  if (divisor == 0.0) return std::nullopt;
  return median(values_in(subject, measure, regime)) / divisor;
}

/// The runs of all contenders, and in which regime they are compared.
class Comparison {
 public:
  Comparison(const Experiment& experiment, const std::vector<std::vector<CountedRun>>& runs)
      : experiment_(experiment),
        runs_(runs),
        subject_(with_role(experiment, Role::subject)),
        rival_(with_role(experiment, Role::rival)),
        limit_(with_role(experiment, Role::limit)) {
    PENSTOCK_ASSERT(subject_ < runs.size() && rival_ < runs.size());
    common_ = common_regime(runs[subject_], runs[rival_]);
  }

  [[nodiscard]] Row row(std::size_t measure, std::size_t contender) const {
    const std::vector<CountedRun>& runs = runs_[contender];
    const bool in_common = common_ && !values_in(runs, measure, *common_).empty();
    const Regime regime = in_common ? *common_ : usual_regime(runs);
    const bool is_compared = contender == subject_ && common_;
    return {.bench = experiment_.bench,
            .measure = experiment_.measures[measure],
            .system = experiment_.contenders[contender].system,
            .workers = experiment_.workers,
            .summary = summarize(values_in(runs, measure, regime)),
            .limit = limit_ < runs_.size() ? limit_of(runs_[limit_], measure, regime) : std::nullopt,
            .ratio = is_compared ? ratio_of(runs, runs_[rival_], measure, regime) : std::nullopt,
            .rival = experiment_.contenders[rival_].system,
            .regime = regime};
  }

 private:
  const Experiment& experiment_;
  const std::vector<std::vector<CountedRun>>& runs_;
  std::size_t subject_;
  std::size_t rival_;
  std::size_t limit_;  // as many as there are contenders: none
  std::optional<Regime> common_;
};

}  // namespace

std::vector<Row> evaluate(const Experiment& experiment, const std::vector<std::vector<CountedRun>>& runs) {
  const Comparison comparison(experiment, runs);
  std::vector<Row> rows;
  for (std::size_t measure = 0; measure < experiment.measures.size(); ++measure) {
    for (std::size_t i = 0; i < experiment.contenders.size(); ++i) {
      if (experiment.contenders[i].role != Role::limit) rows.push_back(comparison.row(measure, i));
    }
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

}  // namespace penstock::bench
