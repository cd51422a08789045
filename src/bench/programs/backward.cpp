// The benchmark `backward` on penstock: penstock-bench-backward ready|after WIDE runs the backward pass of a perceptron
// of four layers on a GPU, for as many rows as it is wide, and looks at the gradients: at each as soon as it is ready,
// or at all after the pass. Prints how long the pass alone takes, the looking alone, and both together.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <penstock/penstock.hpp>

#include "bench/programs/traced.hpp"
#include "bench/timing.hpp"

namespace penstock::bench {

namespace {

using Matrix = Array<float>;

struct Times {
  double pass = 0.0;
  double copies = 0.0;
  double together = 0.0;
};

class Perceptron {
 public:
  Perceptron(Runtime& runtime, std::int64_t wide) : runtime_(runtime) {
    const std::array<std::int64_t, 5> widths{wide / 16, wide, wide, wide, wide / 16};
    Matrix activation = runtime.array<float>({wide, widths[0]}, normal(1));
    for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
      layers_.push_back({activation, runtime.array<float>({widths[i], widths[i + 1]}, normal(2, 0.0, 0.05))});
      activation = rectified(product(activation, layers_.back().weights));
    }
    error_ = activation;  // the values that were wanted are zero
    runtime.wait_all();
  }

  /// The gradients of the weights, the last layer's first. `leave` is called for each as it is submitted.
  template <class Leave>
  void submit_backward(const Leave& leave) {
    Matrix change = error_;
    for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
      leave(product(layer->input, change, "transpose_a"));
      if (layer + 1 == layers_.rend()) return;
      const Matrix before = product(change, layer->weights, "transpose_b");
      change = like(before);
      runtime_.submit(relu_gradient, read(layer->input), read(before), write(change));
    }
  }

 private:
  struct Layer {
    Matrix input;
    Matrix weights;
  };

  Matrix like(const Matrix& x) { return runtime_.array<float>(x.shape()); }

  Matrix product(const Matrix& a, const Matrix& b) {
    Matrix c = runtime_.array<float>({a.shape()[0], b.shape()[1]});
    runtime_.submit(gemm, read(a), read(b), write(c));
    return c;
  }
  Matrix product(const Matrix& a, const Matrix& b, const char* transpose) {
    const bool left = std::string(transpose) == "transpose_a";
    Matrix c = left ? runtime_.array<float>({a.shape()[1], b.shape()[1]})
                    : runtime_.array<float>({a.shape()[0], b.shape()[0]});
    runtime_.submit(gemm, read(a), read(b), write(c), with(transpose, true));
    return c;
  }
  Matrix rectified(const Matrix& x) {
    Matrix y = like(x);
    runtime_.submit(relu, read(x), write(y));
    return y;
  }

  Runtime& runtime_;
  std::vector<Layer> layers_;
  Matrix error_;
};

void look_at(std::vector<Future<float>>& gradients) {
  for (Future<float>& gradient : gradients) static_cast<void>(gradient.get());
  gradients.clear();
}

Times measure(Runtime& runtime, Perceptron& network, bool when_ready) {
  Times times;
  std::vector<Matrix> gradients;
  std::vector<Future<float>> values;
  const auto keep = [&](Matrix gradient) { gradients.push_back(gradient); };
  const auto ask_for_all = [&] {
    for (const Matrix& gradient : gradients) values.push_back(runtime.future(gradient));
  };

  auto begin = Clock::now();
  network.submit_backward(keep);
  runtime.wait_all();
  times.pass = seconds_since(begin);

  begin = Clock::now();
  ask_for_all();
  look_at(values);
  times.copies = seconds_since(begin);

  begin = Clock::now();
  gradients.clear();
  if (when_ready) {
    network.submit_backward([&](const Matrix& gradient) { values.push_back(runtime.future(gradient)); });
  } else {
    network.submit_backward(keep);
    runtime.wait_all();
    ask_for_all();
  }
  look_at(values);
  times.together = seconds_since(begin);
  return times;
}

void run_twice(Runtime& runtime, std::int64_t wide, bool when_ready) {
  Perceptron network(runtime, wide);
  static_cast<void>(measure(runtime, network, when_ready));  // to warm up
  const Times times = measure(runtime, network, when_ready);
  std::printf("{\"pass\": %.9f, \"copies\": %.9f, \"together\": %.9f}\n", times.pass, times.copies, times.together);
}

}  // namespace

}  // namespace penstock::bench

int main(int argc, char** argv) {
  const std::string mode = argc == 3 ? argv[1] : "";
  const std::int64_t wide = argc == 3 ? std::atol(argv[2]) : 0;
  if ((mode != "ready" && mode != "after") || wide < 16) return 2;
  return penstock::run(
      argc, argv, [&](penstock::Runtime& runtime) { penstock::bench::run_twice(runtime, wide, mode == "ready"); },
      penstock::bench::traced({.use_cpu = false}));
}
