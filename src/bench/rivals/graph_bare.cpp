// The rival `bare` of the benchmark `check-job`: depth and width of the graph of that one job by a loop written for it,
// without a job file: penstock-bench-graph-bare DATA ROUNDS.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto data = static_cast<std::size_t>(std::atol(argv[1]));
  const long rounds = std::atol(argv[2]);
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::uint32_t> depth(data, 1);
  std::vector<std::uint64_t> width{0, data};
  for (long round = 0; round < rounds; ++round) {
    for (std::uint32_t& each : depth) {
      ++each;
      if (each >= width.size()) width.resize(each + std::size_t{1});
      ++width[each];
    }
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const auto deepest = static_cast<std::uint64_t>(*std::ranges::max_element(depth));
  const std::uint64_t widest = *std::ranges::max_element(width);
  std::printf("{\"seconds\": %.9f, \"depth\": %llu, \"width\": %llu}\n", seconds,
              static_cast<unsigned long long>(deepest), static_cast<unsigned long long>(widest));
  return 0;
}
