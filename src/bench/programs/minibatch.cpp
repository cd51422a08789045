// The benchmark `minibatch` on penstock: penstock-bench-minibatch MODE BATCHES PARTS DEVICES, where MODE says how far
// the program runs ahead: `wait` not at all, `overlap` one batch, `window` as far as 256 MiB of results allow. Each
// batch is cut into parts by rows, so that devices have work of their own: `cpu`, `gpu` or `cpu,gpu`. Answers as
// bench/rivals/perceptron.hpp says.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <penstock/penstock.hpp>

#include "bench/programs/traced.hpp"
#include "bench/rivals/perceptron.hpp"

namespace penstock::bench {

namespace {

using Matrix = Array<float>;

const auto stamp = kernel("bench.stamp", [](In<float>, In<float>, In<float>, Out<double> seconds) {
  seconds[0] = std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
});

struct Weights {
  Matrix first, second, third;
};

/// What one part of a batch leaves behind.
struct Pass {
  Weights gradient;
  Matrix loss;  // the sum of the squared errors
};

class Training {
 public:
  Training(Runtime& runtime, int parts)
      : runtime_(runtime),
        parts_(parts),
        rows_(batch_rows / parts),
        teacher_(runtime.array<float>({inputs, 1}, normal(1, 0.0, teacher_deviation))),
        weights_{runtime.array<float>({inputs, wide}, normal(2, 0.0, weight_deviation[0])),
                 runtime.array<float>({wide, narrow}, normal(3, 0.0, weight_deviation[1])),
                 runtime.array<float>({narrow, 1}, normal(4, 0.0, weight_deviation[2]))} {}

  [[nodiscard]] const Weights& weights() const { return weights_; }

  /// Submits one batch; returns the losses of its parts.
  std::vector<Matrix> submit_batch(int batch) {
    std::vector<Pass> passes;
    for (int part = 0; part < parts_; ++part) passes.push_back(submit_part(batch, part));
    weights_ = {next(weights_.first, passes, &Weights::first), next(weights_.second, passes, &Weights::second),
                next(weights_.third, passes, &Weights::third)};
    std::vector<Matrix> losses;
    for (const Pass& pass : passes) losses.push_back(pass.loss);
    return losses;
  }

 private:
  Matrix matrix(std::int64_t rows, std::int64_t columns) { return runtime_.array<float>({rows, columns}); }
  Matrix like(const Matrix& x) { return runtime_.array<float>(x.shape()); }
  Matrix product(const Matrix& a, const Matrix& b, std::int64_t rows, std::int64_t columns) {
    Matrix c = matrix(rows, columns);
    runtime_.submit(gemm, read(a), read(b), write(c));
    return c;
  }
  /// transposed(a) b
  Matrix inner(const Matrix& a, const Matrix& b) {
    Matrix c = matrix(a.shape()[1], b.shape()[1]);
    runtime_.submit(gemm, read(a), read(b), write(c), with("transpose_a", true));
    return c;
  }
  Matrix layer(const Matrix& x, const Matrix& w) {
    const Matrix sums = product(x, w, rows_, w.shape()[1]);
    Matrix result = like(sums);
    runtime_.submit(relu, read(sums), write(result));
    return result;
  }
  /// The gradient before the layer that made `activation`, from the one behind it.
  Matrix back(const Matrix& gradient, const Matrix& w, const Matrix& activation) {
    const Matrix behind = like(activation);
    runtime_.submit(gemm, read(gradient), read(w), write(behind), with("transpose_b", true));
    Matrix result = like(activation);
    runtime_.submit(relu_gradient, read(activation), read(behind), write(result));
    return result;
  }

  Pass submit_part(int batch, int part) {
    const Matrix x = matrix(rows_, inputs);
    runtime_.submit(KernelName("normal"), write(x), with("seed", seed_of(batch)), with("first", part * rows_ * inputs));
    const Matrix error = product(x, teacher_, rows_, 1);
    const Matrix hidden = layer(x, weights_.first);
    const Matrix deep = layer(hidden, weights_.second);
    runtime_.submit(gemm, read(deep), read(weights_.third), read_write(error), with("beta", -1.0));

    const Matrix deep_gradient = back(error, weights_.third, deep);
    const Matrix hidden_gradient = back(deep_gradient, weights_.second, hidden);
    return {.gradient = {inner(x, hidden_gradient), inner(hidden, deep_gradient), inner(deep, error)},
            .loss = inner(error, error)};
  }

  /// The gradients of the parts are added in their order. New weights in place of a change of the old ones: each batch
  /// has data of its own, for which one can wait.
  Matrix next(const Matrix& weights, const std::vector<Pass>& passes, Matrix Weights::*which) {
    const Matrix& sum = passes.front().gradient.*which;
    for (std::size_t i = 1; i < passes.size(); ++i) {
      runtime_.submit(axpy, read(passes[i].gradient.*which), read_write(sum));
    }
    Matrix result = like(weights);
    runtime_.submit(copy, read(weights), write(result));
    runtime_.submit(axpy, read(sum), read_write(result), with("alpha", -learning_rate));
    return result;
  }

  Runtime& runtime_;
  int parts_;
  std::int64_t rows_;
  Matrix teacher_;
  Weights weights_;
};

double loss_of(Runtime& runtime, const std::vector<Matrix>& losses) {
  double sum = 0.0;
  for (const Matrix& loss : losses) sum += static_cast<double>(runtime.read(loss)[0]);
  return sum / static_cast<double>(batch_rows);
}

struct Plan {
  std::string mode;
  int batches = 0;
  int parts = 1;
};

void wait_as_planned(Runtime& runtime, const Plan& plan, const Weights& before) {
  if (plan.mode == "wait") runtime.wait_all();
  if (plan.mode == "overlap") runtime.wait(before.first);  // of the batch before the one just submitted
}

Marks train(Runtime& runtime, const Plan& plan) {
  Training training(runtime, plan.parts);
  runtime.wait_all();
  Marks marks;
  std::array<Array<double>, 3> stamps;
  std::vector<std::vector<Matrix>> losses;
  const std::int64_t resident = resident_bytes();
  const auto begin = Clock::now();
  for (int batch = 0; batch < plan.batches; ++batch) {
    const Weights before = training.weights();
    losses.push_back(training.submit_batch(batch));
    if (const int third = third_at(batch, plan.batches); third >= 0) {
      const auto at = static_cast<std::size_t>(third);
      const Weights& after = training.weights();
      stamps[at] = runtime.array<double>({1});
      runtime.submit(stamp, read(after.first), read(after.second), read(after.third), write(stamps[at]));
      marks.issued[at] = seconds_since(begin);
    }
    wait_as_planned(runtime, plan, before);
    marks.grown = std::max(marks.grown, resident_bytes() - resident);
  }
  runtime.wait_all();
  const double begin_s = std::chrono::duration<double>(begin.time_since_epoch()).count();
  for (std::size_t i = 0; i < stamps.size(); ++i) marks.done[i] = runtime.read(stamps[i])[0] - begin_s;
  marks.loss_first = loss_of(runtime, losses.front());
  marks.loss_last = loss_of(runtime, losses.back());
  return marks;
}

void run_plan(Runtime& runtime, const Plan& plan) {
  train(runtime, {.mode = "wait", .batches = batches_least, .parts = plan.parts});
  train(runtime, plan).print();
}

}  // namespace

}  // namespace penstock::bench

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const penstock::bench::Plan plan{.mode = argv[1], .batches = std::atoi(argv[2]), .parts = std::atoi(argv[3])};
  if (plan.batches < penstock::bench::batches_least || plan.parts < 1) return 2;
  const std::string devices = argv[4];
  return penstock::run(
      argc, argv, [&](penstock::Runtime& runtime) { penstock::bench::run_plan(runtime, plan); },
      penstock::bench::traced(
          {.window_bytes = std::int64_t{256} << 20, .use_cpu = devices != "gpu", .use_cuda = devices != "cpu"}));
}
