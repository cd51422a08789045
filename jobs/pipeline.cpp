// Heat in rods: a small pipeline of user kernels. Each rod is independent of the others, so the runtime spreads them over
// all cores of all ranks, though the program is one loop in program order. The same program runs alone and under mpirun:
//
//     penstock_example_pipeline warmest.npy
//     mpirun -n 4 penstock_example_pipeline warmest.npy
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <penstock/penstock.hpp>

namespace ps = penstock;

namespace {

constexpr int rods = 16;
constexpr int steps = 50;
constexpr std::int64_t points = 10'000;

// Every point moves towards the mean of its neighbours; the ends stay as they are.
const auto diffuse = ps::kernel("diffuse", [](ps::In<double> before, ps::Out<double> after, double rate) {
  std::ranges::copy(before, after.begin());
  for (std::size_t i = 1; i + 1 < before.size(); ++i) {
    after[i] += rate * (before[i - 1] - 2.0 * before[i] + before[i + 1]);
  }
});

// Adds one rod to the statistics: how many there were, the sum of their means, the warmest point of all.
const auto summarize = ps::kernel("summarize", [](ps::In<double> rod, ps::InOut<double> statistics) {
  double sum = 0.0;
  for (const double point : rod) sum += point;
  statistics[0] += 1.0;
  statistics[1] += sum / static_cast<double>(rod.size());
  statistics[2] = std::max(statistics[2], *std::ranges::max_element(rod));
});

void simulate(ps::Runtime& runtime, const char* file) {
  std::vector<ps::Array<double>> now;
  std::vector<ps::Array<double>> next;
  for (int rod = 0; rod < rods; ++rod) {
    now.push_back(runtime.array<double>({points}, ps::uniform(rod, 10.0, 30.0)));
    next.push_back(runtime.array<double>({points}));
  }
  const auto statistics = runtime.array<double>({3}, ps::zeros());

  for (int step = 0; step < steps; ++step) {
    for (std::size_t rod = 0; rod < rods; ++rod) {  // independent of each other: they run in parallel
      runtime.submit(diffuse, ps::read(now[rod]), ps::write(next[rod]), 0.25);
      std::swap(now[rod], next[rod]);
    }
  }
  // One after the other, in this order, so that the sums are the same on any number of ranks.
  for (const auto& rod : now) runtime.submit(summarize, ps::read(rod), ps::read_write(statistics));

  runtime.wait(now[0]);  // this rod only; the others may still be under way
  std::printf("the first rod has gone through %d steps\n", steps);

  const ps::View<double> view = runtime.read(statistics);
  std::printf("%.0f rods, mean %.17g, warmest point %.17g\n", view[0], view[1] / view[0], view[2]);
  runtime.save(statistics, file);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FILE.npy\n", argv[0]);
    return 2;
  }
  return ps::run(argc, argv, [&](ps::Runtime& runtime) { simulate(runtime, argv[1]); });
}
