// The rival `openmp-gcc` of the benchmark `critical-path`: OpenMP's tasks, dependences and priorities. Called and
// answering as bench/rivals/known_graphs.hpp says, where the graphs are.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/rivals/known_graphs.hpp"

namespace penstock::bench::known_graph {

namespace {

void begin_at(float* x, std::chrono::microseconds time) {
#pragma omp task depend(out : *x) firstprivate(time)
  take(time);
}

void join_at(const float* a, const float* b, float* x, std::chrono::microseconds time) {
#pragma omp task depend(in : *a, *b) depend(out : *x) firstprivate(time)
  take(time);
}

void chain(const Run& run, std::chrono::microseconds time) {
  [[maybe_unused]] float x = 0.0F;
  for (std::int64_t i = 0; i < run.count; ++i) {
#pragma omp task depend(inout : x) priority(1) firstprivate(time)
    take(time);
    for (int other = 1; other < run.workers; ++other) {
#pragma omp task firstprivate(time)
      take(time);
    }
  }
#pragma omp taskwait
}

/// Each datum has a place of its own, which is kept until the end: nothing waits for those who read the one before.
void stencil(const Run& run, std::chrono::microseconds time) {
  const auto points = static_cast<std::size_t>(run.workers);
  std::vector<float> data(points * static_cast<std::size_t>(run.count));
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (i < points)
      begin_at(&data[i], time);
    else
      join_at(&data[i - points], &data[i - points - i % points + (i + 1) % points], &data[i], time);
  }
#pragma omp taskwait
}

void tree(const Run& run, std::chrono::microseconds time) {
  const auto leaves = static_cast<std::size_t>(leaves_of(run.count));
  std::vector<float> data(2 * leaves);
  for (std::size_t i = 0; i < leaves; ++i) begin_at(&data[i], time);
  for (std::size_t i = leaves, from = 0; i < 2 * leaves - 1; ++i, from += 2) {
    join_at(&data[from], &data[from + 1], &data[i], time);
  }
#pragma omp taskwait
}

void wavefront(const Run& run, std::chrono::microseconds time) {
  const auto side = static_cast<std::size_t>(side_of(run.count));
  std::vector<float> data(side * side);
  begin_at(data.data(), time);
  for (std::size_t i = 1; i < data.size(); ++i) {
    const std::size_t above = i >= side ? i - side : i - 1;
    join_at(&data[above], &data[i % side > 0 ? i - 1 : above], &data[i], time);
  }
#pragma omp taskwait
}

void submit(const Run& run) {
  const std::chrono::microseconds time(run.microseconds);
  if (run.shape == "chain") chain(run, time);
  if (run.shape == "stencil") stencil(run, time);
  if (run.shape == "tree") tree(run, time);
  if (run.shape == "wavefront") wavefront(run, time);
}

}  // namespace

}  // namespace penstock::bench::known_graph

int main(int argc, char** argv) {
  using namespace penstock::bench::known_graph;
  const Run run(argc, argv);
  time_graph([&] {
#pragma omp parallel num_threads(run.workers)
#pragma omp single
    submit(run);
  });
  return 0;
}
