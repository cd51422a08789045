/// What all programs of the benchmark `minibatch` share: the network, what is done element by element, and how a
/// program answers. A perceptron 512 -> 2048 -> 512 -> 1 with ReLU and squared loss learns a linear function of normal
/// numbers by stochastic gradient descent. Header only, without the library. Any thread, for data of its own.
///
///     {"issued_1": ..., "done_1": ..., ... "issued_3", "done_3": seconds since the first batch was begun, at each
///     third
///      of the batches; "loss_first", "loss_last": of one batch; "grown": bytes of resident memory more than before}
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>

#include "bench/timing.hpp"

namespace penstock::bench {

inline constexpr std::int64_t batch_rows = 1024;
inline constexpr std::int64_t inputs = 512;
inline constexpr std::int64_t wide = 2048;
inline constexpr std::int64_t narrow = 512;
inline constexpr std::array<double, 3> weight_deviation{0.03, 0.015, 0.03};
inline constexpr double teacher_deviation = 0.044;
/// Of the sum of the rows' gradients of half the squared error.
inline constexpr float learning_rate = 0.05F / static_cast<float>(batch_rows);
inline constexpr int batches_least = 3;  ///< of a training; so many are to warm up

/// Of the numbers of a batch. That of the teacher is 1, those of the weights follow.
constexpr std::int64_t seed_of(std::int64_t batch) { return 1'000 + batch; }

inline void rectify(std::span<float> values) {
  for (float& value : values) value = std::max(value, 0.0F);
}

/// The gradient before a ReLU whose result is `activation`.
inline void mask(std::span<const float> activation, std::span<float> gradient) {
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    gradient[i] = activation[i] > 0.0F ? gradient[i] : 0.0F;  // no branch: it is done for several at a time
  }
}

struct Marks {
  std::array<double, 3> issued{};
  std::array<double, 3> done{};
  double loss_first = 0.0;
  double loss_last = 0.0;
  std::int64_t grown = 0;

  void print() const {
    std::printf("{");
    for (std::size_t i = 0; i < issued.size(); ++i) {
      std::printf("\"issued_%zu\": %.9f, \"done_%zu\": %.9f, ", i + 1, issued[i], i + 1, done[i]);
    }
    std::printf("\"loss_first\": %.9g, \"loss_last\": %.9g, \"grown\": %lld}\n", loss_first, loss_last,
                static_cast<long long>(grown));
  }
};

/// Which third of the batches ends with this one, 0 to 2; -1: none.
constexpr int third_at(int batch, int batches) {
  for (int third = 0; third < 3; ++third) {
    if (batch + 1 == batches * (third + 1) / 3) return third;
  }
  return -1;
}

}  // namespace penstock::bench
