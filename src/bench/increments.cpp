// increments: a thousand times y = y + 1, a chain, and y = x + 1, which are independent since each y is a new one; with
// a wait after each and only at the end; and what the parts of one increment predict for it.
#include <cstdint>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "bench/benchmark.hpp"
#include "bench/machine.hpp"
#include "bench/programs.hpp"

namespace penstock::bench {

namespace {

constexpr const char* subject_program = "penstock-bench-increments";
constexpr const char* bare_program = "penstock-bench-increments-bare";
constexpr const char* openmp_program = "penstock-bench-increments-openmp-gcc";

struct Case {
  bool is_chain;
  int count;
  int rows;
  int columns;
  int workers;

  [[nodiscard]] std::string name() const {
    return fmt::format("{} {}x{}", is_chain ? "y = y + 1," : "y = x + 1,", rows, columns);
  }
  [[nodiscard]] std::vector<std::string> arguments(const char* wait) const {
    return {is_chain ? "chain" : "independent", wait, std::to_string(count), std::to_string(rows),
            std::to_string(columns)};
  }
};

std::vector<double> ask_penstock(const Case& one, const char* wait, const std::vector<std::string>& keys) {
  std::vector<std::string> arguments = one.arguments(wait);
  arguments.push_back(std::to_string(one.workers));
  return ask(subject_program, arguments, keys);
}

double ns_of(const Case& one, double seconds) { return seconds * 1e9 / one.count; }

std::vector<double> penstock(const Case& one) {
  return {ns_of(one, ask_penstock(one, "each", {"seconds"}).front()),
          ns_of(one, ask_penstock(one, "end", {"seconds"}).front())};
}

std::vector<double> openmp(const Case& one) {
  const std::map<std::string, std::string> environment{{"OMP_NUM_THREADS", std::to_string(one.workers)},
                                                       {"OMP_PROC_BIND", "true"}};
  const auto run = [&](const char* wait) {
    return ns_of(one, ask(openmp_program, one.arguments(wait), {"seconds"}, environment).front());
  };
  return {run("each"), run("end")};
}

double bare_ns(const Case& one) { return ns_of(one, ask(bare_program, one.arguments("end"), {"seconds"}).front()); }

/// Nanoseconds.
struct Parts {
  double t1 = 0.0;
  double hand_over = 0.0;
  double t2 = 0.0;
  double t3 = 0.0;
};
Parts parts_of(const Case& one) {
  const std::vector<double> seconds = ask_penstock(one, "parts", {"t1", "hand_over", "t2", "t3"});
  return {.t1 = seconds[0] * 1e9, .hand_over = seconds[1] * 1e9, .t2 = seconds[2] * 1e9, .t3 = seconds[3] * 1e9};
}

/// What the parts predict where computing is what takes longest: n (t1 + t2 + t3) with a wait after each, and
/// t1 + n t2 + t3 with one at the end, n t2 shared out over the workers where tasks are independent.
std::vector<double> predicted(const Case& one) {
  const Parts parts = parts_of(one);
  const double share = one.is_chain ? parts.t2 : parts.t2 / one.workers;
  return {parts.t1 + parts.t2 + parts.t3, share + (parts.t1 + parts.t3) / one.count};
}

/// The same where n t2 < (n - 1) t1: workers wait for the front-end, and the end comes after n t1 + t2 + t3.
std::vector<double> predicted_issue_bound(const Case& one) {
  const Parts parts = parts_of(one);
  return {parts.t1 + parts.t2 + parts.t3, parts.t1 + (parts.t2 + parts.t3) / one.count};
}

Measure ns(std::string name) { return {.name = std::move(name), .metric = "ns per task", .unit = "ns"}; }

Experiment increments(const Case& one) {
  const auto twice = [](double value) { return std::vector<double>{value, value}; };
  Experiment experiment{.bench = "increments",
                        .workers = one.workers,
                        .measures = {ns(one.name() + ", wait each"), ns(one.name() + ", wait at end")},
                        .contenders = {{Role::subject, "penstock", [one] { return penstock(one); }},
                                       {Role::reference, "by t1, t2, t3", [one] { return predicted(one); }},
                                       {Role::reference, "by n t1", [one] { return predicted_issue_bound(one); }}}};
  if (is_beside(openmp_program)) {
    experiment.contenders.push_back({Role::rival, "openmp-gcc", [one] { return openmp(one); }});
  }
  experiment.contenders.push_back({Role::rival, "bare", [one, twice] { return twice(bare_ns(one)); }});
  experiment.contenders.push_back(
      {Role::limit, "limit", [one, twice] { return twice(bare_ns(one) / (one.is_chain ? 1 : one.workers)); }});
  return experiment;
}

/// A loop by hand issues nothing and returns at once.
Experiment parts(const Case& one) {
  const auto run_penstock = [one] {
    const Parts parts = parts_of(one);
    return std::vector<double>{parts.t1, parts.hand_over, parts.t2, parts.t3};
  };
  return {.bench = "increments",
          .workers = one.workers,
          .measures = {ns(one.name() + ", t1 issue"), ns(one.name() + ", hand-over"), ns(one.name() + ", t2 compute"),
                       ns(one.name() + ", t3 return")},
          .contenders = {{Role::subject, "penstock", run_penstock},
                         {Role::rival, "bare", [one] {
                            return std::vector<double>{0.0, 0.0, bare_ns(one), 0.0};
                          }}}};
}

}  // namespace

std::vector<Row> run_increments(const BenchOptions& options) {
  const int workers = cores_here();
  const int count = options.quick ? 100 : 1000;
  const int large = options.quick ? 200 : 1000;
  std::vector<Experiment> experiments;
  for (const auto& [rows, columns] : {std::pair{1, 2}, std::pair{large, large}}) {
    for (const bool is_chain : {true, false}) {
      const Case one{.is_chain = is_chain, .count = count, .rows = rows, .columns = columns, .workers = workers};
      experiments.push_back(parts(one));
      experiments.push_back(increments(one));
    }
  }
  return carry_out(experiments, effort_of(options));
}

}  // namespace penstock::bench
