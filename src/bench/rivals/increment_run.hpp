/// What the programs of the benchmark `increments` share: how they are called, the loops, and the arrays of the rivals.
/// Header only, without the library. Threads: the loops may run at once on different results.
///
///     PROGRAM chain|independent each|end COUNT ROWS COLUMNS [WORKERS]    {"seconds": ...} of COUNT increments
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/timing.hpp"

namespace penstock::bench {

// Not inlined: a task is one call, which must not be merged with the next.
[[gnu::noinline]] inline void add_one(std::span<float> y) {
  for (float& value : y) value += 1.0F;
}
[[gnu::noinline]] inline void add_one_to(std::span<const float> x, std::span<float> y) {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = x[i] + 1.0F;
}

struct IncrementRun {
  bool is_chain = false;  ///< y = y + 1, else y = x + 1 into a new y each time
  std::string wait;       ///< "each": after each increment, "end": after the last one; a program may know others
  int count = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  int workers = 1;

  static bool is_given(int argc, char** argv) {
    return argc > 1 && (std::string_view(argv[1]) == "chain" || std::string_view(argv[1]) == "independent");
  }
  /// Ends the process with 2 when the arguments are not those named above.
  IncrementRun(int argc, char** argv) {
    if (!is_given(argc, argv) || argc < 6 || argc > 7) std::exit(2);
    is_chain = std::string_view(argv[1]) == "chain";
    wait = argv[2];
    count = std::atoi(argv[3]);
    rows = std::atol(argv[4]);
    columns = std::atol(argv[5]);
    if (argc == 7) workers = std::atoi(argv[6]);
    if (count < 1 || rows < 1 || columns < 1 || workers < 1) std::exit(2);
  }
  [[nodiscard]] bool waits_each() const { return wait == "each"; }
};

/// x and as many y as tasks that write one may run at once.
class IncrementOperands {
 public:
  IncrementOperands(const IncrementRun& run, int results)
      : elements_(static_cast<std::size_t>(run.rows * run.columns)),
        x_(elements_, 1.0F),
        y_(static_cast<std::size_t>(results), std::vector<float>(elements_, 1.0F)) {}

  [[nodiscard]] const float* x() const { return x_.data(); }
  [[nodiscard]] float* y(int i) { return y_[static_cast<std::size_t>(i) % y_.size()].data(); }
  void increment_y() { add_one(y_.front()); }
  void increment_x(int i) { add_one_to(x_, y_[static_cast<std::size_t>(i) % y_.size()]); }

  /// Whether `increments` of y, or any number of x, were done since the last call.
  bool check_and_reset(const IncrementRun& run) {
    const float expected = run.is_chain ? 1.0F + static_cast<float>(run.count) : 2.0F;
    const bool is_right = std::ranges::all_of(y_.front(), [&](float value) { return value == expected; });
    std::ranges::fill(y_.front(), 1.0F);
    return is_right;
  }

 private:
  std::size_t elements_;
  std::vector<float> x_;
  std::vector<std::vector<float>> y_;
};

/// One pass to warm up and one with a clock: `pass()` does all increments. Returns what main() is to return.
template <class Pass>
int time_increments(const IncrementRun& run, IncrementOperands& operands, Pass pass) {
  pass();
  if (!operands.check_and_reset(run)) return 1;
  const auto begin = Clock::now();
  pass();
  const double seconds = seconds_since(begin);
  std::printf("{\"seconds\": %.9f}\n", seconds);
  return operands.check_and_reset(run) ? 0 : 1;
}

}  // namespace penstock::bench
