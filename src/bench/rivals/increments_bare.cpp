// The rivals `bare` of the benchmarks `increments-job` and `increments`: the increments without tasks, on one core.
#include "bench/rivals/increment_run.hpp"
#include "bench/rivals/increments.hpp"

namespace penstock::bench {

namespace {

int run_job(int argc, char** argv) {
  IncrementArrays arrays(argc, argv);
  const auto [data, rounds, elements] = arrays.size();

  const auto begin = Clock::now();
  for (int i = 0; i < data; ++i) arrays.clear(i);
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < data; ++i) arrays.increment(i);
  }
  return arrays.finish(begin);
}

int run_increments(const IncrementRun& run) {
  IncrementOperands operands(run, 1);
  return time_increments(run, operands, [&] {
    for (int i = 0; i < run.count; ++i) run.is_chain ? operands.increment_y() : operands.increment_x(0);
  });
}

}  // namespace

}  // namespace penstock::bench

int main(int argc, char** argv) {
  using namespace penstock::bench;
  return IncrementRun::is_given(argc, argv) ? run_increments(IncrementRun(argc, argv)) : run_job(argc, argv);
}
