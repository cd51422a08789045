// The rivals `openmp-...` of the benchmarks `increments-job` and `increments`: the same tasks in the same order with
// OpenMP's dependences, on the OpenMP library of the compiler that builds this.
#include <omp.h>

#include "bench/rivals/increment_run.hpp"
#include "bench/rivals/increments.hpp"

namespace penstock::bench {

namespace {

int run_job(int argc, char** argv) {
  IncrementArrays arrays(argc, argv);
  const int data = arrays.size().data;
  const int rounds = arrays.size().rounds;
#pragma omp parallel
  {
    // The team is there before the time begins, as the other systems' workers are.
  }

  const auto begin = Clock::now();
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < data; ++i) {
      [[maybe_unused]] float* const array = arrays[i];  // used by the clause alone
#pragma omp task depend(out : array[0]) firstprivate(i) shared(arrays)
      arrays.clear(i);
    }
    for (int round = 0; round < rounds; ++round) {
      for (int i = 0; i < data; ++i) {
        [[maybe_unused]] float* const array = arrays[i];  // used by the clause alone
#pragma omp task depend(inout : array[0]) firstprivate(i) shared(arrays)
        arrays.increment(i);
      }
    }
  }
  return arrays.finish(begin);
}

/// A y for each thread stands for the new one that each task would write.
int run_increments(const IncrementRun& run) {
  IncrementOperands operands(run, omp_get_max_threads());
  return time_increments(run, operands, [&] {
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < run.count; ++i) {
      [[maybe_unused]] const float* const x = operands.x();                // used by the clauses alone
      [[maybe_unused]] float* const y = operands.y(run.is_chain ? 0 : i);  // likewise
      if (run.is_chain) {
#pragma omp task depend(inout : y[0]) shared(operands)
        operands.increment_y();
      } else {
#pragma omp task depend(in : x[0]) depend(out : y[0]) firstprivate(i) shared(operands)
        operands.increment_x(i);
      }
      if (run.waits_each()) {
#pragma omp taskwait
      }
    }
  });
}

}  // namespace

}  // namespace penstock::bench

int main(int argc, char** argv) {
  using namespace penstock::bench;
  return IncrementRun::is_given(argc, argv) ? run_increments(IncrementRun(argc, argv)) : run_job(argc, argv);
}
