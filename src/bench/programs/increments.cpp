// The benchmark `increments` on penstock, called and answering as bench/rivals/increment_run.hpp says. Besides, with
// `parts` in place of `each` or `end`, the parts of one increment, each measured by itself, in seconds:
//
//     t1          the call of submit(), while no task can run
//     hand_over   from the end of that call to the begin of the body, with idle workers
//     t2          the body, called as a function
//     t3          from the end of the body to the end of wait()
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <penstock/penstock.hpp>

#include "bench/programs/traced.hpp"
#include "bench/rivals/increment_run.hpp"

namespace penstock::bench {

namespace {

using Matrix = Array<float>;

const auto increment_y = kernel("bench.increment_y", [](InOut<float> y) { add_one(y); });
const auto increment_x = kernel("bench.increment_x", [](In<float> x, Out<float> y) { add_one_to(x, y); });

std::atomic<bool> gate_is_open{false};
const auto gate = kernel("bench.gate", [](InOut<float>) { gate_is_open.wait(false); });

/// Begin and end of a body, written by the one task that runs, read after the wait for it.
struct Stamps {
  Clock::time_point begin;
  Clock::time_point end;
} stamps;
const auto stamped = kernel("bench.stamped", [](InOut<float>) {
  stamps.begin = Clock::now();
  stamps.end = Clock::now();
});

class Increments {
 public:
  Increments(Runtime& runtime, const IncrementRun& run)
      : runtime_(runtime), run_(run), x_(runtime.array<float>({run.rows, run.columns}, ones())) {}

  double pass() {
    reset();
    const auto begin = Clock::now();
    for (int i = 0; i < run_.count; ++i) {
      submit();
      if (run_.waits_each()) runtime_.wait(y_);
    }
    runtime_.wait_all();
    return seconds_since(begin);
  }

  double issue() {
    reset();
    const Matrix& first = run_.is_chain ? y_ : x_;
    gate_is_open = false;
    runtime_.submit(gate, read_write(first));
    const auto begin = Clock::now();
    for (int i = 0; i < run_.count; ++i) submit();
    const double seconds = seconds_since(begin) / run_.count;
    gate_is_open = true;
    gate_is_open.notify_all();
    runtime_.wait_all();
    return seconds;
  }

  [[nodiscard]] double compute() const {
    const auto elements = static_cast<std::size_t>(run_.rows * run_.columns);
    const std::vector<float> x(elements, 1.0F);
    std::vector<float> y(elements, 1.0F);
    const auto begin = Clock::now();
    for (int i = 0; i < run_.count; ++i) run_.is_chain ? add_one(y) : add_one_to(x, y);
    return seconds_since(begin) / run_.count;
  }

  struct Latency {
    double hand_over = 0.0;
    double back = 0.0;
  };
  Latency latency() {
    reset();
    Latency sum;
    for (int i = 0; i < run_.count; ++i) {
      runtime_.submit(stamped, read_write(y_));
      const auto submitted = Clock::now();
      runtime_.wait(y_);
      sum.back += seconds_since(stamps.end);
      sum.hand_over += std::max(0.0, std::chrono::duration<double>(stamps.begin - submitted).count());
    }
    return {.hand_over = sum.hand_over / run_.count, .back = sum.back / run_.count};
  }

 private:
  void reset() {
    y_ = runtime_.array<float>({run_.rows, run_.columns}, ones());
    runtime_.wait_all();
  }
  void submit() {
    if (run_.is_chain)
      runtime_.submit(increment_y, read_write(y_));
    else
      runtime_.submit(increment_x, read(x_), write(y_));
  }

  Runtime& runtime_;
  const IncrementRun& run_;
  Matrix x_;
  Matrix y_;
};

void run_increments(Runtime& runtime, const IncrementRun& run) {
  Increments increments(runtime, run);
  increments.pass();
  if (run.wait != "parts") {
    std::printf("{\"seconds\": %.9f}\n", increments.pass());
    return;
  }
  const double issue = increments.issue();
  const double compute = increments.compute();
  const Increments::Latency latency = increments.latency();
  std::printf("{\"t1\": %.12f, \"hand_over\": %.12f, \"t2\": %.12f, \"t3\": %.12f}\n", issue, latency.hand_over,
              compute, latency.back);
}

}  // namespace

}  // namespace penstock::bench

int main(int argc, char** argv) {
  const penstock::bench::IncrementRun run(argc, argv);
  return penstock::run(
      argc, argv, [&](penstock::Runtime& runtime) { penstock::bench::run_increments(runtime, run); },
      penstock::bench::traced({.workers = run.workers, .use_cuda = false}));
}
