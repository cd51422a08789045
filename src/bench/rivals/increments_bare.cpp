// The rival `bare` of the benchmark `increments-job`: the increments without tasks, on one core.
#include "bench/rivals/increments.hpp"

int main(int argc, char** argv) {
  penstock::bench::IncrementArrays arrays(argc, argv);
  const auto [data, rounds, elements] = arrays.size();

  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < data; ++i) arrays.clear(i);
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < data; ++i) arrays.increment(i);
  }
  return arrays.finish(begin);
}
