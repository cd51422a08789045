// The rivals `openmp-...` of the benchmark `increments-job`: the same tasks in the same order with OpenMP's
// dependences, on the OpenMP library of the compiler that builds this.
#include "bench/rivals/increments.hpp"

int main(int argc, char** argv) {
  penstock::bench::IncrementArrays arrays(argc, argv);
  const int data = arrays.size().data;
  const int rounds = arrays.size().rounds;
#pragma omp parallel
  {
    // The team is there before the time begins, as the other systems' workers are.
  }

  const auto begin = std::chrono::steady_clock::now();
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
