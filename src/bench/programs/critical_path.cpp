// The benchmark `critical-path` on penstock. Called and answering as bench/rivals/known_graphs.hpp says, where the
// graphs are.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <penstock/penstock.hpp>

#include "bench/programs/traced.hpp"
#include "bench/rivals/known_graphs.hpp"

namespace penstock::bench {

namespace {

using Number = Array<float>;

void take(int microseconds) { known_graph::take(std::chrono::microseconds(microseconds)); }

const auto begin_with = kernel("bench.begin", [](Out<float>, int us) { take(us); });
const auto go_on = kernel("bench.go_on", [](InOut<float>, int us) { take(us); });
const auto join = kernel("bench.join", [](In<float>, In<float>, Out<float>, int us) { take(us); });

class Graph {
 public:
  Graph(Runtime& runtime, const known_graph::Run& run) : runtime_(runtime), run_(run) {}

  void submit() {
    if (run_.shape == "chain") chain();
    if (run_.shape == "stencil") stencil();
    if (run_.shape == "tree") tree();
    if (run_.shape == "wavefront") wavefront();
  }

 private:
  Number begun(std::int32_t of_priority = 0) {
    Number x = runtime_.array<float>({1});
    runtime_.submit(begin_with, write(x), run_.microseconds, priority(of_priority));
    return x;
  }
  Number joined(const Number& a, const Number& b) {
    Number x = runtime_.array<float>({1});
    runtime_.submit(join, read(a), read(b), write(x), run_.microseconds);
    return x;
  }
  std::vector<Number> all_begun(std::int64_t count) {
    std::vector<Number> numbers;
    for (std::int64_t i = 0; i < count; ++i) numbers.push_back(begun());
    return numbers;
  }

  void chain() {
    Number x;
    for (std::int64_t i = 0; i < run_.count; ++i) {
      if (i == 0)
        x = begun(1);
      else
        runtime_.submit(go_on, read_write(x), run_.microseconds, priority(1));
      for (int other = 1; other < run_.workers; ++other) begun();
    }
  }

  void stencil() {
    std::vector<Number> points = all_begun(run_.workers);
    for (std::int64_t step = 1; step < run_.count; ++step) {
      std::vector<Number> next;
      for (std::size_t i = 0; i < points.size(); ++i)
        next.push_back(joined(points[i], points[(i + 1) % points.size()]));
      points = next;
    }
  }

  void tree() {
    std::vector<Number> level = all_begun(known_graph::leaves_of(run_.count));
    while (level.size() > 1) {
      std::vector<Number> above;
      for (std::size_t i = 0; i < level.size(); i += 2) above.push_back(joined(level[i], level[i + 1]));
      level = above;
    }
  }

  /// Its edges have one neighbour.
  void wavefront() {
    const auto side = static_cast<std::size_t>(known_graph::side_of(run_.count));
    std::vector<Number> row(side);
    for (std::size_t i = 0; i < side; ++i) {
      for (std::size_t j = 0; j < side; ++j) {
        if (i == 0 && j == 0)
          row[j] = begun();
        else
          row[j] = joined(i > 0 ? row[j] : row[j - 1], j > 0 ? row[j - 1] : row[j]);
      }
    }
  }

  Runtime& runtime_;
  const known_graph::Run& run_;
};

}  // namespace

}  // namespace penstock::bench

int main(int argc, char** argv) {
  const penstock::bench::known_graph::Run run(argc, argv);
  return penstock::run(
      argc, argv,
      [&](penstock::Runtime& runtime) {
        penstock::bench::known_graph::time_graph([&] {
          penstock::bench::Graph(runtime, run).submit();
          runtime.wait_all();
        });
      },
      penstock::bench::traced({.workers = run.workers, .use_cuda = false}));
}
