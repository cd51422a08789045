// The rivals `bare ...` of the benchmark `minibatch`: the training by hand, with the library's own kernels. Answers as
// bench/rivals/perceptron.hpp says; what is issued is done.
//
//     penstock-bench-minibatch-bare blas BATCHES THREADS    one call after another, BLAS on all threads
//     penstock-bench-minibatch-bare rows BATCHES THREADS    a pinned thread for each part of the rows, BLAS on one
//                                                           thread, the gradients added
#include <algorithm>
#include <barrier>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/rivals/bare_matrix.hpp"
#include "bench/rivals/perceptron.hpp"
#include "device/cpu/affinity.hpp"

namespace penstock::bench {

namespace {

using Matrix = BareMatrix;

struct Weights {
  Matrix first, second, third;

  explicit Weights(memory::HostPool& pool)
      : first(pool, inputs, wide), second(pool, wide, narrow), third(pool, narrow, 1) {}
  [[nodiscard]] std::array<const Matrix*, 3> all() const { return {&first, &second, &third}; }
};

/// One part of the rows of each batch: forward and backward.
class Part {
 public:
  Part(memory::HostPool& pool, std::int64_t first_row, std::int64_t rows)
      : gradient(pool),
        first_row_(first_row),
        x_(pool, rows, inputs),
        hidden_(pool, rows, wide),
        deep_(pool, rows, narrow),
        error_(pool, rows, 1),
        deep_gradient_(pool, rows, narrow),
        hidden_gradient_(pool, rows, wide),
        loss_(pool, 1, 1) {}

  void run(int batch, const Matrix& teacher, const Weights& weights) {
    fill_normal(x_, seed_of(batch), {.first = first_row_ * inputs});
    multiply(x_, teacher, error_);
    multiply(x_, weights.first, hidden_);
    rectify(hidden_.values());
    multiply(hidden_, weights.second, deep_);
    rectify(deep_.values());
    multiply(deep_, weights.third, error_, {.beta = -1.0});

    multiply(error_, weights.third, deep_gradient_, {.transpose_b = true});
    mask(deep_.values(), deep_gradient_.values());
    multiply(deep_gradient_, weights.second, hidden_gradient_, {.transpose_b = true});
    mask(hidden_.values(), hidden_gradient_.values());
    multiply(x_, hidden_gradient_, gradient.first, {.transpose_a = true});
    multiply(hidden_, deep_gradient_, gradient.second, {.transpose_a = true});
    multiply(deep_, error_, gradient.third, {.transpose_a = true});
    multiply(error_, error_, loss_, {.transpose_a = true});
  }
  [[nodiscard]] double loss() const { return static_cast<double>(loss_.values()[0]); }

  Weights gradient;

 private:
  std::int64_t first_row_;
  Matrix x_, hidden_, deep_, error_, deep_gradient_, hidden_gradient_, loss_;
};

class Training {
 public:
  explicit Training(int parts) : teacher_(pool_, inputs, 1), weights_(pool_) {
    fill_normal(teacher_, 1, {.deviation = teacher_deviation});
    const std::int64_t rows = batch_rows / parts;
    for (int part = 0; part < parts; ++part) parts_.push_back(std::make_unique<Part>(pool_, part * rows, rows));
    start();
  }
  void start() {
    std::int64_t seed = 2;
    for (std::size_t i = 0; i < weight_deviation.size(); ++i)
      fill_normal(*weights_.all()[i], seed++, {.deviation = weight_deviation[i]});
  }

  void run_part(int batch, std::size_t part) { parts_[part]->run(batch, teacher_, weights_); }

  /// One of as many slices of all weights as there are parts; to be called when all parts of the batch have run.
  void descend(std::size_t slice) {
    for (std::size_t i = 0; i < weights_.all().size(); ++i) {
      const std::span<float> weights = weights_.all()[i]->values();
      const std::size_t begin = weights.size() * slice / parts_.size();
      const std::size_t end = weights.size() * (slice + 1) / parts_.size();
      std::span<float> sum = parts_[0]->gradient.all()[i]->values();
      for (std::size_t part = 1; part < parts_.size(); ++part) {
        const std::span<const float> more = parts_[part]->gradient.all()[i]->values();
        for (std::size_t k = begin; k < end; ++k) sum[k] += more[k];
      }
      for (std::size_t k = begin; k < end; ++k) weights[k] -= learning_rate * sum[k];
    }
  }

  [[nodiscard]] double loss() const {
    double sum = 0.0;
    for (const auto& part : parts_) sum += part->loss();
    return sum / static_cast<double>(batch_rows);
  }

 private:
  memory::HostPool pool_;
  Matrix teacher_;
  Weights weights_;
  std::vector<std::unique_ptr<Part>> parts_;
};

/// The batches on one thread for each part; each stays on a core of its own where there are several.
Marks train(Training& training, int batches, int parts) {
  Marks marks;
  const std::int64_t resident = resident_bytes();
  const core::CoreSet cores = device::read_affinity();
  std::barrier barrier(parts);
  const auto begin = Clock::now();
  const auto work = [&](std::size_t part) {
    if (parts > 1) device::set_affinity({cores[part % cores.size()]});
    for (int batch = 0; batch < batches; ++batch) {
      training.run_part(batch, part);
      barrier.arrive_and_wait();
      training.descend(part);
      barrier.arrive_and_wait();
      if (part != 0) continue;
      if (const int third = third_at(batch, batches); third >= 0) {
        marks.done[static_cast<std::size_t>(third)] = seconds_since(begin);
      }
      if (batch == 0) marks.loss_first = training.loss();
      if (batch + 1 == batches) marks.loss_last = training.loss();
    }
  };
  std::vector<std::jthread> team;
  for (int part = 0; part < parts; ++part) team.emplace_back(work, static_cast<std::size_t>(part));
  team.clear();
  marks.issued = marks.done;
  marks.grown = std::max<std::int64_t>(0, resident_bytes() - resident);
  return marks;
}

}  // namespace

}  // namespace penstock::bench

int main(int argc, char** argv) {
  using namespace penstock::bench;
  const std::string mode = argc == 4 ? argv[1] : "";
  if (mode != "blas" && mode != "rows") return 2;
  const int batches = std::atoi(argv[2]);
  const int threads = std::atoi(argv[3]);
  if (batches < batches_least || threads < 1) return 2;
  const int parts = mode == "rows" ? threads : 1;
  blas_use_threads(mode == "rows" ? 1 : threads);
  Training training(parts);
  train(training, batches_least, parts);
  training.start();
  train(training, batches, parts).print();
  return 0;
}
